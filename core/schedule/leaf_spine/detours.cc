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

// Takes the pieces of one part out of `rest`.
class PartTaker {
 public:
  // `reserved_now`: per link, whether it belongs to a detour of this part; `reserved_later`: blocks after this part in
  // which it does.
  PartTaker(const LeafSpine& tree, std::uint32_t blocks, std::uint32_t blocks_left,
            const std::vector<std::uint8_t>& reserved_now, const std::vector<std::uint32_t>& reserved_later)
      : n_(static_cast<std::uint32_t>(tree.num_leaves())),
        m_(static_cast<std::uint32_t>(tree.num_spines)),
        tree_(tree),
        blocks_(blocks),
        blocks_left_(blocks_left),
        reserved_now_(reserved_now),
        reserved_later_(reserved_later) {}

  // Detours of this part and of later ones, as pieces sent and received per leaf.
  std::vector<std::uint32_t> detours_now = {};  // [leaf] sent, [leaves + leaf] received
  std::vector<std::uint32_t> detours_later = {};

  bool take(std::vector<Pieces>& rest, std::vector<Pieces>& part) {
    const std::uint32_t width = m_ + 1;
    const std::uint32_t inner = n_ * width;
    const std::uint32_t hub = 2 * inner + 2 * n_;
    BoundedFlow flow(hub + 1);
    std::vector<std::uint32_t> size(hub, 0);
    for (const Pieces& p : rest) {
      flow.add_arc(p.from * width + p.way, inner + p.to * width + p.way, 0, p.count);
      for (const std::uint32_t set :
           {p.from * width + p.way, inner + p.to * width + p.way, 2 * inner + p.from, 2 * inner + n_ + p.to})
        size[set] += p.count;
    }
    bool possible = true;
    const auto add_set = [&](std::uint32_t from, std::uint32_t to, std::uint32_t set, std::int64_t most,
                             std::int64_t most_later) {
      const std::int64_t lower = std::max<std::int64_t>(0, size[set] - most_later);
      const std::int64_t upper = std::min<std::int64_t>(size[set], most);
      possible = possible && lower <= upper;
      if (possible) flow.add_arc(from, to, lower, upper);
    };
    for (std::uint32_t side = 0; side < 2; ++side)
      for (std::uint32_t leaf = 0; leaf < n_; ++leaf) {
        const std::uint32_t outer = 2 * inner + side * n_ + leaf;
        for (std::uint32_t way = 0; way <= m_; ++way) {
          const std::uint32_t set = side * inner + leaf * width + way;
          const std::size_t link = (std::size_t{side} * n_ + leaf) * m_ + way;
          const bool own = way == m_;
          const std::int64_t most = own ? size[set] : reserved_now_[link] != 0 ? 0 : blocks_;
          const std::int64_t later = own ? size[set] : blocks_left_ - blocks_ - reserved_later_[link];
          add_set(side == 0 ? outer : set, side == 0 ? set : outer, set, most, later);
        }
        const std::int64_t servers = tree_.servers[leaf];
        add_set(side == 0 ? hub : outer, side == 0 ? outer : hub, outer,
                servers * blocks_ - detours_now[side * n_ + leaf],
                servers * (blocks_left_ - blocks_) - detours_later[side * n_ + leaf]);
      }
    if (!possible || !flow.solve()) return false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const auto taken = static_cast<std::uint32_t>(flow.flow(i));
      if (taken == 0) continue;
      part.push_back(rest[i]);
      part.back().count = taken;
      rest[i].count -= taken;
    }
    std::erase_if(rest, [](const Pieces& p) { return p.count == 0; });
    return true;
  }

 private:
  std::uint32_t n_;
  std::uint32_t m_;
  const LeafSpine& tree_;
  std::int64_t blocks_;
  std::int64_t blocks_left_;
  const std::vector<std::uint8_t>& reserved_now_;
  const std::vector<std::uint32_t>& reserved_later_;
};

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
  const auto blocks = blocks_of_detours(tree, detours, grain);
  const auto demand = piece_demand(tree, grain);
  const std::size_t n = tree.num_leaves();
  const std::size_t num_links = 2 * n * tree.num_spines;
  std::vector<Part> parts;
  std::vector<Pieces> rest = whole.pieces;
  std::uint32_t blocks_left = whole.blocks;
  for (std::uint32_t number = 0; number < blocks.size(); ++number) {
    if (blocks[number] > blocks_left) return std::nullopt;
    std::vector<std::uint8_t> now(num_links, 0);
    std::vector<std::uint32_t> later(num_links, 0);
    PartTaker taker(tree, blocks[number], blocks_left, now, later);
    taker.detours_now.assign(2 * n, 0);
    taker.detours_later.assign(2 * n, 0);
    Part part{{}, blocks[number]};
    for (std::uint32_t i = 0; i < detours.size(); ++i) {
      const Detour& d = detours[i];
      const std::uint32_t count = demand[d.from * n + d.to];
      if (d.part < number) continue;
      auto& leaves = d.part == number ? taker.detours_now : taker.detours_later;
      leaves[d.from] += count;
      leaves[n + d.to] += count;
      for (const std::size_t link : links_of(tree, d, hub))
        if (d.part == number)
          now[link] = 1;
        else
          later[link] += blocks[d.part];
      if (d.part == number)
        part.pieces.push_back({d.from, d.to, static_cast<std::uint32_t>(tree.num_spines) + 1 + i, count});
    }
    if (!taker.take(rest, part.pieces)) return std::nullopt;
    blocks_left -= blocks[number];
    parts.push_back(std::move(part));
  }
  parts.push_back({std::move(rest), blocks_left});
  return parts;
}

}  // namespace espalier
