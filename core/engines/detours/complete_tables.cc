// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/complete_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/byte_block.h"
#include "core/base/try.h"
#include "core/engines/detours/detour_rows.h"
#include "core/engines/detours/subtree_plan.h"

namespace espalier {
namespace {

// What spreading traffic of hosts may cost, beside the attempts to join all if it fails.
constexpr std::size_t kMostSpreadAttempts = 4;

// Switches without an up-down path from s: in most rows there are none, or few, or whole stretches of them.
template <class Body>
void for_each_unreached(const RoutingProblem& problem, SwitchId s, const Body& body) {
  const Hops* const cost = problem.costs.cost_row(s).data();
  const std::size_t count = problem.fabric.num_switches();
  for (std::size_t first = 0; first < count; first += ByteBlock::kSize)  // rows are padded to whole blocks
    equal(ByteBlock::load(cost + first), ByteBlock(kUnreachable)).for_each_set([&](std::size_t i) {
      if (first + i < count) body(id_at<SwitchId>(first + i));
    });
}

// Per component: whether it has two switches that no up-down path joins. Tops come first, which are the likeliest.
std::vector<std::uint8_t> find_unreached(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::vector<std::uint8_t> found(tree.num_components());
  const auto ascending = tree.ascending();
  for (auto s = ascending.rbegin(); s != ascending.rend(); ++s) {
    std::uint8_t& own = found[tree.component(*s)];
    if (own != 0) continue;
    for_each_unreached(problem, *s, [&](SwitchId t) {
      if (tree.component(t) == tree.component(*s)) own = 1;
    });
  }
  return found;
}

// Per component: ordered pairs of switches that no up-down path joins.
std::vector<std::uint64_t> count_unreached(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::vector<std::uint64_t> unreached(tree.num_components());
  for (const SwitchId s : problem.fabric.switches())
    for_each_unreached(problem, s, [&](SwitchId t) {
      unreached[tree.component(s)] += tree.component(t) == tree.component(s) ? 1 : 0;
    });
  return unreached;
}

// REQUIRES: the component has such a pair.
SwitchPair first_unreached(const RoutingProblem& problem, std::uint32_t component) {
  SwitchPair first;
  for (const SwitchId s : problem.fabric.switches()) {
    if (problem.tree.component(s) != component || first.from != kNoSwitch) continue;
    for_each_unreached(problem, s, [&](SwitchId t) {
      if (problem.tree.component(t) == component) first = {s, t};
    });
  }
  return first;
}

// The switch that the subnet manager hangs on; kNoSwitch when it is unknown.
SwitchId leaf_of(const Fabric& fabric, Guid port) {
  if (port == kNoGuid) return kNoSwitch;
  const EndportId e = fabric.find_endport(port);
  return e == kNoEndport ? fabric.find_switch(port) : fabric.at(e).leaf;
}

// The only switches of which entries that are there may change.
std::vector<SwitchId> selective_switches(const std::vector<SubtreePlan>& plans) {
  std::vector<SwitchId> all;
  for (const SubtreePlan& plan : plans)
    for (const Subtree& subtree : plan.subtrees)
      all.insert(all.end(), subtree.selective.begin(), subtree.selective.end());
  return all;
}

// Whether one of `changed` no longer reaches a host by the channel by which it did.
bool moves_hosts(const RoutingProblem& problem, const std::vector<SwitchId>& changed, const ForwardingTables& before,
                 const ForwardingTables& now) {
  for (const SwitchId s : changed)
    for (const EndportId e : problem.order.hosts) {
      const Lid lid = problem.fabric.at(e).lid;
      if (lid != kNoLid && before.at(s, lid) != kNoPort && before.at(s, lid) != now.at(s, lid)) return true;
    }
  return false;
}

// The same, where hosts' routes shall stay: by turns if subtrees move some and turns join all pairs as well. Traffic
// between switches is worth next to nothing.
void fill_detours_for_hosts(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans,
                            ForwardingTables& tables) {
  const std::vector<SwitchId> changed = selective_switches(plans);
  if (changed.empty()) return fill_detours(problem, plans, tables);
  ForwardingTables by_turns = tables;
  fill_detours(problem, plans, tables);
  if (moves_hosts(problem, changed, by_turns, tables) && route_by_turns(problem, by_turns).empty())
    tables = std::move(by_turns);
}

// By subtrees where each component that needs some has them, else by turns: those of hosts spread, if all pairs can be
// joined then.
Completion join(const RoutingProblem& problem, const std::vector<std::uint8_t>& has_unreached,
                const SwitchPathOptions& options, const TurnEffort& effort, ForwardingTables& tables) {
  const SwitchId manager = leaf_of(problem.fabric, options.subnet_manager);
  std::vector<SubtreePlan> plans(problem.tree.num_components());
  for (std::uint32_t component = 0; component < plans.size(); ++component) {
    if (has_unreached[component] == 0) continue;
    plans[component] = plan_subtrees(problem, component, manager);
    if (!plans[component].subtrees.empty()) continue;
    if (effort.attempts == 0) return {{}, {first_unreached(problem, component)}};
    TurnEffort to_spread = effort;
    to_spread.attempts = std::min(effort.attempts, kMostSpreadAttempts);
    if (count_unreached_hosts(problem) > 0 && spread_over_turns(problem, tables, to_spread)) return {};
    return {{fmt::format("no single subtree connects the {} ordered pairs of switches without an up-down path: their "
                         "paths turn at several places, without closing a credit loop",
                         count_unreached(problem)[component])},
            route_by_turns(problem, tables, effort)};
  }
  // Every component that needs them has its subtrees, and their turns close no cycle.
  if (options.host_routes == SwitchPathOptions::HostRoutes::kStay)
    fill_detours_for_hosts(problem, plans, tables);
  else
    fill_detours(problem, plans, tables);
  return {};
}

}  // namespace

Result<Completion> complete(const RoutingProblem& problem, const SwitchPathOptions& options, ForwardingTables& tables,
                            const TurnEffort& effort) {
  const std::vector<std::uint8_t> has_unreached = find_unreached(problem);
  if (std::ranges::count(has_unreached, 0) == std::ssize(has_unreached)) return Completion{};
  if (options.how == SwitchPaths::kSubtree) return join(problem, has_unreached, options, effort, tables);
  const std::vector<std::uint64_t> unreached = count_unreached(problem);
  const std::uint64_t total = std::accumulate(unreached.begin(), unreached.end(), std::uint64_t{0});
  if (options.how == SwitchPaths::kUpDown)
    return fail(fmt::format("{} ordered pairs of switches have no up-down path", total));
  return Completion{{fmt::format("{} ordered pairs of switches have no up-down path and no route", total)}, {}};
}

Result<std::vector<std::string>> complete_tables(const RoutingProblem& problem, const SwitchPathOptions& options,
                                                 ForwardingTables& tables) {
  ESPALIER_TRY(Completion done, complete(problem, options, tables));
  if (!done.unjoined.empty())
    return fail(fmt::format("no deadlock-free path from {} to {} could be added",
                            problem.fabric.label(done.unjoined.front().from),
                            problem.fabric.label(done.unjoined.front().to)));
  return std::move(done.warnings);
}

std::uint64_t count_unreached_hosts(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::uint64_t pairs = 0;
  for (const SwitchId s : tree.fabric().switches()) {
    if (tree.hosts(s).empty()) continue;
    for_each_unreached(problem, s, [&](SwitchId t) {
      if (tree.component(s) == tree.component(t)) pairs += tree.hosts(s).size() * tree.hosts(t).size();
    });
  }
  return pairs;
}

}  // namespace espalier
