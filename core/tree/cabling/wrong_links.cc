// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/wrong_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "core/tree/cabling/dispensable_links.h"
#include "core/tree/cabling/leaves_below.h"
#include "core/tree/cabling/tree_shape.h"
#include "core/tree/level_reach.h"

namespace espalier {
namespace {

using IrregularityKind = Irregularity::Kind;

constexpr std::size_t kFewestUplinks = 3;  // to different switches, for a majority
constexpr std::size_t kManyUplinks = 6;    // from here on kin is below three of them, else below two
constexpr std::size_t kStrangers = 8;      // whoever leads further has more than 1 / 8 of its leaves elsewhere
constexpr double kTooMuch = 1.5;           // times what regular uplinks carry

std::size_t common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return std::transform_reduce(
      a.begin(), a.end(), b.begin(), std::size_t{0}, std::plus<>(),
      [](std::uint64_t x, std::uint64_t y) { return static_cast<std::size_t>(std::popcount(x & y)); });
}

bool is_within(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t outside = 0;
  for (std::size_t w = 0; w < a.size(); ++w) outside |= a[w] & ~b[w];
  return outside == 0;
}

class Finder {
 public:
  explicit Finder(const FatTree& tree) : tree_(tree), below_(tree), regular_(regular_loads(tree)) {
    for (auto& seen : seen_) seen.resize(below_.words());
  }

  std::vector<WrongLink> find() {
    IdVector<SwitchId, SwitchId> plain(tree_.fabric().num_switches(), kNoSwitch);  // by first parent
    for (const SwitchId s : tree_.fabric().switches()) {
      if (const auto ups = tree_.up_groups(s); !ups.empty()) {
        SwitchId& sibling = plain[ups[0].remote];
        if (sibling == kNoSwitch || !votes_alike(s, sibling)) sibling = find_miswired(s) ? kNoSwitch : s;
      }
      find_narrow(s);
    }
    return std::move(found_);
  }

 private:
  void add(IrregularityKind kind, SwitchId s, const PortGroup& up) {
    for (const PortNum port : tree_.ports(up)) found_.push_back({kind, s, port});
  }

  // Whether the group has a say in who is kin. A switch with leaves of one pod alone above others of that pod, as a leaf
  // without hosts is ranked, says nothing of tops.
  [[nodiscard]] bool votes(SwitchId s, const PortGroup& up) const {
    if (!climbs_one_level(tree_, s, up)) return false;
    if (!tree_.hosts(s).empty()) return true;
    const std::size_t all = below_.count(up.remote);  // those below s are among them
    return (all - below_.count(s)) * kStrangers > all;
  }

  // Fills seen_[i] with what is below more than i upper neighbors; returns how many of them there are.
  std::size_t count_votes(SwitchId s) {
    for (auto& seen : seen_) std::fill(seen.begin(), seen.end(), 0);
    std::size_t voters = 0;
    for (const PortGroup& up : tree_.up_groups(s)) {
      if (!votes(s, up)) continue;
      ++voters;
      const auto below = below_.at(up.remote);
      add_vote(below.data(), below.size(), seen_[0].data(), seen_[1].data(), seen_[2].data());
    }
    return voters;
  }

  // No two of these overlap, which compilers cannot know of vectors.
  static void add_vote(const std::uint64_t* __restrict below, std::size_t words, std::uint64_t* __restrict once,
                       std::uint64_t* __restrict twice, std::uint64_t* __restrict thrice) {
    for (std::size_t w = 0; w < words; ++w) {
      thrice[w] |= twice[w] & below[w];
      twice[w] |= once[w] & below[w];
      once[w] |= below[w];
    }
  }

  // Whether both have the same say in all that find_miswired() asks.
  [[nodiscard]] bool votes_alike(SwitchId a, SwitchId b) const {
    const auto parent = [](const PortGroup& up) { return up.remote; };
    return tree_.level(a) == tree_.level(b) && tree_.hosts(a).empty() == tree_.hosts(b).empty() &&
           below_.count(a) == below_.count(b) &&
           std::ranges::equal(tree_.up_groups(a), tree_.up_groups(b), {}, parent, parent);
  }

  // Whether there are any.
  bool find_miswired(SwitchId s) {
    const std::size_t voters = count_votes(s);
    if (voters < kFewestUplinks) return false;
    const auto& kin = seen_[voters < kManyUplinks ? 1 : 2];
    std::vector<const PortGroup*> odd;
    for (const PortGroup& up : tree_.up_groups(s)) {
      const auto below = below_.at(up.remote);
      if (is_within(below, kin) || !votes(s, up)) continue;  // where no cable is odd, nothing has to be counted
      if (common(below, kin) * 2 < below_.count(up.remote)) odd.push_back(&up);
    }
    if (odd.size() * 3 > voters) return false;
    for (const PortGroup* up : odd) add(IrregularityKind::kMiswiredLink, s, *up);
    return !odd.empty();
  }

