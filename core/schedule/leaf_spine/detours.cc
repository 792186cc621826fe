// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/detours.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/schedule/combinatorics/bounded_flow.h"

namespace espalier {
namespace {

// A detour's links as numbers: upward [leaf * spines + spine], downward behind all of these.
std::array<std::size_t, 4> links_of(const LeafSpine& tree, const Detour& d, std::uint32_t hub) {
  const std::size_t m = tree.num_spines;
  const std::size_t down = tree.num_leaves() * m;
  return {d.from * m + d.first_spine, down + hub * m + d.first_spine, hub * m + d.second_spine,
          down + d.to * m + d.second_spine};
}

// What each link has to carry when every pair of leaves spreads its flows evenly: how scarce the link is.
std::vector<double> expected_loads(const LeafSpine& tree) {
  const std::size_t n = tree.num_leaves();
  const std::size_t m = tree.num_spines;
  std::vector<double> loads(2 * n * m, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      const std::uint32_t common = a == b ? 0 : tree.common_spines(a, b);
      for (std::size_t s = 0; common != 0 && s < m; ++s)
        if (tree.joined(a, s) && tree.joined(b, s))
          for (const std::size_t link : {a * m + s, (n + b) * m + s})
            loads[link] += static_cast<double>(tree.servers[a]) * tree.servers[b] / common;
    }
  return loads;
}

// Spines for the detour whose links are free, ranked by their most loaded link; the one at place `choice`, or the last.
// False: there are none.
bool choose_spines(const LeafSpine& tree, std::uint32_t hub, const std::vector<double>& loads,
                   const std::set<std::size_t>& taken, std::size_t choice, Detour& detour) {
  std::vector<std::pair<double, Detour>> found;
  for (detour.first_spine = 0; detour.first_spine < tree.num_spines; ++detour.first_spine)
    for (detour.second_spine = 0; detour.second_spine < tree.num_spines; ++detour.second_spine) {
      if (!tree.joined(detour.from, detour.first_spine) || !tree.joined(hub, detour.first_spine) ||
          !tree.joined(hub, detour.second_spine) || !tree.joined(detour.to, detour.second_spine))
        continue;
      const auto links = links_of(tree, detour, hub);
      if (std::any_of(links.begin(), links.end(), [&](std::size_t link) { return taken.contains(link); })) continue;
      double most = 0;
      for (const std::size_t link : links) most = std::max(most, loads[link]);
      found.emplace_back(most, detour);
    }
  if (found.empty()) return false;
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  detour = found[std::min(choice, found.size() - 1)].second;
  return true;
}

// What one part may take, and what it has to leave to later ones. Links as in links_of(), sides as [leaf] for what a
// leaf sends, [leaves + leaf] for what it receives.
struct PartLimits {
  std::int64_t blocks = 0;                    // of the part
  std::int64_t later_blocks = 0;              // of all parts after it
  std::vector<std::uint8_t> is_reserved;      // per link: a detour of this part has it
  std::vector<std::uint32_t> reserved_later;  // per link: blocks in which detours of later parts have it
  std::vector<std::uint32_t> detours;         // per side: pieces that go by detours of this part
  std::vector<std::uint32_t> later_detours;   // per side: by those of later parts
};

// Detours over one hub, and what they are to carry.
struct DetourPlan {
  const LeafSpine& tree;
  const std::vector<Detour>& detours;
  std::uint32_t hub;
  std::vector<std::uint32_t> blocks;  // per part
  std::vector<std::uint32_t> demand;  // pieces from leaf to leaf, [from * leaves + to]
};

PartLimits limits_of(const DetourPlan& plan, std::uint32_t part, std::uint32_t blocks_left) {
  const std::size_t n = plan.tree.num_leaves();
  const std::size_t num_links = 2 * n * plan.tree.num_spines;
  PartLimits limits{plan.blocks[part],
                    std::int64_t{blocks_left} - plan.blocks[part],
                    std::vector<std::uint8_t>(num_links),
                    std::vector<std::uint32_t>(num_links),
                    std::vector<std::uint32_t>(2 * n),
                    std::vector<std::uint32_t>(2 * n)};
  for (const Detour& d : plan.detours) {
    if (d.part < part) continue;
    auto& sides = d.part == part ? limits.detours : limits.later_detours;
    sides[d.from] += plan.demand[d.from * n + d.to];
    sides[n + d.to] += plan.demand[d.from * n + d.to];
    for (const std::size_t link : links_of(plan.tree, d, plan.hub)) {
      if (d.part == part)
        limits.is_reserved[link] = 1;
      else
        limits.reserved_later[link] += plan.blocks[d.part];
    }
  }
  return limits;
}

// Pieces as a circulation: from a hub over their leaf and its uplink, then down the other leaf's uplink and that leaf,
// back to the hub. What flows is taken; the bounds of an arc say how many of the pieces over it this part may take, and
// has to take since later parts have no room for them.
class PieceFlow {
 public:
  PieceFlow(const LeafSpine& tree, const PartLimits& limits, const std::vector<LeafPieces>& pieces)
      : n_(static_cast<std::uint32_t>(tree.num_leaves())),
        width_(static_cast<std::uint32_t>(tree.num_spines) + 1),
        flow_(hub() + 1),
        size_(hub()) {
    for (const LeafPieces& p : pieces) {
      const std::uint32_t up = uplink_set(0, p.from, p.path), down = uplink_set(1, p.to, p.path);
      flow_.add_arc(up, down, 0, p.count);
      for (const std::uint32_t set : {up, down, leaf_set(0, p.from), leaf_set(1, p.to)}) size_[set] += p.count;
    }
    for (std::uint32_t side = 0; side < 2; ++side)
      for (std::uint32_t leaf = 0; leaf < n_; ++leaf) {
        for (std::uint32_t uplink = 0; uplink < width_; ++uplink) add_uplink(limits, side, leaf, uplink);
        add_leaf(tree, limits, side, leaf);
      }
  }

