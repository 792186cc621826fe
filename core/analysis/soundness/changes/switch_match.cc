// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/changes/switch_match.h"

namespace espalier {
namespace {

// Whether every link of now was there, with the same at its end.
bool has_no_new_link(const Fabric& then, const Fabric& now, const SwitchMatch& match) {
  for (const SwitchId s : now.switches())
    for (const PortNum p : now.ports(s)) {
      const Peer& before = then.peer(match.before[s], p);
      const Peer& after = now.peer(s, p);
      if (after.kind == Peer::Kind::kNone) continue;
      if (before.kind != after.kind || before.port != after.port) return false;
      if (after.is_switch() && before.as_switch() != match.before[after.as_switch()]) return false;
      if (after.is_endport()) {
        const Endport& one = then.at(before.as_endport());
        const Endport& other = now.at(after.as_endport());
        if (one.port_guid != other.port_guid || one.lid != other.lid || one.lmc != other.lmc) return false;
      }
    }
  return true;
}

// Whether every LID of now was that of somebody, who is where he was or has lost his link.
bool has_no_new_lid(const Fabric& then, const Fabric& now, const SwitchMatch& match) {
  if (now.top_lid() > then.top_lid()) return false;
  for (std::size_t lid = 0; lid <= index(now.top_lid()); ++lid) {
    const SwitchId t = now.destination_switch(id_at<Lid>(lid));
    if (t != kNoSwitch && match.before[t] != then.destination_switch(id_at<Lid>(lid))) return false;
    if (now.is_in_use(id_at<Lid>(lid)) && !then.is_in_use(id_at<Lid>(lid)))
      return false;  // what its entries depended on is in no count
  }
  return true;
}

}  // namespace

std::optional<SwitchMatch> match_by_guid(const Fabric& then, const Fabric& now) {
  SwitchMatch match{.now = IdVector<SwitchId, SwitchId>(then.num_switches(), kNoSwitch),
                    .before = IdVector<SwitchId, SwitchId>(now.num_switches(), kNoSwitch)};
  auto s = now.switches().begin();  // both are in the order of GUIDs
  for (const SwitchId before : then.switches()) {
    if (s == now.switches().end()) break;
    const Switch& was = then.at(before);
    const Switch& is = now.at(*s);
    if (was.guid != is.guid) continue;
    if (was.lid != is.lid || was.lmc != is.lmc || was.num_ports != is.num_ports || was.lft_capacity != is.lft_capacity)
      return std::nullopt;
    match.now[before] = *s;
    match.before[*s] = before;
    ++s;
  }
  if (s != now.switches().end()) return std::nullopt;
  return match;
}

bool has_only_losses(const Fabric& then, const Fabric& now, const SwitchMatch& match) {
  return has_no_new_link(then, now, match) && has_no_new_lid(then, now, match);
}

}  // namespace espalier
