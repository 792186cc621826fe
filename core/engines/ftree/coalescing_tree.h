// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The traversal of Ftree and its relatives (E. Zahavi et al., "Optimized InfiniBand fat-tree routing for shift
// all-to-all communication patterns", 2010; Gliksberg 2022, 1.4.1 and 5.1, Algorithms 1, 8 and 9): for one destination
// it grows a tree from the destination's switch over the fabric, and every switch sends along the tree. All packets to
// one destination thereby share their path as early as they can; relatives differ in the order in which links are
// tried.
//
//     ascend(s):  for each switch a above s that has no entry yet, in the chooser's order:
//                     a sends down to s
//                     descend(a), then ascend(a)
//     descend(a): for each switch b below a that has no entry yet, in the chooser's order:
//                     b sends up to a
//                     descend(b)
//
//   T0  T1     Destination on L0: ascend(L0) enters M0, descend(M0) gives L1 an entry; ascend(M0) enters T0, and
//   | \/ |     descend(T0) enters M1 and, from there, L2. Now every leaf has an entry: the primary routes. What is
//   | /\ |     left, T1 here, no packet of a host will ever see; it gets its entries from the same traversal, but
//   M0  M1     they do not count.
//  /  \   \ .
// L0  L1  L2
//
// Invariant: switches with a path down to the destination have an entry downward, all others upward; so paths go up,
// then down, and every switch with an up-down path gets an entry.
//
// Deviations from the printed algorithms:
//  * They call Descend(s) in each turn of the loop of Ascend(s), which counts a leaf's own switch once per up-port and
//    never descends from a top switch. Here descend() is called once for each switch that is ascended to.
//  * They let Descend enter switches that have a path down to the destination. In a PGFT there are none. Elsewhere, as
//    in QFTs, such a switch would send up what it could deliver downward, and who has no other path down than through it
//    would be left without an entry. Here only ascend() enters these.
//  * They stop when all leaves have entries. On InfiniBand spines send as well; see above.
//  * Algorithm 9 counts every entry of a switch as one use. Here a use counts as many leaves as it served, and nothing
//    if it served none. Where a leaf has lost one link, the traversal enters all tops in vain to reach it, each is
//    counted, and between equals the first serves all other leaves for every destination, for ever: with 1 % of the
//    links gone, a QFT of 1 036 hosts had 32 flows on one link under a shift instead of 6. The same in breadth-first
//    orientations, where tops stand below the switches of the root's pod.
//
// paper             here
// Delta             leaves_left_
// LFT[delta]        entry_, of the destination at hand
// usage counters    the Chooser's
//
// Switches with the same switches below them, as the tops of a plane have, descend to nothing once one of them has: after
// descend(a) everything below a has an entry. So most switches are not descended from, and a whole tree of 3 levels takes
// O(#switches) per destination, anything else O(#links).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/engines/ftree/destination_order.h"
#include "core/engines/ftree/link_choice.h"
#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Chooser:
//   void up(SwitchId s, std::vector<LinkChoice>& out)     appends all up-groups of s in the order to be tried
//   void down(SwitchId a, std::vector<LinkChoice>& out)   the same downward
//   void went_up(const PortGroup& taken, std::size_t attempt, std::size_t leaves)   it was entered while leaves were
//       without an entry; attempt 0 is the first of its switch; so many leaves got one
//   void went_down(const PortGroup& taken, std::size_t leaves)   so many leaves, at least one, now send up it
template <class Chooser>
class CoalescingTree {
 public:
  CoalescingTree(const RoutingProblem& problem, Chooser& chooser)
      : tree_(problem.tree),
        fabric_(problem.fabric),
        costs_(problem.costs),
        chooser_(chooser),
        below_(sets_below(tree_)),
        descended_(fabric_.num_switches()),
        not_above_(fabric_.num_switches()),
        entry_(fabric_.num_switches()) {}

  // Fills the column of this destination: all switches that have an up-down path to it.
  void grow(const Destination& d, ForwardingTables& tables) {
    if (d.at != destination_) look_at(d.at);
    entry_ = no_entries_;
    open_ = not_above_;
    ++destinations_;
    leaves_left_ = num_leaves_;
    descend(d.at);
    ascend(d.at);
    for (const SwitchId s : fabric_.switches()) tables.set(s, d.lid, s == d.at ? d.last_port : entry_[s]);
  }

