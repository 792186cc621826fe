// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/grouped_order.h"

#include <algorithm>

#include "core/base/check.h"

namespace espalier {
namespace {

// The leaves of the hosts, numbered 0, 1, ... in the order of their hosts' ids.
struct LeafNumbers {
  LeafNumbers(const Fabric& fabric, const std::vector<EndportId>& hosts) : of_switch(fabric.num_switches()) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const SwitchId leaf = fabric.at(hosts[i]).leaf;
      if (i == 0 || leaf != fabric.at(hosts[i - 1]).leaf) of_switch[leaf] = count++;
    }
  }
  IdVector<SwitchId, std::uint32_t> of_switch;
  std::uint32_t count = 0;
};

}  // namespace

NodeOrder grouped_order(const Fabric& fabric, const NodeOrder& order, const NodeTypes& types) {
  if (types.of_endport.empty()) return order;
  check(types.of_endport.size() == fabric.num_endports(), "grouped_order: one type per end port");
  IdVector<NodeTypeId, std::vector<EndportId>> members(types.types.size());
  for (const EndportId e : order.hosts) members[types.of_endport[e]].push_back(e);

  const LeafNumbers leaves(fabric, order.hosts);
  NodeOrder grouped = order;
  grouped.hosts.clear();
  std::uint32_t next = 0;
  for (const std::vector<EndportId>& of_type : members) {
    std::vector<std::uint32_t> on_leaf(leaves.count);
    for (const EndportId e : of_type) ++on_leaf[leaves.of_switch[fabric.at(e).leaf]];
    const std::uint32_t fullest = on_leaf.empty() ? 0 : *std::max_element(on_leaf.begin(), on_leaf.end());
    const bool with_gaps = of_type.size() * 4 >= std::size_t{3} * leaves.count * fullest;

    std::size_t member = 0;
    for (const std::uint32_t count : on_leaf) {
      for (std::uint32_t i = 0; i < count; ++i) grouped.of_endport[of_type[member++]] = next + i;
      next += with_gaps ? fullest : count;
    }
    grouped.hosts.insert(grouped.hosts.end(), of_type.begin(), of_type.end());
  }
  return grouped;
}

}  // namespace espalier
