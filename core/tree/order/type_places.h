// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The hosts of each leaf, type by type, with empty places where a host of a regular type is missing: what the orders by
// type (grouped_order.h, interleaved_order.h) number. An empty place keeps the numbers of all that stand behind it, so
// that a reboot renumbers only the hosts of the same type and leaf.
//
// A leaf gets at most as many empty places as it has hosts less than the fullest one. A type is regular when it fills
// at least three quarters of (leaves with hosts) x (most of it on one leaf). Others get no empty places: on scattered
// hosts these would bring back what balancing by type removes.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/order/node_order.h"
#include "core/tree/order/node_types.h"

namespace espalier {

struct TypePlaces {
  struct Place {
    EndportId host = kNoEndport;  // kNoEndport: empty
    std::uint32_t type = 0;       // index of the NodeTypeId
    std::uint32_t weight = 1;
  };
  struct Leaf {
    SwitchId id = kNoSwitch;
    std::uint32_t first_id = 0;  // all leaves take as many ids as the fullest
    std::vector<Place> places;   // by type, then in topological order
  };

  // REQUIRES: `order` is a topological_order() on `fabric`; `types` has one entry per end port of it, or is empty.
  TypePlaces(const Fabric& fabric, const NodeOrder& order, const NodeTypes& types);

  std::vector<Leaf> leaves;  // in topological order
  std::size_t num_types = 1;
};

}  // namespace espalier
