// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/turns.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/detours/channel_order.h"
#include "core/engines/detours/turn_hubs.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

// Whether all LIDs of a switch take the same detour, or those of hosts several.
enum class HostDetours { kAsOne, kSpread };

class TurnRouter {
 public:
  // Beside the routes that `tables` hold.
  TurnRouter(const RoutingProblem& problem, HostDetours host_detours, const ForwardingTables& tables)
      : tree_(problem.tree),
        fabric_(problem.fabric),
        costs_(problem.costs),
        targets_(problem.targets),
        order_(problem.tree),
        near_hub_(fabric_.num_switches()),
        host_detours_(host_detours),
        flows_(fabric_.num_channels()),
        reaches_(fabric_.num_switches()),
        takes_detour_(fabric_.num_switches()),
        is_beside_missing_(fabric_.num_switches()),
        hops_(fabric_.num_switches()),
        outs_(fabric_.num_switches()),
        passed_(fabric_.num_switches()),
        sources_(fabric_.num_switches()) {
    admit_present_routes(tables);
  }

  // One that has routed nothing yet, for each attempt: to admit the present routes costs as much as to route.
  [[nodiscard]] TurnRouter near(const std::vector<SwitchId>& hubs, ForwardingTables& filled) const {
    TurnRouter router = *this;
    router.tables_ = &filled;
    router.mark(hubs);
    return router;
  }

  // Returns who could not be joined.
  const std::vector<SwitchId>& route_to(SwitchId t) {
    start(t);
    while (!missing_.empty()) {
      ripple();
      std::erase_if(missing_, [&](SwitchId s) { return reaches_[s] != 0; });
      if (missing_.empty()) break;
      const bool only_hosts = std::ranges::all_of(missing_, [&](SwitchId s) { return has_hosts(s); });
      if ((hosts_wait_ && only_hosts) || !admit_best_turn()) {
        if (!hosts_wait_) break;
        let_hosts_join();
      }
    }
    write(t);
    return missing_;
  }

  // As TurnEffort counts them.
  [[nodiscard]] std::uint64_t steps() const { return order_.visited() + places_; }

 private:
  struct Join {
    SwitchId s;     // joins,
    PortGroup via;  // by this group of its own,
    SwitchId next;  // to this switch, which reaches the destination
  };

  struct Candidate {  // for a new turn
    // First near the hub, then as high as possible, then the lowest ids.
    std::tuple<bool, int, SwitchId, SwitchId> rank;
    Join join;
  };

  struct Step {  // of a packet, from one channel
    ChannelId in;
    PortNum out;  // of the switch at its end, into the next
  };

  enum class Steps {
    kPresent,  // those alone that some packet takes already
    kAny
  };

  // What the closed form uses goes up-down, which a fresh order cannot refuse: so in any order.
  void admit_present_routes(const ForwardingTables& tables) {
    IdVector<SwitchId, std::vector<Step>> steps(fabric_.num_switches());
    parallel_for(fabric_.num_switches(),
                 [&](std::size_t s) { steps[id_at<SwitchId>(s)] = present_steps(tables, id_at<SwitchId>(s)); });
    for (const std::vector<Step>& of_switch : steps)
      for (const Step& step : of_switch) static_cast<void>(order_.insert(step.in, step.out));
  }

  // Of all packets that pass s and then another switch, each once.
  [[nodiscard]] std::vector<Step> present_steps(const ForwardingTables& tables, SwitchId s) const {
    std::vector<Step> steps;
    // By port, then by that of the far switch.
    std::vector<std::bitset<256>> is_known(fabric_.at(s).num_ports + std::size_t{1});
    const std::span<const PortNum> row = tables.row(s);
    for (std::size_t lid = 0; lid < row.size(); ++lid) {
      const PortNum out = row[lid];
      if (out == kNoPort || out == kManagementPort || !fabric_.peer(s, out).is_switch()) continue;
      const SwitchId far = fabric_.peer(s, out).as_switch();
      const PortNum then = tables.at(far, id_at<Lid>(lid));
      if (then == kNoPort || then == kManagementPort || is_known[index(out)][index(then)]) continue;
      is_known[index(out)].set(index(then));
      if (fabric_.peer(far, then).is_switch()) steps.push_back({fabric_.channel(s, out), then});
    }
    return steps;
  }

  // The hubs and all above them.
  void mark(const std::vector<SwitchId>& hubs) {
    for (const SwitchId hub : hubs) near_hub_[hub] = 1;
    for (const SwitchId s : tree_.ascending())
      if (near_hub_[s] != 0)
        for (const PortGroup& up : tree_.up_groups(s)) near_hub_[up.remote] = 1;
  }

