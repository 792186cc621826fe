// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/arrivals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace espalier {
namespace {

bool has_arrived(const Survivors& alive, EndportId e) {
  return std::binary_search(alive.arrived.begin(), alive.arrived.end(), e);
}

// LIDs at t that have ways: of the end ports that were there before, else of the switch itself.
std::vector<Lid> followed(const Survivors& alive, const Fabric& now, SwitchId t) {
  std::vector<Lid> lids;
  for (std::size_t p = 1; p <= now.at(t).num_ports; ++p) {
    const Peer& peer = now.peer(t, id_at<PortNum>(p));
    if (!peer.is_endport() || has_arrived(alive, peer.as_endport())) continue;
    const Endport& e = now.at(peer.as_endport());
    for (std::size_t k = 0; e.lid != kNoLid && k < std::size_t{1} << e.lmc; ++k)
      lids.push_back(id_at<Lid>(index(e.lid) + k));
  }
  if (lids.empty()) lids.push_back(now.at(t).lid);
  return lids;
}

}  // namespace

bool can_follow_others(const Survivors& alive, const Fabric& now) {
  return std::all_of(alive.arrived.begin(), alive.arrived.end(), [&](EndportId e) {
    const SwitchId t = now.at(e).leaf;
    return t == kNoSwitch || now.at(t).lid != kNoLid;
  });
}

void route_arrivals(const Survivors& alive, const Fabric& now, ForwardingTables& tables) {
  struct Way {
    Lid own = kNoLid;
    Lid other = kNoLid;
    SwitchId at = kNoSwitch;
    PortNum port = kNoPort;
  };
  std::vector<Way> ways;
  std::map<SwitchId, std::vector<Lid>> others;
  std::map<SwitchId, std::size_t> taken;
  for (const EndportId e : alive.arrived) {
    const Endport& host = now.at(e);
    for (std::size_t k = 0; k < std::size_t{1} << host.lmc; ++k) {
      Way way{id_at<Lid>(index(host.lid) + k), kNoLid, host.leaf, host.leaf_port};
      if (host.leaf != kNoSwitch) {
        const auto [found, is_new] = others.try_emplace(host.leaf);
        if (is_new) found->second = followed(alive, now, host.leaf);
        way.other = found->second[taken[host.leaf]++ % found->second.size()];
      }
      ways.push_back(way);
    }
  }
  for (const SwitchId s : now.switches())
    for (const Way& way : ways)
      tables.set(s, way.own, way.other == kNoLid ? kNoPort : s == way.at ? way.port : tables.at(s, way.other));
}

}  // namespace espalier
