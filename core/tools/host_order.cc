// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/host_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/io/guid_file.h"
#include "core/tools/command.h"
#include "core/tree/costs.h"
#include "core/tree/node_order.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

// The hosts in the order of a file of port GUIDs. Each has to be in the fabric, once.
std::vector<EndportId> hosts_of_file(const Fabric& fabric, const std::string& path) {
  std::unordered_map<std::uint64_t, EndportId> by_guid;
  for (const EndportId e : fabric.endports()) by_guid.emplace(index(fabric.at(e).port_guid), e);
  std::vector<EndportId> hosts;
  std::set<Guid> seen;
  for (const GuidLine& line : value_or_refuse(read_guid_lines(load_text(path), path))) {
    const auto it = by_guid.find(index(line.guid));
    const bool twice = !seen.insert(line.guid).second;
    if (it == by_guid.end() || twice)
      throw Refused{{fmt::format("port GUID 0x{:016x} {}", index(line.guid),
                                 twice ? "stands here for the second time" : "is no end port of the fabric"),
                     path,
                     line.line,
                     {}}};
    hosts.push_back(it->second);
  }
  return hosts;
}

}  // namespace

std::vector<EndportId> ordered_hosts(const Fabric& fabric, const std::string& order) {
  if (order != "topological" && order != "lid") return hosts_of_file(fabric, order);
  const FatTree tree = value_or_refuse(rank(fabric));
  if (order == "topological") return topological_order(tree, UpDownCosts(tree)).hosts;
  std::vector<EndportId> hosts;
  for (const SwitchId s : fabric.switches()) hosts.insert(hosts.end(), tree.hosts(s).begin(), tree.hosts(s).end());
  std::sort(hosts.begin(), hosts.end(), [&](EndportId a, EndportId b) { return fabric.at(a).lid < fabric.at(b).lid; });
  return hosts;
}

}  // namespace espalier::tools
