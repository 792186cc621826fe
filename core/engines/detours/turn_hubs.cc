// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/turn_hubs.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace espalier {
namespace {

template <class Key>
RankedHubs ranked_by(const RoutingProblem& problem, const Key& key) {
  const FatTree& tree = problem.tree;
  std::vector<std::vector<std::pair<decltype(key(SwitchId{})), SwitchId>>> keyed(tree.num_components());
  for (const SwitchId s : tree.fabric().switches()) keyed[tree.component(s)].emplace_back(key(s), s);
  RankedHubs ranked;
  for (auto& of_component : keyed) {
    std::ranges::sort(of_component);
    auto& hubs = ranked.emplace_back();
    for (const auto& candidate : of_component) hubs.push_back(candidate.second);
  }
  return ranked;
}

std::size_t count_unreached(const RoutingProblem& problem, SwitchId s) {
  const auto row = problem.costs.cost_row(s);
  return static_cast<std::size_t>(std::count(row.begin(), row.end(), kUnreachable));
}

// Flows of hosts to those of one leaf that need a detour.
struct DetouredLeaf {
  SwitchId leaf = kNoSwitch;
  double flows = 0;
};

std::vector<DetouredLeaf> detoured_leaves(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::vector<DetouredLeaf> detoured;
  for (const SwitchId t : tree.fabric().switches()) {
    if (tree.hosts(t).empty()) continue;
    std::size_t sources = 0;
    for (const SwitchId s : tree.fabric().switches())
      if (problem.costs.cost(s, t) == kUnreachable && tree.component(s) == tree.component(t))
        sources += tree.hosts(s).size();
    if (sources > 0) detoured.push_back({t, static_cast<double>(sources * tree.hosts(t).size())});
  }
  return detoured;
}

// Flows on the fullest link upward, which by symmetry is also the fullest one downward.
double fullest_link(const RoutingProblem& problem, const std::vector<DetouredLeaf>& detoured, SwitchId hub) {
  const auto ups = problem.tree.up_groups(hub);
  std::vector<double> flows(ups.size(), 0);
  for (const DetouredLeaf& to : detoured) {
    if (problem.tree.component(to.leaf) != problem.tree.component(hub) || to.leaf == hub) continue;
    const auto leads = [&](const PortGroup& up) { return problem.costs.cost(up.remote, to.leaf) != kUnreachable; };
    double links = 0;
    for (const PortGroup& up : ups)
      if (leads(up)) links += static_cast<double>(problem.tree.ports(up).size());
    if (links == 0) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ups.size(); ++i)
      if (leads(ups[i])) flows[i] += to.flows / links;
  }
  return flows.empty() ? std::numeric_limits<double>::infinity() : *std::ranges::max_element(flows);
}

}  // namespace

RankedHubs hubs_by_reach(const RoutingProblem& problem) {
  return ranked_by(problem, [&](SwitchId s) { return count_unreached(problem, s); });
}

RankedHubs hubs_by_host_detours(const RoutingProblem& problem) {
  const std::vector<DetouredLeaf> detoured = detoured_leaves(problem);
  return ranked_by(problem, [&](SwitchId s) {
    return std::tuple(!problem.tree.down_groups(s).empty(), fullest_link(problem, detoured, s),
                      count_unreached(problem, s));
  });
}

std::vector<SwitchId> hubs_at(const RankedHubs& ranked, std::size_t rank) {
  std::vector<SwitchId> hubs;
  for (const auto& of_component : ranked) hubs.push_back(of_component[rank % of_component.size()]);
  return hubs;
}

}  // namespace espalier
