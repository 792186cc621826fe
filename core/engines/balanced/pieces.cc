// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/pieces.h"

#include <algorithm>

namespace espalier {

Pieces::Pieces(const HostColumns& columns, const NodeOrder& order, std::span<const HostRun> sources,
               const NodeTypes& types)
    : stays_(order.hosts.size()) {
  num_switches_ = columns.column(0).size();
  used_.resize(sources.size() * num_switches_);
  for (std::size_t a = 0; a < sources.size(); ++a)
    for (std::uint32_t host = sources[a].first; host < sources[a].last; ++host) {
      const auto column = columns.column(host);
      for (std::size_t s = 0; s < num_switches_; ++s)
        if (column[s] != kNoHop) used_[a * num_switches_ + s][column[s] / 64U] |= std::uint64_t{1} << column[s] % 64U;
    }
  std::vector<std::size_t> count(types.types.size());
  for (const EndportId e : order.hosts) ++count[index(types.of_endport[e])];
  for (std::size_t i = 0; i < stays_.size(); ++i)
    stays_[i] = count[index(types.of_endport[order.hosts[i]])] * 4 < order.hosts.size() ? 1 : 0;
}

bool tells_types_apart(const NodeOrder& order, const NodeTypes& types) {
  if (types.of_endport.empty() || order.hosts.empty()) return false;
  const NodeTypeId first = types.of_endport[order.hosts.front()];
  return std::any_of(order.hosts.begin(), order.hosts.end(), [&](EndportId e) { return types.of_endport[e] != first; });
}

}  // namespace espalier
