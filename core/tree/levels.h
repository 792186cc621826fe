// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Ways of giving every switch a level. Each sees only links; rank() decides between them.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "core/fabric/connectivity/breadth_first.h"
#include "core/fabric/connectivity/multi_source_bfs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Upwards: leaves get 0, every other switch its distance from the nearest leaf (thesis 1.4.5, Algorithm 3).
// Components without a leaf are ranked upwards from their lowest id.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> levels_above(const Fabric& fabric, const std::vector<SwitchId>& leaves);

// Downwards: in each connected component the switch farthest from the roots gets 0, the roots get the top level.
// Components without a root are ranked upwards from their lowest id.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> levels_below(const Fabric& fabric, const std::vector<SwitchId>& roots);

// Lifts spines above spines: a switch without hosts that has no neighbor above it, and more same-level links than any
// of its same-level neighbors, goes one level up.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> raise_spines(const Fabric& fabric,
                                                             const IdVector<SwitchId, std::uint32_t>& hosts,
                                                             const IdVector<SwitchId, std::uint32_t>& level);

// A row is what links between switches of one level connect where none of them has hosts: the spines of a MegaFly.
// Hops along the row from its middle, the switch with most such links, then with the highest id; 0 for who is in no
// row.
//
// Directed toward the middle, they leave every pair of a row an up-down path, and pairs of different rows that stand
// above one leaf a path over it. For paths of hosts, up, at most once along a row, and down, any directions would do
// (thesis, Property 2); but spines of InfiniBand send to one another as well.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> depths_in_rows(const Fabric& fabric,
                                                               const IdVector<SwitchId, std::uint32_t>& hosts,
                                                               const IdVector<SwitchId, std::uint32_t>& level);

// Who is near the hosts. One breadth-first search from each switch, whatever is asked then.
class HostViews {
 public:
  // `hosts` on each switch. REQUIRES: `fabric` outlives it.
  HostViews(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts);

  // The switches whose most frequent distance to a host is the smallest of all (thesis annex 2, Algorithm 14; the lower
  // distance wins a tie), per connected component.
  [[nodiscard]] std::vector<SwitchId> statistical_roots() const;
  // The switches that are nearest to all hosts: mean distance at most `slack` hops above the least one, per connected
  // component. Withstands what fools the most frequent distance: a small switch beside one large neighbor.
  [[nodiscard]] std::vector<SwitchId> central_roots(double slack) const;

 private:
  struct View {
    double mean = std::numeric_limits<double>::infinity();  // distance to a host
    std::uint32_t most_frequent = kFarAway;
    SwitchId component = kNoSwitch;  // its lowest switch id
  };
  void look(MultiSourceBfs& searches, const IdVector<SwitchId, std::uint32_t>& hosts, SwitchId first,
            std::span<View> views);
  void note_components(const MultiSourceBfs& searches, std::span<View> views) const;
  template <class Value, class Wins>
  [[nodiscard]] std::vector<SwitchId> best_of_each_component(Value value, Wins wins) const;

  const Fabric* fabric_;
  std::vector<View> view_;
};

}  // namespace espalier