  [[nodiscard]] bool has_hosts(SwitchId s) const { return !tree_.hosts(s).empty(); }

  void start(SwitchId t) {
    missing_.clear();
    queue_.clear();
    joined_.clear();
    for (const SwitchId s : fabric_.switches()) {
      outs_[s].clear();
      passed_[s] = 0;
      hops_[s] = costs_.cost(s, t);
      reaches_[s] = costs_.cost(s, t) != kUnreachable ? 1 : 0;
      is_beside_missing_[s] = 0;
      if (tree_.component(s) != tree_.component(t)) continue;
      takes_detour_[s] = 1 - reaches_[s];
      if (reaches_[s] == 0) missing_.push_back(s);
    }
    num_missing_ = missing_.size();
    spreads_ = host_detours_ == HostDetours::kSpread && has_hosts(t) &&
               std::ranges::any_of(missing_, [&](SwitchId s) { return has_hosts(s); });
    hosts_wait_ = spreads_;
    for (const SwitchId s : missing_)
      for (const auto groups : {tree_.up_groups(s), tree_.down_groups(s)})
        for (const PortGroup& group : groups)
          if (reaches_[group.remote] != 0) is_beside_missing_[group.remote] = 1;
    queue_all();
    for (const SwitchId s : queue_)
      if (s != t) collect_outs(s, t);
  }

  // Who reaches the destination and has neighbors that may join, the nearest first.
  void queue_all() {
    for (const SwitchId s : fabric_.switches())
      if (is_beside_missing_[s] != 0) queue_.push_back(s);
    std::stable_sort(queue_.begin(), queue_.end(), [&](SwitchId a, SwitchId b) { return hops_[a] < hops_[b]; });
  }

  // The different ports by which s sends to the LIDs of t.
  void collect_outs(SwitchId s, SwitchId t) {
    auto& outs = outs_[s];
    for (const LidTarget& target : targets_.at(t))
      for (const Lid lid : lids_of(target)) {
        const PortNum out = tables_->at(s, lid);
        if (std::find(outs.begin(), outs.end(), out) == outs.end()) outs.push_back(out);
      }
  }

  // Switches with hosts wait until all others have joined: so they may choose among the paths of all of them.
  void let_hosts_join() {
    hosts_wait_ = false;
    for (const SwitchId s : joined_) is_beside_missing_[s] = 1;
    queue_all();
  }

  // Lets join who can without a new turn, from the switches in queue_ outward.
  void ripple() {
    for (std::size_t head = 0; head < queue_.size() && (spreads_ || num_missing_ > 0); ++head) {
      const SwitchId next = queue_[head];
      passed_[next] = 1;
      // Packets that come down to it and go up again need a turn that is there.
      const bool goes_up = std::ranges::any_of(outs_[next], [&](PortNum out) { return is_up(next, out); });
      join_over(next, tree_.up_groups(next), &FatTree::down_groups, goes_up ? Steps::kPresent : Steps::kAny);
      join_over(next, tree_.down_groups(next), &FatTree::up_groups, Steps::kAny);
    }
    queue_.clear();
  }

  // Of the neighbors of `next` on one side those that do not reach the destination yet or, where traffic is spread, whose
  // detour becomes no longer and that nobody else passes yet. `back` has the groups of theirs that lead to it.
  void join_over(SwitchId next, std::span<const PortGroup> groups,
                 std::span<const PortGroup> (FatTree::*back)(SwitchId) const, Steps allowed) {
    for (const PortGroup& g : groups) {
      const SwitchId s = g.remote;
      const bool joins_again = spreads_ && takes_detour_[s] != 0 && passed_[s] == 0 && hops_[s] == hops_[next] + 1;
      if (reaches_[s] == 0 ? !may_join(s) : !joins_again) continue;
      admit({s, *std::ranges::lower_bound((tree_.*back)(s), next, {}, &PortGroup::remote), next}, allowed);
    }
  }
  [[nodiscard]] bool is_up(SwitchId s, PortNum out) const {
    return std::ranges::binary_search(tree_.up_groups(s), fabric_.peer(s, out).as_switch(), {}, &PortGroup::remote);
  }
  [[nodiscard]] bool may_join(SwitchId s) const { return !hosts_wait_ || !has_hosts(s); }

