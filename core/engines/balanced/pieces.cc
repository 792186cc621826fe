// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/pieces.h"

#include <algorithm>

namespace espalier {
namespace {

bool have_a_parent_in_common(const FatTree& tree, SwitchId a, SwitchId b) {
  for (const PortGroup& of_a : tree.up_groups(a))
    for (const PortGroup& of_b : tree.up_groups(b))
      if (of_a.remote == of_b.remote) return true;
  return false;
}

}  // namespace

Pieces::Pieces(const HostColumns& columns, const RoutingProblem& problem, std::span<const HostRun> sources,
               const NodeTypes& types)
    : stays_(problem.order.hosts.size()) {
  const NodeOrder& order = problem.order;
  num_switches_ = columns.column(0).size();
  used_.resize(sources.size() * num_switches_);
  for (std::size_t a = 0; a < sources.size(); ++a)
    for (std::uint32_t host = sources[a].first; host < sources[a].last; ++host) {
      const auto column = columns.column(host);
      for (std::size_t s = 0; s < num_switches_; ++s)
        if (column[s] != kNoHop) used_[a * num_switches_ + s][column[s] / 64U] |= std::uint64_t{1} << column[s] % 64U;
    }
  join_neighbors(problem.tree, sources);
  const IdVector<NodeTypeId, std::uint8_t> is_small = small_types(types, order.hosts);
  for (std::size_t i = 0; i < stays_.size(); ++i) stays_[i] = is_small[types.of_endport[order.hosts[i]]];
}

// Leaves of a pod in pairs: each gets the piece of the other one as well.
void Pieces::join_neighbors(const FatTree& tree, std::span<const HostRun> sources) {
  for (std::size_t a = 0; a + 1 < sources.size(); ++a) {
    if (!have_a_parent_in_common(tree, sources[a].at, sources[a + 1].at)) continue;
    for (std::size_t s = 0; s < num_switches_; ++s)
      for (std::size_t word = 0; word < used_[0].size(); ++word) {
        std::uint64_t& own = used_[a * num_switches_ + s][word];
        std::uint64_t& next = used_[(a + 1) * num_switches_ + s][word];
        own = next = own | next;
      }
    ++a;
  }
}

bool tells_types_apart(const NodeOrder& order, const NodeTypes& types) {
  if (types.of_endport.empty() || order.hosts.empty()) return false;
  const NodeTypeId first = types.of_endport[order.hosts.front()];
  return std::any_of(order.hosts.begin(), order.hosts.end(), [&](EndportId e) { return types.of_endport[e] != first; });
}

}  // namespace espalier
