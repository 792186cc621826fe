// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/demotion.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/modulo/closed_form.h"
#include "core/tree/demote.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

constexpr int kMostRounds = 4;

// Switches without hosts, as few as the greedy rule finds, of which each pair contains one. A pair between two switches
// with hosts contains none and is passed over.
std::vector<SwitchId> cover(const FatTree& tree, std::vector<SwitchPair> pairs) {
  const auto may_be_demoted = [&](SwitchId s) { return tree.hosts(s).empty(); };
  std::erase_if(pairs, [&](const SwitchPair& p) { return !may_be_demoted(p.from) && !may_be_demoted(p.to); });
  std::vector<SwitchId> chosen;
  while (!pairs.empty()) {
    IdVector<SwitchId, std::uint32_t> in_pairs(tree.fabric().num_switches());
    for (const auto& [from, to] : pairs)
      for (const SwitchId s : {from, to}) in_pairs[s] += may_be_demoted(s) ? 1 : 0;
    const auto most = std::max_element(in_pairs.begin(), in_pairs.end());
    chosen.push_back(id_at<SwitchId>(static_cast<std::size_t>(most - in_pairs.begin())));
    std::erase_if(pairs, [&](const SwitchPair& p) { return p.from == chosen.back() || p.to == chosen.back(); });
  }
  return chosen;
}

// Whether the closed form might choose this neighbor: one step closer, and downward wherever t is below s.
bool is_choice(const RoutingProblem& problem, SwitchId s, SwitchId neighbor, SwitchId t) {
  if (!problem.costs.leads_closer(s, neighbor, t)) return false;
  const auto groups = groups_toward(problem.tree, problem.costs, s, t);
  return std::any_of(groups.begin(), groups.end(), [&](const PortGroup& g) { return g.remote == neighbor; });
}

// The closed form, but with the entries of `before` wherever they lead closer.
ForwardingTables rerouted(const RoutingProblem& problem, const ForwardingTables& before) {
  const Fabric& fabric = problem.fabric;
  ForwardingTables tables = closed_form(problem);
  std::vector<SwitchId> goal(tables.width(), kNoSwitch);
  for (std::size_t lid = 1; lid < goal.size() && lid <= index(fabric.top_lid()); ++lid)
    goal[lid] = fabric.destination_switch(id_at<Lid>(lid));
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    for (std::size_t number = 1; number < goal.size(); ++number) {
      const Lid lid = id_at<Lid>(number);
      const PortNum port = before.at(s, lid);
      if (goal[number] == kNoSwitch || port == kNoPort || port == kManagementPort || tables.at(s, lid) == kNoPort)
        continue;
      const Peer& peer = fabric.peer(s, port);
      if (peer.is_switch() && is_choice(problem, s, peer.as_switch(), goal[number])) tables.set(s, lid, port);
    }
  });
  return tables;
}

}  // namespace

std::optional<Demoted> demote_and_complete(const RoutingProblem& problem, const ForwardingTables& tables,
                                           std::vector<SwitchPair> unjoined, SwitchPathOptions options,
                                           const TurnEffort& effort) {
  options.host_routes = SwitchPathOptions::HostRoutes::kMayMove;  // those through demoted switches have to
  Demoted result;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<SwitchId> more = cover(problem.tree, std::move(unjoined));
    const std::size_t before = result.switches.size();
    for (const SwitchId s : more)
      if (std::find(result.switches.begin(), result.switches.end(), s) == result.switches.end())
        result.switches.push_back(s);
    if (result.switches.size() == before) return std::nullopt;
    const FatTree demoted = demote(problem.tree, result.switches);
    const RoutingProblem on_demoted(demoted, problem.order);
    result.tables = rerouted(on_demoted, tables);
    Result<Completion> done = complete(on_demoted, options, result.tables, effort);
    if (!done) return std::nullopt;
    result.warnings = std::move(done->warnings);
    unjoined = std::move(done->unjoined);
    if (unjoined.empty()) return result;
    if (effort.steps != nullptr && *effort.steps == 0) return std::nullopt;  // these are not all
  }
  return std::nullopt;
}

}  // namespace espalier
