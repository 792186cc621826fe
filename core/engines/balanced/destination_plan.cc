// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/destination_plan.h"

#include <algorithm>
#include <numeric>

#include "core/base/disjoint_sets.h"

namespace espalier {

DestinationPlan::DestinationPlan(const RoutingProblem& problem, const TreeChannels& channels, const SourcesBelow& below,
                                 std::span<const HostRun> sources, const Pieces& allowed)
    : tree_(problem.tree),
      costs_(problem.costs),
      channels_(channels),
      below_(below),
      sources_(sources),
      allowed_(allowed),
      first_of_pod_(1),
      pod_of_source_(sources.size()) {}

void DestinationPlan::set_destination(SwitchId t, std::uint32_t source) {
  destination_ = t;
  destination_source_ = source;
  ancestors_.clear();
  inside_.clear();
  candidates_.clear();
  const auto ascending = tree_.ascending();
  for (const SwitchId s : ascending)
    if (s != t && costs_.down_cost(s, t) != kUnreachable)
      ancestors_.push_back(decision(s, tree_.down_groups(s), channels_.num_up(s)));
  ancestors_have_a_choice_ =
      std::any_of(ancestors_.begin(), ancestors_.end(), [](const Decision& d) { return d.num_candidates > 1; });
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    if (costs_.down_cost(*it, t) == kUnreachable && costs_.cost(*it, t) != kUnreachable &&
        below_.num_hosts(below_.set(*it)) > 0)
      inside_.push_back(decision(*it, tree_.up_groups(*it), 0));
  number_pods();
}

DestinationPlan::Decision DestinationPlan::decision(SwitchId s, std::span<const PortGroup> groups,
                                                    std::size_t first_number) {
  Decision d{s, kNoPod, static_cast<std::uint32_t>(candidates_.size()), 0};
  std::size_t number = first_number;
  for (const PortGroup& g : groups) {
    const bool closer = costs_.leads_closer(s, g.remote, destination_);
    for (std::size_t i = 0; i < g.num_ports; ++i, ++number)
      if (closer && allowed_.has(s, destination_source_, number))
        candidates_.push_back({static_cast<std::uint8_t>(number), channels_.at(s, number), g.remote});
  }
  d.num_candidates = static_cast<std::uint32_t>(candidates_.size()) - d.first_candidate;
  return d;
}

// Joins switches of inside_ that share one above, and sorts them by pods.
void DestinationPlan::number_pods() {
  IdVector<SwitchId, std::uint32_t> place(tree_.fabric().num_switches(), kNoPod);  // in inside_
  for (std::uint32_t i = 0; i < inside_.size(); ++i) place[inside_[i].at] = i;
  DisjointSets pods(inside_.size());
  for (std::uint32_t i = 0; i < inside_.size(); ++i)
    for (const Candidate& c : candidates(inside_[i]))
      if (place[c.remote] != kNoPod) pods.join(i, place[c.remote]);
  const std::vector<std::uint32_t> number = pods.numbers();
  std::uint32_t num_pods = 0;
  for (std::uint32_t i = 0; i < inside_.size(); ++i) {
    inside_[i].pod = number[i];
    num_pods = std::max(num_pods, number[i] + 1);
  }
  for (std::size_t a = 0; a < sources_.size(); ++a)
    pod_of_source_[a] = place[sources_[a].at] == kNoPod ? kNoPod : number[place[sources_[a].at]];
  std::stable_sort(inside_.begin(), inside_.end(), [](const Decision& a, const Decision& b) { return a.pod < b.pod; });
  first_of_pod_.assign(num_pods + 1, 0);
  for (const Decision& d : inside_) ++first_of_pod_[d.pod + 1];
  std::partial_sum(first_of_pod_.begin(), first_of_pod_.end(), first_of_pod_.begin());
}

}  // namespace espalier
