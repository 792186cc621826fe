// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/turns.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/engines/detours/channel_order.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

class TurnRouter {
 public:
  TurnRouter(const RoutingProblem& problem, std::size_t hub, ForwardingTables& tables)
      : tree_(problem.tree),
        fabric_(problem.fabric),
        costs_(problem.costs),
        targets_(problem.targets),
        tables_(tables),
        order_(problem.tree),
        near_hub_(fabric_.num_switches()),
        reaches_(fabric_.num_switches()),
        outs_(fabric_.num_switches()) {
    admit_present_routes();
    find_hubs(hub);
  }

  // Returns who could not be joined.
  const std::vector<SwitchId>& route_to(SwitchId t) {
    start(t);
    while (!missing_.empty()) {
      ripple(t);
      std::erase_if(missing_, [&](SwitchId s) { return reaches_[s] != 0; });
      if (!missing_.empty() && !admit_best_turn(t)) break;
    }
    return missing_;
  }

 private:
  struct Join {
    SwitchId s;     // joins,
    PortGroup via;  // by this group of its own,
    SwitchId next;  // to this switch, which reaches the destination
    bool turns;     // packets would come down to `next` and go up again
  };

  // What the closed form uses goes up-down, which a fresh order cannot refuse.
  void admit_present_routes() {
    for (const SwitchId s : fabric_.switches())
      for (std::size_t lid = 0; lid < tables_.width(); ++lid) {
        const PortNum out = tables_.at(s, id_at<Lid>(lid));
        if (out == kNoPort || out == kManagementPort || !fabric_.peer(s, out).is_switch()) continue;
        const SwitchId far = fabric_.peer(s, out).as_switch();
        const PortNum then = tables_.at(far, id_at<Lid>(lid));
        if (then != kNoPort && then != kManagementPort && fabric_.peer(far, then).is_switch())
          static_cast<void>(order_.insert(fabric_.channel(s, out), then));
      }
  }

  // Marks, per connected component, a hub and all above it: the switch that reaches most others, or the `rank`-th after
  // it.
  void find_hubs(std::size_t rank) {
    std::vector<std::vector<std::pair<std::size_t, SwitchId>>> hubs(tree_.num_components());
    for (const SwitchId s : fabric_.switches()) {
      const auto row = costs_.cost_row(s);
      const auto unreached = static_cast<std::size_t>(std::count(row.begin(), row.end(), kUnreachable));
      hubs[tree_.component(s)].emplace_back(unreached, s);
    }
    for (auto& of_component : hubs) {
      const auto hub = of_component.begin() + static_cast<std::ptrdiff_t>(rank % of_component.size());
      std::nth_element(of_component.begin(), hub, of_component.end());
      near_hub_[hub->second] = 1;
    }
    for (const SwitchId s : tree_.ascending())
      if (near_hub_[s] != 0)
        for (const PortGroup& up : tree_.up_groups(s)) near_hub_[up.remote] = 1;
  }

  void start(SwitchId t) {
    missing_.clear();
    queue_.clear();
    for (const SwitchId s : fabric_.switches()) {
      outs_[s].clear();
      reaches_[s] = costs_.cost(s, t) != kUnreachable ? 1 : 0;
      if (tree_.component(s) != tree_.component(t)) continue;
      if (reaches_[s] == 0)
        missing_.push_back(s);
      else
        queue_.push_back(s);
    }
    if (missing_.empty()) return;
    std::stable_sort(queue_.begin(), queue_.end(),
                     [&](SwitchId a, SwitchId b) { return costs_.cost(a, t) < costs_.cost(b, t); });
    for (const SwitchId s : queue_)
      if (s != t) collect_outs(s, t);
  }

  // The different ports by which s sends to the LIDs of t.
  void collect_outs(SwitchId s, SwitchId t) {
    auto& outs = outs_[s];
    for (const LidTarget& target : targets_.at(t))
      for (std::size_t k = 0; k < std::size_t{1} << target.lmc; ++k) {
        const PortNum out = tables_.at(s, id_at<Lid>(index(target.base) + k));
        if (std::find(outs.begin(), outs.end(), out) == outs.end()) outs.push_back(out);
      }
  }

