// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fabric for parsers that need one: two switches with a host each, LIDs 1 to 4. The seeds speak of it.
#pragma once

#include <utility>

#include "core/fabric/fabric_builder.h"
#include "tests/fuzz/expect.h"

namespace espalier {

inline Fabric two_switches() {
  FabricBuilder builder;
  const auto add_pair = [&](std::uint64_t n) {
    Switch s;
    s.guid = Guid{0x100 + n};
    s.num_ports = 8;
    Endport e;
    e.node_guid = Guid{0x200 + 16 * n};
    e.port_guid = Guid{0x201 + 16 * n};
    const auto here = builder.add_switch(s);
    builder.connect(here, PortNum{1}, builder.add_endport(e));
    return here;
  };
  const auto a = add_pair(0);
  const auto b = add_pair(1);
  builder.connect(a, PortNum{8}, b, PortNum{8});
  expect(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber).has_value(), "LIDs");
  Result<Fabric> fabric = std::move(builder).build();
  expect(fabric.has_value(), "the fabric");
  return std::move(*fabric);
}

}  // namespace espalier