  // What a regular uplink of each switch carries when all hosts below send elsewhere, over all of these alike; 0: it has none.
  [[nodiscard]] static IdVector<SwitchId, double> regular_loads(const FatTree& tree) {
    IdVector<SwitchId, double> load(tree.fabric().num_switches());
    for (const SwitchId s : tree.fabric().switches()) load[s] = static_cast<double>(tree.hosts(s).size());
    for (const SwitchId s : tree.ascending()) {
      std::size_t uplinks = 0;
      for (const PortGroup& up : tree.up_groups(s)) uplinks += climbs_one_level(tree, s, up) ? up.num_ports : 0;
      load[s] = uplinks == 0 ? 0 : load[s] / static_cast<double>(uplinks);
      for (const PortGroup& up : tree.up_groups(s))
        if (climbs_one_level(tree, s, up)) load[up.remote] += load[s] * up.num_ports;
    }
    return load;
  }

  void find_narrow(SwitchId s) {
    for (const PortGroup& up : tree_.up_groups(s)) {
      if (climbs_one_level(tree_, s, up)) continue;
      const std::size_t here = below_.hosts_below(s);
      const std::size_t there = below_.hosts_only_below(up.remote, s);
      if (regular_[s] == 0) continue;
      const double most = kTooMuch * std::max({regular_[s], regular_[up.remote], 1.0}) * up.num_ports;
      if (static_cast<double>(std::min(here, there)) > most) add(IrregularityKind::kNarrowShortcut, s, up);
    }
  }

  const FatTree& tree_;
  LeavesBelow below_;
  IdVector<SwitchId, double> regular_;
  std::vector<std::uint64_t> seen_[3];
  std::vector<WrongLink> found_;
};

// Whether most hosts can do without links within levels.
bool is_joined_by_levels(const FatTree& tree) {
  IdVector<SwitchId, std::uint32_t> hosts(tree.fabric().num_switches()), level(tree.fabric().num_switches());
  for (const SwitchId s : tree.fabric().switches()) {
    hosts[s] = static_cast<std::uint32_t>(tree.hosts(s).size());
    level[s] = static_cast<std::uint32_t>(index(tree.level(s)));
  }
  return joins_most_hosts(tree.fabric(), hosts, level);
}

// Whether many switches are cabled to others of their level, and hosts are apart without these cables or levels say little, as
// in a dragonfly+: this is no tree of pods, and its leaves have no kin.
bool is_direct(const FatTree& tree) {
  return link_levels(tree).within * 4 > tree.fabric().num_switches() &&
         !(is_tree_shaped(tree) && is_joined_by_levels(tree));
}

std::string describe(const Fabric& fabric, const WrongLink& link) {
  const Peer& peer = fabric.peer(link.lower, link.port);
  return fmt::format("port {} of {} to port {} of {} carries no routes: {}", index(link.port), fabric.label(link.lower),
                     index(peer.port), fabric.label(peer.as_switch()),
                     link.kind == IrregularityKind::kMiswiredLink
                         ? "it leads above leaves that the other uplinks do not share, so all traffic to them would "
                           "take this one cable; check where it is plugged in"
                         : "it is a shortcut too narrow for the hosts on both sides");
}

}  // namespace

std::vector<WrongLink> find_wrong_links(const FatTree& tree) {
  std::vector<WrongLink> all = Finder(tree).find();
  if (!is_direct(tree)) return dispensable_links(tree, all);
  // It lives on its cables within levels, unless it does without all of them.
  std::erase_if(all, [](const WrongLink& link) { return link.kind != IrregularityKind::kNarrowShortcut; });
  if (all.size() < link_levels(tree).within) return {};
  std::vector<WrongLink> dispensable = dispensable_links(tree, all);
  if (dispensable.size() < all.size()) dispensable.clear();
  return dispensable;
}

TreeContext without_wrong_links(const FatTree& tree, const std::vector<WrongLink>& links) {
  TreeContext context = tree.context();
  context.set_aside = channels_of(tree.fabric(), links);
  std::vector<Irregularity> all;
  for (const WrongLink& link : links) all.push_back({link.kind, link.lower, describe(tree.fabric(), link)});
  all.insert(all.end(), context.irregularities.begin(), context.irregularities.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Irregularity& a, const Irregularity& b) { return a.kind < b.kind; });
  context.irregularities = std::move(all);
  return context;
}

}  // namespace espalier
