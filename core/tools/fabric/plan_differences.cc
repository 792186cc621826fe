// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric/switch_roles.h"
#include "core/tools/fabric/finding.h"

namespace espalier::tools {
namespace {

// The nodes of a plan in the fabric, and the other way round.
struct Match {
  IdVector<SwitchId, SwitchId> switch_of_plan;  // plan -> fabric; kNoSwitch: not there
  IdVector<SwitchId, SwitchId> switch_of_fabric;
  IdVector<EndportId, EndportId> endport_of_plan;
  IdVector<EndportId, EndportId> endport_of_fabric;
};

// Key of a node -> its id, for keys that only one node has.
template <class Id, class Key, class KeyOf>
std::map<Key, Id> unique_keys(IdRange<Id> ids, KeyOf key_of) {
  std::map<Key, Id> found;
  std::map<Key, std::size_t> count;
  for (const Id id : ids) {
    found.emplace(key_of(id), id);
    ++count[key_of(id)];
  }
  std::erase_if(found, [&](const auto& item) { return count[item.first] > 1; });
  return found;
}

template <class Key, class Id, class KeyOfPlan, class KeyOfFabric>
void match_by(IdRange<Id> plan, IdRange<Id> fabric, KeyOfPlan key_of_plan, KeyOfFabric key_of_fabric,
              IdVector<Id, Id>& of_plan, IdVector<Id, Id>& of_fabric) {
  const std::map<Key, Id> by_key = unique_keys<Id, Key>(fabric, key_of_fabric);
  for (const auto& [key, id] : unique_keys<Id, Key>(plan, key_of_plan))
    if (const auto it = by_key.find(key); it != by_key.end()) {
      of_plan[id] = it->second;
      of_fabric[it->second] = id;
    }
}

bool has_guids_of(const Fabric& fabric, const Fabric& plan) {
  std::size_t found = 0;
  for (const SwitchId s : plan.switches()) found += fabric.find_switch(plan.at(s).guid) != kNoSwitch;
  return found * 2 >= plan.num_switches();
}

Match match(const Fabric& fabric, const Fabric& plan) {
  Match all{IdVector<SwitchId, SwitchId>(plan.num_switches(), kNoSwitch),
            IdVector<SwitchId, SwitchId>(fabric.num_switches(), kNoSwitch),
            IdVector<EndportId, EndportId>(plan.num_endports(), kNoEndport),
            IdVector<EndportId, EndportId>(fabric.num_endports(), kNoEndport)};
  const auto guid = [](const Fabric& f) { return [&f](SwitchId s) { return f.at(s).guid; }; };
  const auto port_guid = [](const Fabric& f) { return [&f](EndportId e) { return f.at(e).port_guid; }; };
  const auto switch_name = [](const Fabric& f) { return [&f](SwitchId s) { return f.at(s).description; }; };
  const auto port_name = [](const Fabric& f) {
    return [&f](EndportId e) { return std::pair(f.at(e).description, index(f.at(e).port)); };
  };
  if (has_guids_of(fabric, plan)) {
    match_by<Guid>(plan.switches(), fabric.switches(), guid(plan), guid(fabric), all.switch_of_plan,
                   all.switch_of_fabric);
    match_by<Guid>(plan.endports(), fabric.endports(), port_guid(plan), port_guid(fabric), all.endport_of_plan,
                   all.endport_of_fabric);
  } else {
    match_by<std::string>(plan.switches(), fabric.switches(), switch_name(plan), switch_name(fabric),
                          all.switch_of_plan, all.switch_of_fabric);
    using Name = std::pair<std::string, std::uint8_t>;
    match_by<Name>(plan.endports(), fabric.endports(), port_name(plan), port_name(fabric), all.endport_of_plan,
                   all.endport_of_fabric);
  }
  return all;
}

// The far end that the plan has for a port, in terms of the fabric; nullopt: a node that the fabric lacks.
std::optional<Peer> planned_peer(const Match& match, const Peer& planned) {
  Peer peer = planned;
  if (planned.is_switch()) {
    if (match.switch_of_plan[planned.as_switch()] == kNoSwitch) return std::nullopt;
    peer.id = static_cast<std::uint32_t>(index(match.switch_of_plan[planned.as_switch()]));
  }
  if (planned.is_endport()) {
    if (match.endport_of_plan[planned.as_endport()] == kNoEndport) return std::nullopt;
    peer.id = static_cast<std::uint32_t>(index(match.endport_of_plan[planned.as_endport()]));
  }
  return peer;
}

Peer peer_at(const Fabric& fabric, SwitchId s, PortNum port) {
  return index(port) <= fabric.at(s).num_ports ? fabric.peer(s, port) : Peer{};
}

// The cables of the fabric, by the channel that link_of() names, that a finding tells of.
using Told = IdVector<ChannelId, char>;

// `expected`: what the plan has at this port, in words.
Finding wrong_end(const Fabric& fabric, SwitchId s, PortNum port, const std::string& expected, Told& told) {
  const std::string at = port_name(fabric, s, port);
  const Peer found = peer_at(fabric, s, port);
  if (found.kind == Peer::Kind::kNone)
    return {"missing link", at, expected,
            fmt::format("{} has no cable; according to the plan it goes to {}", at, expected)};
  told[link_of(fabric, s, port)] = 1;
  if (expected.empty())
    return {"unexpected link", at, "",
            fmt::format("{} is cabled to {}; according to the plan it has no cable", at, peer_name(fabric, found))};
  return {
      "wrong link", at, expected,
      fmt::format("{} is cabled to {}; according to the plan it goes to {}", at, peer_name(fabric, found), expected)};
}

// A cable between two switches is looked at from the end that comes first in the plan, unless only the other end is
// there.
bool is_other_end(const Match& match, SwitchId s, const Peer& planned) {
  return planned.is_switch() && planned.as_switch() < s && match.switch_of_plan[planned.as_switch()] != kNoSwitch;
}

// The cables of the plan, at the ports where they should be.
void compare_planned_cables(const Fabric& fabric, const Fabric& plan, const Match& nodes, Told& told,
                            std::vector<Finding>& findings) {
  for (const SwitchId planned : plan.switches()) {
    const SwitchId s = nodes.switch_of_plan[planned];
    if (s == kNoSwitch) continue;
    for (const PortNum port : plan.ports(planned)) {
      const Peer& peer = plan.peer(planned, port);
      if (peer.kind == Peer::Kind::kNone || is_other_end(nodes, planned, peer)) continue;
      const auto expected = planned_peer(nodes, peer);
      if (expected && peer_at(fabric, s, port) != *expected)
        findings.push_back(wrong_end(fabric, s, port, peer_name(fabric, *expected), told));
    }
  }
}

// The cables of the fabric that the plan does not have and that no finding tells of yet.
void compare_found_cables(const Fabric& fabric, const Fabric& plan, const Match& nodes, Told& told,
                          std::vector<Finding>& findings) {
  for (const SwitchId s : fabric.switches()) {
    const SwitchId planned = nodes.switch_of_fabric[s];
    if (planned == kNoSwitch) continue;
    for (const PortNum port : fabric.ports(s)) {
      if (fabric.peer(s, port).kind == Peer::Kind::kNone || told[link_of(fabric, s, port)]) continue;
      const Peer peer = peer_at(plan, planned, port);
      const auto expected = planned_peer(nodes, peer);
      if (expected && fabric.peer(s, port) == *expected) continue;
      const std::string words = peer.kind == Peer::Kind::kNone ? "" : peer_name(plan, peer);
      findings.push_back(wrong_end(fabric, s, port, words, told));
    }
  }
}

}  // namespace

std::vector<Finding> differences_to_plan(const Fabric& fabric, const Fabric& plan) {
  const Match nodes = match(fabric, plan);
  std::vector<Finding> findings;
  for (const SwitchId s : plan.switches())
    if (nodes.switch_of_plan[s] == kNoSwitch)
      findings.push_back({"missing switch", plan.label(s), "", plan.label(s) + " of the plan is not in the fabric"});
  for (const SwitchId s : fabric.switches())
    if (nodes.switch_of_fabric[s] == kNoSwitch)
      findings.push_back({"unexpected switch", fabric.label(s), "", fabric.label(s) + " is not in the plan"});
  for (const EndportId e : plan.endports())
    if (nodes.endport_of_plan[e] == kNoEndport)
      findings.push_back({"missing host", plan.label(e), "", plan.label(e) + " of the plan is not in the fabric"});
  for (const EndportId e : fabric.endports())
    if (nodes.endport_of_fabric[e] == kNoEndport)
      findings.push_back({"unexpected host", fabric.label(e), "", fabric.label(e) + " is not in the plan"});

  Told told(fabric.num_channels());
  compare_planned_cables(fabric, plan, nodes, told, findings);
  compare_found_cables(fabric, plan, nodes, told, findings);
  return findings;
}

}  // namespace espalier::tools
