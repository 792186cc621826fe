// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/reference.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/tree/cabling/wrong_links.h"

namespace espalier {
namespace {

bool is_used(const ForwardingTables& tables, SwitchId s, PortNum port) {
  const auto row = tables.row(s);
  return std::find(row.begin(), row.end(), port) != row.end();
}

}  // namespace

Reference make_reference(std::string engine, const FatTree& tree, ForwardingTables tables, std::vector<EndportId> hosts,
                         std::optional<Lanes> lanes) {
  const Fabric& fabric = tree.fabric();
  Reference reference{std::move(engine),
                      fabric,
                      IdVector<SwitchId, Level>(fabric.num_switches()),
                      IdVector<SwitchId, std::uint32_t>(fabric.num_switches()),
                      std::move(tables),
                      std::move(hosts),
                      std::move(lanes)};
  for (const SwitchId s : fabric.switches()) reference.level[s] = tree.level(s);
  std::uint32_t next = 0;
  for (const SwitchId s : tree.ascending()) reference.position[s] = next++;
  return reference;
}

FatTree tree_of(const Reference& reference) {
  const Fabric& fabric = reference.fabric;
  FatTree tree(fabric, reference.level, reference.position, {});
  std::vector<WrongLink> wrong = find_wrong_links(tree);
  std::erase_if(wrong, [&](const WrongLink& link) {
    const Peer& upper = fabric.peer(link.lower, link.port);
    return is_used(reference.tables, link.lower, link.port) || is_used(reference.tables, upper.as_switch(), upper.port);
  });
  if (wrong.empty()) return tree;
  return FatTree(fabric, reference.level, reference.position,
                 {.set_aside = without_wrong_links(tree, wrong).set_aside});
}

}  // namespace espalier
