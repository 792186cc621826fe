// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/survivors/survivors.h"

#include <algorithm>
#include <utility>

#include "core/base/disjoint_sets.h"
#include "core/fabric/same_switches.h"

namespace espalier {
namespace {

void match_switches(const Fabric& reference, const Fabric& now, Survivors& found) {
  found.now = IdVector<SwitchId, SwitchId>(reference.num_switches(), kNoSwitch);
  found.before = same_switches(now, reference);
  for (const SwitchId s : now.switches()) {
    SwitchId& was = found.before[s];
    if (was == kNoSwitch) {
      found.new_switches.push_back(s);
    } else if (reference.at(was).num_ports != now.at(s).num_ports) {
      found.has_contradictions = true;
      was = kNoSwitch;
    } else {
      found.now[was] = s;
    }
  }
}

void note_rate(ChannelId c, LinkRate was, LinkRate is, Survivors& found) {
  if (is == was || is.mbps() == 0 || is.mbps() >= was.mbps()) return;
  found.slower.push_back({c, static_cast<float>(is.mbps()) / static_cast<float>(was.mbps())});
}

void match_channels(const Fabric& reference, const Fabric& now, Survivors& found) {
  found.channel = IdVector<ChannelId, std::uint8_t>(reference.num_channels());
  for (const SwitchId was : reference.switches()) {
    const SwitchId s = found.now[was];
    bool lost = false;
    for (const PortNum port : reference.ports(was)) {
      const Peer& old_peer = reference.peer(was, port);
      if (s != kNoSwitch) {
        const Peer& peer = now.peer(s, port);
        if (is_same_link(peer, old_peer, found.before)) {
          found.channel[reference.channel(was, port)] = 1;
          note_rate(reference.channel(was, port), reference.rate(was, port), now.rate(s, port), found);
          continue;
        }
        found.has_new_links = found.has_new_links || peer.is_switch();
      }
      lost = lost || old_peer.is_switch();
    }
    if (lost && s != kNoSwitch) found.losers.push_back(was);
  }
}

// Notes that the LIDs of one node are those of another now.
void match_lids(Lid was, std::uint8_t old_lmc, Lid is, std::uint8_t lmc, Survivors& found) {
  if (is == kNoLid) return;
  if (was == kNoLid || old_lmc != lmc) {
    found.has_contradictions = true;
    return;
  }
  if (was != is) found.lids_are_the_same = false;
  for (const Lid lid : lids_of(is, lmc)) found.lid_now[index(was) + (index(lid) - index(is))] = lid;
}

void match_endports(const Fabric& reference, const Fabric& now, Survivors& found) {
  std::size_t r = 0;
  const auto key = [](const Endport& e) { return std::pair(e.node_guid, e.port); };
  for (const EndportId e : now.endports()) {
    const Endport& port = now.at(e);
    while (r < reference.num_endports() && key(reference.at(id_at<EndportId>(r))) < key(port)) ++r;
    const bool known = r < reference.num_endports() && key(reference.at(id_at<EndportId>(r))) == key(port);
    const Endport& old = known ? reference.at(id_at<EndportId>(r)) : port;
    const bool same_place =
        known && (port.leaf == kNoSwitch ||
                  (old.leaf != kNoSwitch && old.leaf_port == port.leaf_port && old.leaf == found.before[port.leaf]));
    if (!same_place) {
      if (port.lid != kNoLid) found.arrived.push_back(e);
      continue;
    }
    match_lids(old.lid, old.lmc, port.lid, port.lmc, found);
  }
}

// Connected components of what is left, each named after its lowest switch.
void find_parts(const Fabric& reference, Survivors& found) {
  DisjointSets parts(reference.num_switches());
  for (const ChannelId c : IdRange<ChannelId>(reference.num_channels())) {
    if (found.channel[c] == 0) continue;
    const auto [low, high] =
        std::minmax({parts.representative(index(reference.source(c))), parts.representative(reference.peer(c).id)});
    parts.join(high, low);
  }
  found.component = IdVector<SwitchId, std::uint32_t>(reference.num_switches());
  for (const SwitchId s : reference.switches())
    found.component[s] = static_cast<std::uint32_t>(parts.representative(index(s)));
}

}  // namespace

Survivors find_survivors(const Fabric& reference, const Fabric& now) {
  Survivors found;
  found.lid_now.assign(index(reference.top_lid()) + 1, kNoLid);
  match_switches(reference, now, found);
  for (const SwitchId s : now.switches())
    if (const SwitchId was = found.before[s]; was != kNoSwitch)
      match_lids(reference.at(was).lid, reference.at(was).lmc, now.at(s).lid, now.at(s).lmc, found);
  match_endports(reference, now, found);
  match_channels(reference, now, found);
  find_parts(reference, found);
  return found;
}

}  // namespace espalier