  // False: the part cannot leave so little to later ones.
  [[nodiscard]] bool solve() { return is_possible_ && flow_.solve(); }
  // Of the i-th of the pieces, after that.
  [[nodiscard]] std::uint32_t taken(std::size_t i) const { return static_cast<std::uint32_t>(flow_.flow(i)); }

 private:
  // Nodes: an uplink of a leaf on a side, a leaf on a side, the hub.
  [[nodiscard]] std::uint32_t uplink_set(std::uint32_t side, std::uint32_t leaf, std::uint32_t uplink) const {
    return (side * n_ + leaf) * width_ + uplink;
  }
  [[nodiscard]] std::uint32_t leaf_set(std::uint32_t side, std::uint32_t leaf) const {
    return 2 * n_ * width_ + side * n_ + leaf;
  }
  [[nodiscard]] std::uint32_t hub() const { return leaf_set(2, 0); }

  // Between a leaf and one of its uplinks. The last one is within the leaf and has room for everything.
  void add_uplink(const PartLimits& limits, std::uint32_t side, std::uint32_t leaf, std::uint32_t uplink) {
    const std::uint32_t set = uplink_set(side, leaf, uplink), outer = leaf_set(side, leaf);
    const std::size_t link = (std::size_t{side} * n_ + leaf) * (width_ - 1) + uplink;
    const bool is_own = uplink == width_ - 1;
    const std::int64_t most = is_own ? size_[set] : limits.is_reserved[link] != 0 ? 0 : limits.blocks;
    const std::int64_t later = is_own ? size_[set] : limits.later_blocks - limits.reserved_later[link];
    add_set(side == 0 ? outer : set, side == 0 ? set : outer, set, most, later);
  }

  void add_leaf(const LeafSpine& tree, const PartLimits& limits, std::uint32_t side, std::uint32_t leaf) {
    const std::uint32_t outer = leaf_set(side, leaf);
    const std::int64_t servers = tree.servers[leaf];
    add_set(side == 0 ? hub() : outer, side == 0 ? outer : hub(), outer,
            servers * limits.blocks - limits.detours[side * n_ + leaf],
            servers * limits.later_blocks - limits.later_detours[side * n_ + leaf]);
  }

  // `most` of the set's pieces may be taken now, `most_later` later.
  void add_set(std::uint32_t from, std::uint32_t to, std::uint32_t set, std::int64_t most, std::int64_t most_later) {
    const std::int64_t lower = std::max<std::int64_t>(0, size_[set] - most_later);
    const std::int64_t upper = std::min<std::int64_t>(size_[set], most);
    is_possible_ = is_possible_ && lower <= upper;
    if (is_possible_) flow_.add_arc(from, to, lower, upper);
  }