  // False when packets would turn where they may not, or close a cycle.
  bool admit(const Join& join, Steps allowed) {
    const auto& then = outs_[join.next];
    bool joins = false;
    const std::span<const PortNum> ports = tree_.ports(join.via);
    for (const PortNum out : spreads_ ? ports : ports.first(1)) {
      const ChannelId channel = fabric_.channel(join.s, out);
      const auto is_present = [&](PortNum next) { return order_.has(channel, next); };
      if (allowed == Steps::kPresent && !std::ranges::all_of(then, is_present)) continue;
      if (!std::ranges::all_of(then, [&](PortNum next) { return order_.insert(channel, next); })) continue;
      enter(join, out);
      joins = true;
    }
    return joins;
  }

  void enter(const Join& join, PortNum out) {
    if (reaches_[join.s] == 0) {
      reaches_[join.s] = 1;
      --num_missing_;
      hops_[join.s] = static_cast<Hops>(hops_[join.next] + 1);
      outs_[join.s].clear();
      queue_.push_back(join.s);
      joined_.push_back(join.s);
    }
    outs_[join.s].push_back(out);
  }

  // One new turn: the first candidate that closes no cycle. Hardly any closes one, so that they are put in order only when
  // the first is refused, and only as far as needed.
  bool admit_best_turn() {
    std::optional<Candidate> best;
    for_each_candidate([&](const Candidate& c) {
      ++places_;
      if (!best || c.rank < best->rank) best = c;
    });
    if (!best) return false;
    if (admit(best->join, Steps::kAny)) return true;
    std::vector<Candidate> others;
    for_each_candidate([&](const Candidate& c) {
      if (best->rank < c.rank) others.push_back(c);
    });
    places_ += others.size();
    for (std::ranges::make_heap(others, std::ranges::greater(), &Candidate::rank); !others.empty(); others.pop_back()) {
      std::ranges::pop_heap(others, std::ranges::greater(), &Candidate::rank);
      if (admit(others.back().join, Steps::kAny)) return true;
    }
    return false;
  }

  template <class Visit>
  void for_each_candidate(Visit visit) const {
    for (const SwitchId s : missing_) {
      if (!may_join(s)) continue;
      for (const auto groups : {tree_.down_groups(s), tree_.up_groups(s)})
        for (const PortGroup& via : groups)
          if (const SwitchId next = via.remote; reaches_[next] != 0)
            visit(Candidate{{near_hub_[s] == 0 || near_hub_[next] == 0, -static_cast<int>(tree_.level(next)), next, s},
                            {s, via, next}});
    }
  }

  // The entries of all who joined. Where traffic is spread, each LID of a host takes at each switch the channel with the
  // fewest flows so far, sources first.
  void write(SwitchId t) {
    if (spreads_) std::ranges::stable_sort(joined_, std::ranges::greater(), [&](SwitchId s) { return hops_[s]; });
    for (const LidTarget& target : targets_.at(t))
      for (const Lid lid : lids_of(target)) {
        const bool counts = spreads_ && target.last_port != kManagementPort;
        for (const SwitchId s : joined_) sources_[s] = counts ? tree_.hosts(s).size() : 0;
        for (const SwitchId s : joined_) {
          const PortNum out =
              *std::ranges::min_element(outs_[s], {}, [&](PortNum port) { return flows_[fabric_.channel(s, port)]; });
          tables_->row(s)[index(lid)] = out;
          flows_[fabric_.channel(s, out)] += sources_[s];
          sources_[fabric_.peer(s, out).as_switch()] += sources_[s];
        }
      }
  }

  const FatTree& tree_;
  const Fabric& fabric_;
  const UpDownCosts& costs_;
  const LidTargets& targets_;
  ForwardingTables* tables_ = nullptr;
  ChannelOrder order_;
  IdVector<SwitchId, std::uint8_t> near_hub_;
  HostDetours host_detours_;
  IdVector<ChannelId, std::uint64_t> flows_;  // of hosts that take detours
  // For the destination at hand:
  bool spreads_ = false;     // LIDs over several paths
  bool hosts_wait_ = false;  // switches with hosts do not join yet
  IdVector<SwitchId, std::uint8_t> reaches_;
  IdVector<SwitchId, std::uint8_t> takes_detour_;
  IdVector<SwitchId, std::uint8_t> is_beside_missing_;  // reaches the destination; others next to it did not at first
  IdVector<SwitchId, Hops> hops_;
  IdVector<SwitchId, std::vector<PortNum>> outs_;
  IdVector<SwitchId, std::uint8_t> passed_;    // others may have joined behind it
  IdVector<SwitchId, std::uint64_t> sources_;  // hosts behind it, for one LID
  std::vector<SwitchId> missing_;              // as of the last ripple
  std::size_t num_missing_ = 0;                // as of now
  std::uint64_t places_ = 0;                   // for turns, looked at so far
  std::vector<SwitchId> queue_;
  std::vector<SwitchId> joined_;
};

