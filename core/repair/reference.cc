// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference.h"

#include <utility>

namespace espalier {

Reference make_reference(std::string engine, const FatTree& tree, ForwardingTables tables) {
  const Fabric& fabric = tree.fabric();
  Reference reference{std::move(engine), fabric, IdVector<SwitchId, Level>(fabric.num_switches()),
                      IdVector<SwitchId, std::uint32_t>(fabric.num_switches()), std::move(tables)};
  for (const SwitchId s : fabric.switches()) reference.level[s] = tree.level(s);
  std::uint32_t next = 0;
  for (const SwitchId s : tree.ascending()) reference.position[s] = next++;
  return reference;
}

FatTree tree_of(const Reference& reference) {
  return FatTree(reference.fabric, reference.level, reference.position, {});
}

}  // namespace espalier
