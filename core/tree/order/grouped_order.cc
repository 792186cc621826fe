// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/grouped_order.h"

#include "core/tree/order/type_places.h"

namespace espalier {

NodeOrder grouped_order(const Fabric& fabric, const NodeOrder& order, const NodeTypes& types) {
  if (types.of_endport.empty()) return order;
  const TypePlaces places(fabric, order, types);
  NodeOrder grouped = order;
  grouped.hosts.clear();
  std::uint32_t next = 0;
  for (std::uint32_t type = 0; type < places.num_types; ++type)
    for (const TypePlaces::Leaf& leaf : places.leaves)
      for (const TypePlaces::Place& place : leaf.places) {
        if (place.type != type) continue;
        if (place.host != kNoEndport) {
          grouped.of_endport[place.host] = next;
          grouped.hosts.push_back(place.host);
        }
        ++next;
      }
  return grouped;
}

}  // namespace espalier