  std::uint32_t n_;
  std::uint32_t width_;  // uplinks of a leaf, and one within it
  BoundedFlow flow_;
  std::vector<std::uint32_t> size_;  // per set: pieces in it
  bool is_possible_ = true;
};

// Moves what the part takes from `rest` to `part`.
bool take_pieces(const LeafSpine& tree, const PartLimits& limits, std::vector<LeafPieces>& rest,
                 std::vector<LeafPieces>& part) {
  PieceFlow flow(tree, limits, rest);
  if (!flow.solve()) return false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::uint32_t taken = flow.taken(i);
    if (taken == 0) continue;
    part.push_back(rest[i]);
    part.back().count = taken;
    rest[i].count -= taken;
  }
  std::erase_if(rest, [](const LeafPieces& p) { return p.count == 0; });
  return true;
}

}  // namespace

std::optional<std::vector<Detour>> find_detours(const LeafSpine& tree, std::uint32_t hub, std::size_t choice) {
  std::vector<Detour> detours;
  std::vector<std::set<std::size_t>> taken;  // per part
  const std::vector<double> loads = expected_loads(tree);
  for (std::uint32_t a = 0; a < tree.num_leaves(); ++a)
    for (std::uint32_t b = 0; b < tree.num_leaves(); ++b) {
      if (a == b || tree.servers[a] == 0 || tree.servers[b] == 0 || tree.common_spines(a, b) != 0) continue;
      Detour detour{a, b, 0, 0, 0};
      while (detour.part < taken.size() && !choose_spines(tree, hub, loads, taken[detour.part], choice, detour))
        ++detour.part;
      if (detour.part == taken.size()) {
        taken.emplace_back();
        if (!choose_spines(tree, hub, loads, taken.back(), choice, detour)) return std::nullopt;
      }
      for (const std::size_t link : links_of(tree, detour, hub)) taken[detour.part].insert(link);
      detours.push_back(detour);
    }
  return detours;
}

std::vector<std::uint32_t> blocks_of_detours(const LeafSpine& tree, const std::vector<Detour>& detours,
                                             std::uint32_t grain) {
  const auto demand = piece_demand(tree, grain);
  std::vector<std::uint32_t> blocks;
  for (const Detour& d : detours) {
    if (blocks.size() <= d.part) blocks.resize(d.part + 1, 0);
    blocks[d.part] = std::max(blocks[d.part], demand[d.from * tree.num_leaves() + d.to]);
  }
  return blocks;
}

void reserve_links(const LeafSpine& tree, const std::vector<Detour>& detours, std::uint32_t hub,
                   const std::vector<std::uint32_t>& blocks_of_parts, AssignmentLimits& limits) {
  const std::size_t num_links = tree.num_leaves() * tree.num_spines;
  limits.taken_up.assign(num_links, 0);
  limits.taken_down.assign(num_links, 0);
  for (const Detour& d : detours)
    for (const std::size_t link : links_of(tree, d, hub))
      (link < num_links ? limits.taken_up[link] : limits.taken_down[link - num_links]) += blocks_of_parts[d.part];
}

std::optional<std::vector<Part>> divide_around_detours(const LeafSpine& tree, const Part& whole,
                                                       const std::vector<Detour>& detours, std::uint32_t hub,
                                                       std::uint32_t grain) {
  const DetourPlan plan{tree, detours, hub, blocks_of_detours(tree, detours, grain), piece_demand(tree, grain)};
  const std::size_t n = tree.num_leaves();
  std::vector<Part> parts;
  std::vector<LeafPieces> rest = whole.pieces;
  std::uint32_t blocks_left = whole.blocks;
  for (std::uint32_t number = 0; number < plan.blocks.size(); ++number) {
    if (plan.blocks[number] > blocks_left) return std::nullopt;
    Part part{{}, plan.blocks[number]};
    for (std::uint32_t i = 0; i < detours.size(); ++i)
      if (const Detour& d = detours[i]; d.part == number)
        part.pieces.push_back(
            {d.from, d.to, static_cast<std::uint32_t>(tree.num_spines) + 1 + i, plan.demand[d.from * n + d.to]});
    const PartLimits limits = limits_of(plan, number, blocks_left);
    if (!take_pieces(tree, limits, rest, part.pieces)) return std::nullopt;
    blocks_left -= plan.blocks[number];
    parts.push_back(std::move(part));
  }
  parts.push_back({std::move(rest), blocks_left});
  return parts;
}

}  // namespace espalier
