// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where the flows to a destination come in: the choices that decide everything else, for `balanced`.
//
// Switches that have no way down to a destination t fall into pods: groups that meet only above, at ancestors of t. All
// flows of a pod to t cross one of the cables from a switch of the pod to an ancestor of t, its entrances. In a PGFT
// such a cable determines the rest: behind it there is one way down, and before it one way from each leaf of the pod.
//
// Example: three levels, 12 leaves with 24 hosts in a pod, 24 switches above them with 3 cables up. For a destination
// in another pod, the pod has 72 entrances; for one on another leaf of the same pod, a leaf is a pod of its own and
// has 24.
//
// So there are 72 choices for a pod and a destination where single switches have 12 * 24 + 24 * 3, and, more important,
// a pod that sends all its flows to a destination through one entrance keeps them in step: its leaves never fill one
// cable each with its own count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/balanced_cables.h"
#include "core/engines/balanced/balanced_loads.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct Entrance {
  CableId cable{};
  SwitchId from = kNoSwitch;  // in the pod
  SwitchId to = kNoSwitch;    // an ancestor of the destination
  float share = 0;            // of the pod's flows to the destination switch; the shares of a pod add up to 1
};

// All that concerns one destination switch t with hosts.
struct Inbound {
  struct Pod {
    std::uint32_t first_entrance = 0;
    std::uint32_t last_entrance = 0;
    std::uint32_t first_source = 0;
    std::uint32_t last_source = 0;
    std::uint32_t hosts = 0;
  };
  struct WayDown {
    SwitchId from = kNoSwitch;
    CableId cable{};
    SwitchId to = kNoSwitch;
    float share = 1;  // of what `from` gets
  };
  [[nodiscard]] std::span<Entrance> entrances_of(const Pod& pod) {
    return {entrances.data() + pod.first_entrance, pod.last_entrance - pod.first_entrance};
  }
  [[nodiscard]] std::span<const Entrance> entrances_of(const Pod& pod) const {
    return {entrances.data() + pod.first_entrance, pod.last_entrance - pod.first_entrance};
  }

  Source at;  // t and its hosts
  std::vector<Pod> pods;
  std::vector<Entrance> entrances;     // pod by pod; neighbours in the list leave by different switches
  std::vector<std::uint32_t> sources;  // pod by pod; indices of ShiftLoads::sources()
  std::vector<WayDown> down;           // all ways down of ancestors of t, switch by switch, the highest first
};

// One for each of `destinations`, which are sources themselves. A share is in proportion to the hosts that reach the
// entrance.
[[nodiscard]] std::vector<Inbound> find_entrances(const FatTree& tree, const UpDownCosts& costs, const Cables& cables,
                                                  std::span<const Source> sources,
                                                  std::span<const Source> destinations);

// The switches of a pod from where an entrance is reached, and how; see Approach::assign().
class Approach {
 public:
  Approach(const FatTree& tree, const UpDownCosts& costs, const Cables& cables);

  // What follows is about shortest paths to t.
  void set_destination(SwitchId t);
  [[nodiscard]] Hops cost(SwitchId s) const { return cost_[index(s)]; }

  // Calls visit(s, number of a cable of s) for each switch s below `from` that gets there over this cable, if
  // wanted(s); below others it does not look. Parallel cables take turns, call by call.
  template <class Wanted, class Visit>
  void visit(SwitchId from, Wanted wanted, Visit visit);

 private:
  struct Cable {
    SwitchId lower = kNoSwitch;
    std::uint8_t number = 0;    // at `lower`
    std::uint8_t parallel = 1;  // how many of these in a row lead to the same switch
  };
  const UpDownCosts& costs_;
  std::vector<Hops> cost_;  // per switch, to the destination
  std::vector<Cable> below_;
  std::vector<std::uint32_t> first_;  // per switch, into below_
  std::vector<std::uint8_t> turn_;    // per element of below_: which of the parallel cables is next
  std::vector<SwitchId> stack_;
};

template <class Wanted, class Visit>
void Approach::visit(SwitchId from, Wanted wanted, Visit visit) {
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const SwitchId s = stack_.back();
    stack_.pop_back();
    for (std::uint32_t i = first_[index(s)]; i < first_[index(s) + 1]; i += below_[i].parallel) {
      const Cable& cable = below_[i];
      if (cost_[index(cable.lower)] != cost_[index(s)] + 1 || !wanted(cable.lower)) continue;
      visit(cable.lower, below_[i + turn_[i]].number);
      turn_[i] = static_cast<std::uint8_t>(turn_[i] + 1 == cable.parallel ? 0 : turn_[i] + 1);
      stack_.push_back(cable.lower);
    }
  }
}

}  // namespace espalier