  // Lets join who can without a new turn, from the switches in queue_ outward.
  void ripple(SwitchId t) {
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const SwitchId next = queue_[head];
      for_each_join(next, [&](const Join& join) {
        if ((!join.turns || allowed(join)) && admit(join)) enter(join, t);
      });
    }
    queue_.clear();
  }

  // Calls `visit` for each neighbor of `next` that does not reach the destination yet.
  template <class Visit>
  void for_each_join(SwitchId next, Visit visit) {
    const auto each = [&](std::span<const PortGroup> groups_of_next, bool from_above) {
      for (const PortGroup& g : groups_of_next) {
        if (reaches_[g.remote] != 0) continue;
        const auto back = from_above ? tree_.down_groups(g.remote) : tree_.up_groups(g.remote);
        const auto via = std::lower_bound(back.begin(), back.end(), next,
                                          [](const PortGroup& x, SwitchId s) { return x.remote < s; });
        const auto goes_up = [&](PortNum out) { return is_up(next, out); };
        const bool turns = from_above && std::any_of(outs_[next].begin(), outs_[next].end(), goes_up);
        visit(Join{g.remote, *via, next, turns});
      }
    };
    each(tree_.up_groups(next), true);
    each(tree_.down_groups(next), false);
  }

  [[nodiscard]] bool is_up(SwitchId s, PortNum out) const {
    const SwitchId far = fabric_.peer(s, out).as_switch();
    const auto up = tree_.up_groups(s);
    return std::binary_search(up.begin(), up.end(), PortGroup{far, 0, 0},
                              [](const PortGroup& a, const PortGroup& b) { return a.remote < b.remote; });
  }

  [[nodiscard]] ChannelId channel(const Join& join) const { return fabric_.channel(join.s, tree_.ports(join.via)[0]); }

  [[nodiscard]] bool allowed(const Join& join) const {
    return std::all_of(outs_[join.next].begin(), outs_[join.next].end(),
                       [&](PortNum out) { return order_.has(channel(join), out); });
  }

  bool admit(const Join& join) {
    return std::all_of(outs_[join.next].begin(), outs_[join.next].end(),
                       [&](PortNum out) { return order_.insert(channel(join), out); });
  }

  void enter(const Join& join, SwitchId t) {
    const PortNum out = tree_.ports(join.via)[0];
    reaches_[join.s] = 1;
    outs_[join.s] = {out};
    queue_.push_back(join.s);
    const auto row = tables_.row(join.s);
    for (const LidTarget& target : targets_.at(t))
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(index(target.base)), std::size_t{1} << target.lmc, out);
  }

  // One new turn: first near the hub, then as high as possible, then at the lowest ids.
  bool admit_best_turn(SwitchId t) {
    std::vector<Join> candidates;
    for (const SwitchId s : fabric_.switches())
      if (reaches_[s] != 0 && tree_.component(s) == tree_.component(t))
        for_each_join(s, [&](const Join& join) { candidates.push_back(join); });
    std::sort(candidates.begin(), candidates.end(), [&](const Join& a, const Join& b) {
      const auto key = [&](const Join& j) {
        return std::tuple(!(near_hub_[j.s] != 0 && near_hub_[j.next] != 0), -static_cast<int>(tree_.level(j.next)),
                          j.next, j.s);
      };
      return key(a) < key(b);
    });
    for (const Join& join : candidates)
      if (admit(join)) {
        enter(join, t);
        return true;
      }
    return false;
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  const UpDownCosts& costs_;
  const LidTargets& targets_;
  ForwardingTables& tables_;
  ChannelOrder order_;
  IdVector<SwitchId, std::uint8_t> near_hub_;
  // For the destination at hand:
  IdVector<SwitchId, std::uint8_t> reaches_;
  IdVector<SwitchId, std::vector<PortNum>> outs_;
  std::vector<SwitchId> missing_;
  std::vector<SwitchId> queue_;
};

struct Attempt {
  std::vector<SwitchPair> unjoined;
  std::size_t num_routed = 0;  // destinations
};

// Fills the tables, destination by destination, with turns near the hub of this rank. With `stops` it ends at the first
// destination that could not be joined to all.
Attempt route_in_order(const RoutingProblem& problem, const std::vector<SwitchId>& destinations, std::size_t hub,
                       bool stops, ForwardingTables& tables) {
  TurnRouter router(problem, hub, tables);
  Attempt attempt;
  for (const SwitchId t : destinations) {
    for (const SwitchId s : router.route_to(t)) attempt.unjoined.push_back({s, t});
    ++attempt.num_routed;
    if (stops && !attempt.unjoined.empty()) break;
  }
  return attempt;
}

}  // namespace

std::vector<SwitchPair> route_by_turns(const RoutingProblem& problem, ForwardingTables& tables, std::size_t attempts) {
  const ForwardingTables given = tables;
  std::vector<SwitchId> destinations;
  for (const SwitchId t : problem.fabric.switches()) destinations.push_back(t);
  const std::vector<SwitchPair> first = route_in_order(problem, destinations, 0, false, tables).unjoined;
  std::vector<SwitchPair> unjoined = first;
  std::size_t left = (attempts - 1) * destinations.size();
  for (std::size_t number = 1; left > 0 && !unjoined.empty(); ++number) {
    IdVector<SwitchId, std::uint8_t> failed(problem.fabric.num_switches());
    for (const SwitchPair& pair : unjoined) failed[pair.to] = 1;
    destinations = RandomOrder(number, "destinations").front(std::move(destinations), problem.fabric.num_switches());
    std::stable_partition(destinations.begin(), destinations.end(), [&](SwitchId t) { return failed[t] != 0; });
    ForwardingTables now = given;
    Attempt attempt = route_in_order(problem, destinations, number % 2 == 0 ? number / 2 : 0, true, now);
    left -= std::min(left, attempt.num_routed);
    unjoined = std::move(attempt.unjoined);
    if (unjoined.empty()) tables = std::move(now);
  }
  return unjoined.empty() ? unjoined : first;
}

}  // namespace espalier
