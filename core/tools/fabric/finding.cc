// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/fabric/finding.h"

#include <fmt/format.h>

namespace espalier::tools {
namespace {

bool is_only_one(const Fabric& fabric, SwitchId s) {
  for (const SwitchId other : fabric.switches())
    if (other != s && fabric.at(other).description == fabric.at(s).description) return false;
  return true;
}

std::string switch_name(const Fabric& fabric, SwitchId s) {
  const Switch& node = fabric.at(s);
  return node.description.empty() || !is_only_one(fabric, s) ? fmt::format("0x{:016x}", index(node.guid))
                                                             : node.description;
}

std::string name_of(const Fabric& fabric, const SwitchPort& port) { return port_name(fabric, port.at, port.port); }

std::string sentence(const Fabric& fabric, const CablingFinding& finding) {
  const std::string at = name_of(fabric, finding.at);
  switch (finding.kind) {
    case CablingFinding::Kind::kWrongLink:
      return fmt::format("{} is cabled to {}, but the pattern of its neighbors says it belongs to {}", at,
                         name_of(fabric, *finding.found), name_of(fabric, *finding.expected));
    case CablingFinding::Kind::kMissingLink:
      return fmt::format("a link from {} to {} is missing; similar switches have one", at,
                         name_of(fabric, *finding.expected));
    case CablingFinding::Kind::kUnexpectedLink:
      return fmt::format("{} is cabled to {}, one link more than similar switches have", at,
                         name_of(fabric, *finding.found));
  }
  return at;
}

}  // namespace

std::string port_name(const Fabric& fabric, SwitchId s, PortNum port) {
  const std::string node = switch_name(fabric, s);
  return port == kNoPort ? node : fmt::format("{}/{}", node, index(port));
}

std::string peer_name(const Fabric& fabric, const Peer& peer) {
  if (peer.is_switch()) return port_name(fabric, peer.as_switch(), peer.port);
  if (!peer.is_endport()) return "nothing";
  const Endport& endport = fabric.at(peer.as_endport());
  return endport.description.empty() ? fmt::format("0x{:016x}", index(endport.port_guid))
                                     : fmt::format("{}/{}", endport.description, index(endport.port));
}

std::vector<Finding> describe(const Fabric& fabric, const std::vector<CablingFinding>& findings) {
  std::vector<Finding> all;
  for (const CablingFinding& finding : findings)
    all.push_back({std::string(name(finding.kind)), name_of(fabric, finding.at),
                   finding.expected ? name_of(fabric, *finding.expected) : "", sentence(fabric, finding)});
  return all;
}

}  // namespace espalier::tools
