// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/capacities.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

// The most frequent one; the faster one wins a tie.
LinkRate usual_host_rate(const Fabric& fabric) {
  std::map<std::uint32_t, std::pair<std::size_t, LinkRate>> seen;  // by Mbit/s
  for (const EndportId e : fabric.endports()) {
    const Endport& host = fabric.at(e);
    if (!is_host(host)) continue;
    const LinkRate rate = fabric.rate(host.leaf, host.leaf_port);
    if (rate.mbps() == 0) continue;
    auto& [count, found] = seen[rate.mbps()];
    ++count;
    found = rate;
  }
  const auto most = std::max_element(seen.begin(), seen.end(),
                                     [](const auto& a, const auto& b) { return a.second.first <= b.second.first; });
  return most == seen.end() ? LinkRate{} : most->second.second;
}

}  // namespace

Capacities::Capacities(const Fabric& fabric)
    : host_rate_(usual_host_rate(fabric)), capacity_(fabric.num_channels(), 1.0F) {
  const std::uint32_t measure = host_rate_.mbps();
  if (measure == 0) return;
  for (const ChannelId c : capacity_.ids()) {
    const SwitchId s = fabric.source(c);
    const std::uint32_t mbps = fabric.rate(s, fabric.port(c)).mbps();
    if (mbps == 0) continue;
    capacity_[c] = static_cast<float>(mbps) / static_cast<float>(measure);
    all_are_one_ = all_are_one_ && (mbps == measure || !fabric.peer(c).is_switch());
  }
}

}  // namespace espalier
