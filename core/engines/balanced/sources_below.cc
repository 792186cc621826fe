// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/sources_below.h"

#include <map>

namespace espalier {

SourcesBelow::SourcesBelow(const RoutingProblem& problem, std::span<const HostRun> sources)
    : set_(problem.fabric.num_switches()), first_(1) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> below;
  for (const SwitchId s : problem.fabric.switches()) {
    below.clear();
    std::uint32_t hosts = 0;
    for (std::uint32_t a = 0; a < sources.size(); ++a) {
      if (problem.costs.down_cost(s, sources[a].at) == kUnreachable) continue;
      below.push_back(a);
      hosts += sources[a].size();
    }
    const auto [it, is_new] = known.try_emplace(below, static_cast<std::uint32_t>(known.size()));
    set_[s] = it->second;
    if (!is_new) continue;
    sources_.insert(sources_.end(), below.begin(), below.end());
    first_.push_back(static_cast<std::uint32_t>(sources_.size()));
    num_hosts_.push_back(hosts);
  }
}

}  // namespace espalier
