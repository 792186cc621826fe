// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/numbered_names.h"

namespace espalier {
namespace {

constexpr std::size_t kMostChanged = 10;  // one in so many

}  // namespace

std::size_t NumberedNames::learn(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::size_t changed = 0;
  std::size_t hosts = 0;
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s)) {
      const auto [it, is_new] =
          names_.try_emplace({fabric.at(s).guid, fabric.at(e).leaf_port}, fabric.at(e).description);
      changed += it->second == fabric.at(e).description ? 0 : 1;
      ++hosts;
    }
  if (changed * kMostChanged <= hosts) return 0;
  names_.clear();
  for (const SwitchId s : fabric.switches())
    for (const EndportId e : tree.hosts(s))
      names_.try_emplace({fabric.at(s).guid, fabric.at(e).leaf_port}, fabric.at(e).description);
  return changed;
}

EndportNames NumberedNames::names(const Fabric& fabric) const {
  EndportNames names;
  for (const EndportId e : fabric.endports()) {
    const Endport& port = fabric.at(e);
    const auto known = port.leaf == kNoSwitch ? names_.end() : names_.find({fabric.at(port.leaf).guid, port.leaf_port});
    names.push_back(known == names_.end() ? port.description : known->second);
  }
  return names;
}

}  // namespace espalier
