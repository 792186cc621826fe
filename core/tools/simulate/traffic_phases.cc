// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/traffic_phases.h"

#include <fmt/format.h>

#include "core/tools/command.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

using PatternKind = TrafficPattern::Kind;
using FlowPhases = std::vector<std::vector<Flow>>;

std::uint32_t id(std::size_t rank) { return static_cast<std::uint32_t>(rank); }

std::vector<Flow> flows_of(const std::vector<std::uint32_t>& destinations) {
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < destinations.size(); ++i)
    if (destinations[i] != i) flows.push_back({id(i), destinations[i]});
  return flows;
}

// From one node to all others, its successor first: as streams, all nodes' together are shifts.
std::vector<Flow> scatter(std::size_t num_nodes, std::size_t from) {
  std::vector<Flow> flows;
  for (std::size_t k = 1; k < num_nodes; ++k) flows.push_back({id(from), id((from + k) % num_nodes)});
  return flows;
}

FlowPhases all_to_all(std::size_t num_nodes) {
  FlowPhases phases(1);
  for (std::size_t from = 0; from < num_nodes; ++from) {
    const std::vector<Flow> flows = scatter(num_nodes, from);
    phases[0].insert(phases[0].end(), flows.begin(), flows.end());
  }
  return phases;
}

FlowPhases type_phases(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to) {
  FlowPhases phases;
  for (std::size_t k = 0; k < to.size(); ++k) {
    phases.push_back(type_phase(from, to, k));
    std::erase_if(phases.back(), [](const Flow& flow) { return flow.source == flow.destination; });
  }
  return phases;
}

}  // namespace

std::vector<std::vector<Flow>> traffic_phases(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                              const NodeTypes& types, std::size_t num_nodes,
                                              const TrafficPattern& pattern, std::uint64_t seed) {
  FlowPhases phases;
  switch (pattern.kind) {
    case PatternKind::kShifts:
    case PatternKind::kRandomPermutations:
    case PatternKind::kBisections:
    case PatternKind::kTwoWayBisections:
    case PatternKind::kRings:
      for (std::size_t k = 0; k < num_permutations(num_nodes, pattern); ++k)
        phases.push_back(flows_of(permutation(num_nodes, pattern, seed, id(k))));
      return phases;
    case PatternKind::kTwoWayRings:
      for (std::uint32_t k = 0; k < pattern.parameter; ++k)
        phases.push_back(two_way_ring(random_permutation(num_nodes, seed, k)));
      return phases;
    case PatternKind::kAllToAll:
      return all_to_all(num_nodes);
    case PatternKind::kScatter:
    case PatternKind::kGather:
      for (std::size_t node = 0; node < num_nodes; ++node) {
        phases.push_back(scatter(num_nodes, node));
        if (pattern.kind == PatternKind::kGather) phases.back() = reversed(std::move(phases.back()));
      }
      return phases;
    case PatternKind::kTypePhases:
      return type_phases(ranks_named(fabric, hosts, types, pattern.from),
                         ranks_named(fabric, hosts, types, pattern.to));
    case PatternKind::kMatrix:
      phases.push_back(flows_in_file(fabric, hosts, pattern.from));
      return phases;
    case PatternKind::kAdversarialGlobal:
    case PatternKind::kAdversarialLocal:
    case PatternKind::kAdversarialMixed:
      throw Refused{{fmt::format("{} is a pattern of rates, not of phases of flows", pattern.text()),
                     {},
                     0,
                     "use espalier analyze"}};
  }
  return phases;
}

}  // namespace espalier::tools