struct Attempt {
  std::vector<SwitchPair> unjoined;
  std::size_t num_routed = 0;  // destinations
};

// Of a whole attempt, what one costs that fails at once: all switches in vain for one destination, and a copy of the tables.
constexpr std::size_t kLeastWork = 4;

enum class AtFailure : std::uint8_t { kGoOn, kStop };

// Fills the tables, destination by destination. A failure: one that could not be joined to all, or was not tried for want of
// steps.
Attempt route_in_order(TurnRouter router, const std::vector<SwitchId>& destinations, AtFailure at_failure,
                       std::uint64_t* steps) {
  Attempt attempt;
  std::uint64_t before = router.steps();
  for (const SwitchId t : destinations) {
    if (steps != nullptr && *steps == 0) {
      attempt.unjoined.push_back({t, t});
      break;
    }
    for (const SwitchId s : router.route_to(t)) attempt.unjoined.push_back({s, t});
    ++attempt.num_routed;
    const std::uint64_t taken = router.steps() - std::exchange(before, router.steps());
    if (steps != nullptr) *steps -= std::min(*steps, taken);
    if (at_failure == AtFailure::kStop && !attempt.unjoined.empty()) break;
  }
  return attempt;
}

// In another random order, but with the destinations first that could not be joined.
std::vector<SwitchId> reordered(std::vector<SwitchId> destinations, const std::vector<SwitchPair>& unjoined,
                                std::size_t number) {
  const std::size_t count = destinations.size();
  IdVector<SwitchId, std::uint8_t> failed(count);
  for (const SwitchPair& pair : unjoined) failed[pair.to] = 1;
  destinations = RandomOrder(number, "destinations").front(std::move(destinations), count);
  std::stable_partition(destinations.begin(), destinations.end(), [&](SwitchId t) { return failed[t] != 0; });
  return destinations;
}

// The first attempt, then random restarts until one joins all pairs or the work of `effort` is done.
std::vector<SwitchPair> search(const RoutingProblem& problem, const RankedHubs& hubs, HostDetours host_detours,
                               const TurnEffort& effort, ForwardingTables& tables) {
  const ForwardingTables given = tables;
  const TurnRouter fresh(problem, host_detours, given);
  const auto attempt = [&](const std::vector<SwitchId>& destinations, std::size_t hub, AtFailure at_failure,
                           ForwardingTables& filled) {
    return route_in_order(fresh.near(hubs_at(hubs, hub), filled), destinations, at_failure, effort.steps);
  };
  std::vector<SwitchId> destinations;
  for (const SwitchId t : problem.fabric.switches()) destinations.push_back(t);
  const std::vector<SwitchPair> first =
      attempt(destinations, 0, effort.all_at_once ? AtFailure::kStop : AtFailure::kGoOn, tables).unjoined;
  std::vector<SwitchPair> unjoined = first;
  std::size_t left = effort.all_at_once ? 0 : (effort.attempts - 1) * destinations.size();
  for (std::size_t number = 1; left > 0 && !unjoined.empty(); ++number) {
    if (effort.steps != nullptr && *effort.steps == 0) break;
    destinations = reordered(std::move(destinations), unjoined, number);
    ForwardingTables now = given;
    Attempt restart = attempt(destinations, number % 2 == 0 ? number / 2 : 0, AtFailure::kStop, now);
    left -= std::min(left, std::max(restart.num_routed, destinations.size() / kLeastWork));
    unjoined = std::move(restart.unjoined);
    if (unjoined.empty()) tables = std::move(now);
  }
  return unjoined.empty() ? unjoined : first;
}

}  // namespace

std::vector<SwitchPair> route_by_turns(const RoutingProblem& problem, ForwardingTables& tables,
                                       const TurnEffort& effort) {
  return search(problem, hubs_by_reach(problem), HostDetours::kAsOne, effort, tables);
}

bool spread_over_turns(const RoutingProblem& problem, ForwardingTables& tables, const TurnEffort& effort) {
  ForwardingTables spread = tables;
  if (!search(problem, hubs_by_host_detours(problem), HostDetours::kSpread, effort, spread).empty()) return false;
  tables = std::move(spread);
  return true;
}

}  // namespace espalier
