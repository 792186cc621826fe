// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/path_risk.h"

#include <algorithm>
#include <map>
#include <set>

namespace espalier {

std::uint32_t congestion_risk(std::span<const FlowPath> flows) {
  struct Ends {
    std::set<std::uint32_t> sources;
    std::set<std::uint32_t> destinations;
  };
  std::map<ChannelId, Ends> ends;
  for (const FlowPath& flow : flows)
    for (const ChannelId c : flow.channels) {
      ends[c].sources.insert(flow.source);
      ends[c].destinations.insert(flow.destination);
    }
  std::size_t mu = 0;
  for (const auto& [channel, of] : ends) mu = std::max(mu, std::min(of.sources.size(), of.destinations.size()));
  return static_cast<std::uint32_t>(mu);
}

}  // namespace espalier