 private:
  // Per switch the number of the set of switches right below it.
  static IdVector<SwitchId, std::uint32_t> sets_below(const FatTree& tree) {
    const auto less = [&](SwitchId a, SwitchId b) {
      return std::ranges::lexicographical_compare(tree.down_groups(a), tree.down_groups(b), {}, &PortGroup::remote,
                                                  &PortGroup::remote);
    };
    std::vector<SwitchId> sorted(tree.ascending().begin(), tree.ascending().end());
    std::sort(sorted.begin(), sorted.end(), less);
    IdVector<SwitchId, std::uint32_t> set(sorted.size());
    for (std::size_t i = 1; i < sorted.size(); ++i)
      set[sorted[i]] = set[sorted[i - 1]] + (less(sorted[i - 1], sorted[i]) ? 1 : 0);
    return set;
  }

  void look_at(SwitchId t) {
    destination_ = t;
    num_leaves_ = 0;
    for (const SwitchId s : fabric_.switches()) {
      not_above_[s] = costs_.down_cost(s, t) == kUnreachable ? 1 : 0;
      if (s != t && costs_.cost(s, t) != kUnreachable && !tree_.hosts(s).empty()) ++num_leaves_;
    }
  }

  void enter(SwitchId s, PortNum port) {
    entry_[s] = port;
    open_[s] = 0;
    if (!tree_.hosts(s).empty()) --leaves_left_;
  }

  void ascend(SwitchId s) {
    const std::size_t first = choices_.size();
    chooser_.up(s, choices_);
    const std::size_t end = choices_.size();
    for (std::size_t i = first; i < end; ++i) {
      const auto [group, port] = choices_[i];
      const SwitchId a = group->remote;
      if (entry_[a] != kNoPort) continue;
      const std::size_t leaves_before = leaves_left_;
      enter(a, fabric_.peer(s, port).port);
      descend(a);
      ascend(a);
      if (leaves_before > 0) chooser_.went_up(*group, i - first, leaves_before - leaves_left_);
    }
    choices_.resize(first);
  }

  void descend(SwitchId a) {
    if (std::exchange(descended_[below_[a]], destinations_) == destinations_) return;
    const auto is_open = [&](const PortGroup& g) { return open_[g.remote] != 0; };
    if (std::ranges::none_of(tree_.down_groups(a), is_open)) return;
    const std::size_t first = choices_.size();
    chooser_.down(a, choices_);
    const std::size_t end = choices_.size();
    for (std::size_t i = first; i < end; ++i) {
      const auto [group, port] = choices_[i];
      const SwitchId b = group->remote;
      if (open_[b] == 0) continue;
      const std::size_t leaves_before = leaves_left_;
      enter(b, fabric_.peer(a, port).port);
      descend(b);
      if (leaves_left_ < leaves_before) chooser_.went_down(*group, leaves_before - leaves_left_);
    }
    choices_.resize(first);
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  const UpDownCosts& costs_;
  Chooser& chooser_;
  const IdVector<SwitchId, PortNum> no_entries_{fabric_.num_switches(), kNoPort};

  const IdVector<SwitchId, std::uint32_t> below_;  // see sets_below()
  std::vector<std::uint64_t> descended_;  // per set below a switch: the last destination for which one descended to it
  std::uint64_t destinations_ = 0;        // so far

  SwitchId destination_ = kNoSwitch;
  IdVector<SwitchId, std::uint8_t> not_above_;  // whether the destination is not below this switch
  std::size_t num_leaves_ = 0;                  // switches with hosts that reach it, itself not counted
  std::size_t leaves_left_ = 0;                 // of these, without an entry so far
  IdVector<SwitchId, PortNum> entry_;
  IdVector<SwitchId, std::uint8_t> open_;  // not above, and without an entry
  std::vector<LinkChoice> choices_;        // a stack: what the calls under way have still to try
};

// All destinations, one after the other, with one chooser that remembers.
template <class Chooser>
[[nodiscard]] ForwardingTables grow_all(const RoutingProblem& problem, Chooser& chooser) {
  ForwardingTables tables(problem.fabric.num_switches(), problem.fabric.top_lid());
  CoalescingTree grower(problem, chooser);
  for (const Destination& d : destinations_in_order(problem)) grower.grow(d, tables);
  return tables;
}

}  // namespace espalier
