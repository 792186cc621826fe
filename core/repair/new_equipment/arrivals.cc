// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_equipment/arrivals.h"

#include <algorithm>
#include <map>
#include <vector>

namespace espalier {
namespace {

bool has_arrived(const Survivors& alive, EndportId e) {
  return std::binary_search(alive.arrived.begin(), alive.arrived.end(), e);
}

// LIDs at t that have paths: of the end ports that were there before, else of the switch itself.
std::vector<Lid> followed(const Survivors& alive, const Fabric& now, SwitchId t) {
  std::vector<Lid> lids;
  for (const PortNum p : now.ports(t)) {
    const Peer& peer = now.peer(t, p);
    if (!peer.is_endport() || has_arrived(alive, peer.as_endport())) continue;
    const Endport& e = now.at(peer.as_endport());
    for (const Lid lid : lids_of(e)) lids.push_back(lid);
  }
  if (lids.empty()) lids.push_back(now.at(t).lid);
  return lids;
}

// A new switch and where it hangs.
struct Hung {
  SwitchId s = kNoSwitch;
  SwitchId on = kNoSwitch;     // a known switch, or one that hangs itself
  PortNum up = kNoPort;        // toward `on`
  PortNum down = kNoPort;      // of `on`, back
  SwitchId known = kNoSwitch;  // at the root of its tree
};

// New switches, each behind the one that it hangs on; fewer than there are: the others reach no known one with a LID.
std::vector<Hung> hang(const Survivors& alive, const Fabric& now) {
  std::vector<Hung> hung;
  std::map<SwitchId, SwitchId> known_of;
  bool grows = !alive.new_switches.empty();
  while (grows) {
    grows = false;
    for (const SwitchId s : alive.new_switches) {
      if (known_of.contains(s)) continue;
      for (const PortNum p : now.ports(s)) {
        const Peer& peer = now.peer(s, p);
        if (!peer.is_switch() || peer.as_switch() == s) continue;
        const SwitchId on = peer.as_switch();
        const auto tree = known_of.find(on);
        const SwitchId known = tree != known_of.end() ? tree->second : on;
        if (alive.before[known] == kNoSwitch || now.at(known).lid == kNoLid) continue;
        hung.push_back({s, on, p, peer.port, known});
        known_of[s] = known;
        grows = true;
        break;
      }
    }
  }
  return hung;
}

}  // namespace

bool can_follow_others(const Survivors& alive, const Fabric& now) {
  if (hang(alive, now).size() != alive.new_switches.size()) return false;
  return std::all_of(alive.arrived.begin(), alive.arrived.end(), [&](EndportId e) {
    const SwitchId t = now.at(e).leaf;
    return t == kNoSwitch || now.at(t).lid != kNoLid;
  });
}

void route_new_switches(const Survivors& alive, const Fabric& now, ForwardingTables& tables) {
  const std::vector<Hung> all = hang(alive, now);
  // What each sends itself: up, whatever it is.
  for (const Hung& own : all)
    for (std::size_t lid = 1; lid <= index(now.top_lid()); ++lid)
      if (now.is_in_use(id_at<Lid>(lid))) tables.set(own.s, id_at<Lid>(lid), own.up);
  for (const Hung& own : all) {
    for (const Lid lid : lids_of(now.at(own.s))) {
      for (const SwitchId s : now.switches())
        if (alive.before[s] != kNoSwitch) tables.set(s, lid, tables.at(s, now.at(own.known).lid));
      tables.set(own.s, lid, kManagementPort);
      // Down its tree; who hangs on it is behind it in the list, so the path up is walked from here.
      const Hung* at = &own;
      for (;;) {
        tables.set(at->on, lid, at->down);
        if (at->on == own.known) break;
        at = &*std::find_if(all.begin(), all.end(), [&](const Hung& h) { return h.s == at->on; });
      }
    }
  }
}

void route_arrivals(const Survivors& alive, const Fabric& now, ForwardingTables& tables) {
  struct Follower {
    Lid own = kNoLid;
    Lid other = kNoLid;
    SwitchId at = kNoSwitch;
    PortNum port = kNoPort;
  };
  std::vector<Follower> followers;
  std::map<SwitchId, std::vector<Lid>> others;
  std::map<SwitchId, std::size_t> taken;
  for (const EndportId e : alive.arrived) {
    const Endport& host = now.at(e);
    for (const Lid lid : lids_of(host)) {
      Follower follower{lid, kNoLid, host.leaf, host.leaf_port};
      if (host.leaf != kNoSwitch) {
        const auto [found, is_new] = others.try_emplace(host.leaf);
        if (is_new) found->second = followed(alive, now, host.leaf);
        follower.other = found->second[taken[host.leaf]++ % found->second.size()];
      }
      followers.push_back(follower);
    }
  }
  for (const SwitchId s : now.switches())
    for (const Follower& follower : followers)
      tables.set(s, follower.own,
                 follower.other == kNoLid ? kNoPort
                 : s == follower.at       ? follower.port
                                          : tables.at(s, follower.other));
}

}  // namespace espalier
