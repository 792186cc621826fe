// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/fors.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/detours/subtree_plan.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/dmodc.h"
#include "core/schedule/exchanges/pending_flows.h"
#include "core/schedule/exchanges/ring_schedule.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "core/schedule/trees/exchange_bound.h"
#include "core/schedule/trees/pod_exchange.h"

namespace espalier {
namespace {

// Where complete_tables() lets packets for leaves turn upward again, if that is at one switch.
SwitchId detour_hub(const RoutingProblem& problem, const HostTree& host_tree, SwitchId away_from) {
  const std::uint32_t component = problem.tree.component(host_tree.leaves.front());
  for (std::size_t a = 0; a < host_tree.leaves.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (host_tree.shape.common_spines(a, b) == 0) {
        const SubtreePlan plan = plan_subtrees(problem, component, away_from);
        return plan.subtrees.empty() ? kNoSwitch : plan.subtrees.front().root;
      }
  return kNoSwitch;
}

// Over two levels or three. Errors: the fabric is neither, or its LMC too small.
Result<RoutedExchange> route_any_exchange(const RoutingProblem& problem, const std::vector<EndportId>& servers,
                                          const ExchangeOptions& options, const SwitchPathOptions& switch_paths) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  const std::vector<Demand>* const traffic = options.collective == Collective::kTraffic ? &options.traffic : nullptr;
  const Result<HostTree> host_tree = two_level_tree(tree, servers);
  if (!host_tree) {
    if (traffic != nullptr) return tl::unexpected(host_tree.error());
    const Result<PodTree> pods = three_level_tree(tree, servers);
    return pods ? route_pod_exchange(fabric, *pods) : tl::unexpected(host_tree.error());
  }
  const EndportId manager = fabric.find_endport(switch_paths.subnet_manager);
  const SwitchId away_from = manager == kNoEndport ? kNoSwitch : fabric.at(manager).leaf;
  const SwitchId hub =
      switch_paths.how == SwitchPaths::kSubtree ? detour_hub(problem, *host_tree, away_from) : kNoSwitch;
  return route_exchange(fabric, *host_tree, options.mode, hub, traffic);
}

Result<Routing> route_by_exchange(const RoutingProblem& problem, RoutedExchange exchange,
                                  const SwitchPathOptions& switch_paths) {
  Routing routing;
  routing.tables = closed_form(problem);
  for (const TableEntry& entry : exchange.entries) routing.tables.set(entry.where, entry.lid, entry.port);
  // Every pair with an up-down path is routed, and the schedule's flows take the spines that it names.
  ESPALIER_TRY(auto warnings, complete_tables(problem, switch_paths, routing.tables));
  routing.warnings = std::move(warnings);
  for (const TableEntry& entry : exchange.detour_entries) routing.tables.set(entry.where, entry.lid, entry.port);
  // Every pair of each connected component is routed; no channel depends on itself: detours turn where all such pairs
  // do.
  if (!exchange.left_over.empty()) {
    ESPALIER_TRY_STATUS(fit_flows(problem.fabric, routing.tables, exchange.left_over, exchange.schedule));
  }
  routing.schedule = std::make_shared<const Schedule>(std::move(exchange.schedule));
  return routing;
}

Status fit_exchange(const RoutingProblem& problem, std::vector<EndportId> servers, const ForwardingTables& tables,
                    Schedule& schedule) {
  std::sort(servers.begin(), servers.end(),
            [&](EndportId a, EndportId b) { return problem.order.of_endport[a] < problem.order.of_endport[b]; });
  const std::vector<std::uint32_t> order = number_by_guid(problem.fabric, servers, schedule);
  std::vector<std::uint32_t> component(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i)
    component[order[i]] = problem.tree.component(problem.fabric.at(servers[i]).leaf);
  schedule.bound = exchange_bound(problem.tree, servers);
  return fit_shifts(problem.fabric, tables, order, component, schedule);
}

Status fit_traffic(const RoutingProblem& problem, const std::vector<EndportId>& servers, const ForwardingTables& tables,
                   const std::vector<Demand>& traffic, Schedule& schedule) {
  (void)number_by_guid(problem.fabric, servers, schedule);
  const std::vector<PendingFlow> flows = pending_flows(problem.tree, schedule, traffic);
  schedule.bound = most_messages(flows, servers.size());
  return fit_flows(problem.fabric, tables, flows, schedule);
}

// For fabrics that no construction covers: dmodc's tables, and whatever phases they allow.
Result<Routing> route_by_paths(const RoutingProblem& problem, const std::vector<EndportId>& servers,
                               std::string_view why, const ExchangeOptions& options,
                               const SwitchPathOptions& switch_paths) {
  Result<Routing> routing = Dmodc({switch_paths, {}}).route(problem.tree);
  if (!routing) return routing;
  if (servers.size() > options.most_servers_by_paths) {
    routing->warnings.push_back(fmt::format("no schedule for {}: {}", counted(servers.size(), "server"), why));
    return routing;
  }
  Schedule schedule;
  schedule.lmc = common_lmc(problem.fabric, servers);
  ESPALIER_TRY_STATUS(options.collective == Collective::kTraffic
                          ? fit_traffic(problem, servers, routing->tables, options.traffic, schedule)
                          : fit_exchange(problem, servers, routing->tables, schedule));
  if (schedule.phases > schedule.bound)
    routing->warnings.push_back(fmt::format("the schedule follows dmodc's routes, which takes {} of at least {}: {}",
                                            counted(schedule.phases, "phase"), schedule.bound, why));
  routing->schedule = std::make_shared<const Schedule>(std::move(schedule));
  return routing;
}

// AllGather: a ring along the leaves, over dmodc's tables.
Result<Routing> route_by_ring(const FatTree& tree, const std::vector<EndportId>& servers,
                              const SwitchPathOptions& switch_paths) {
  Result<Routing> routing = Dmodc({switch_paths, {}}).route(tree);
  if (!routing) return routing;
  ESPALIER_TRY(Schedule schedule,
               ring_schedule(tree.fabric(), routing->tables, place_servers(tree.fabric(), servers).servers));
  routing->schedule = std::make_shared<const Schedule>(std::move(schedule));
  return routing;
}

// By the construction; mode auto goes by paths where there is none, or where its tables do not come about.
Result<Routing> route_by_construction(const RoutingProblem& problem, const std::vector<EndportId>& servers,
                                      const ExchangeOptions& options, const SwitchPathOptions& switch_paths) {
  Result<RoutedExchange> exchange = route_any_exchange(problem, servers, options, switch_paths);
  if (!exchange) {
    if (options.mode != WantedMode::kAuto) return tl::unexpected(exchange.error());
    return route_by_paths(problem, servers, exchange.error().text(), options, switch_paths);
  }
  Result<Routing> routing = route_by_exchange(problem, *std::move(exchange), switch_paths);
  return routing ? std::move(routing) : route_by_paths(problem, servers, routing.error().text(), options, switch_paths);
}

// A second schedule takes as long as the first, and so near to the bound it can win a hundredth at most.
bool is_near_bound(const Schedule& schedule) {
  return schedule.phases <= schedule.bound + std::max(schedule.bound / 100, 1U);
}

// Over three levels neither way is always the shorter: shifts over dmodc's routes miss the bound where its planes are
// not aligned between pods, the construction where middle switches have more leaves than tops, since it divides the
// links of leaves first. So the likelier one is made, and the other as well if the first is not near the bound.
Result<Routing> route_by_shorter(const RoutingProblem& problem, const std::vector<EndportId>& servers,
                                 const PodTree& pods, const ExchangeOptions& options,
                                 const SwitchPathOptions& switch_paths) {
  const bool narrow = pod_bound(pods) > phase_bound(pods.below.shape).phases();
  const auto make = [&](bool by_paths) {
    return by_paths ? route_by_paths(problem, servers, "its pods have fewer links upward than their leaves have",
                                     options, switch_paths)
                    : route_by_construction(problem, servers, options, switch_paths);
  };
  Result<Routing> first = make(narrow);
  if (!first || !first->schedule || is_near_bound(*first->schedule)) return first;
  Result<Routing> second = make(!narrow);
  return second && second->schedule && second->schedule->phases < first->schedule->phases ? second : first;
}

}  // namespace

Result<Routing> Fors::route(const FatTree& tree) const {
  ESPALIER_TRY(std::vector<EndportId> servers,
               options_.participants.empty() ? all_servers(tree)
                                             : find_servers(tree, options_.participants, options_.participants_file));
  if (servers.empty()) return Dmodc({switch_paths_, {}}).route(tree);
  if (options_.collective == Collective::kAllGather) return route_by_ring(tree, servers, switch_paths_);
  const RoutingProblem problem(tree);
  const bool may_compare = options_.mode == WantedMode::kAuto && options_.collective == Collective::kAllToAll &&
                           servers.size() <= options_.most_servers_by_paths;
  if (may_compare && !two_level_tree(tree, servers))
    if (const Result<PodTree> pods = three_level_tree(tree, servers))
      return route_by_shorter(problem, servers, *pods, options_, switch_paths_);
  return route_by_construction(problem, servers, options_, switch_paths_);
}

}  // namespace espalier
