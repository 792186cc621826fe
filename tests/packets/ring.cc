// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/packets/ring.h"

#include <vector>

#include "core/base/check.h"
#include "core/fabric/fabric_builder.h"

namespace espalier::packets::test {

Fabric ring_of_four() {
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> ring;
  for (unsigned i = 0; i < 4; ++i) {
    ring.push_back(builder.add_switch({.guid = Guid{0x100 + i}, .description = "switch", .num_ports = 3}));
    const Guid guid{0x200 + i};
    builder.connect(ring[i], PortNum{1},
                    builder.add_endport({.node_guid = guid, .port_guid = guid, .description = "node"}));
  }
  for (unsigned i = 0; i < 4; ++i) builder.connect(ring[i], PortNum{2}, ring[(i + 1) % 4], PortNum{3});
  check(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber).has_value(), "LIDs");
  return *std::move(builder).build();
}

Ring::Ring()
    : fabric(ring_of_four()),
      network(make_network(fabric)),
      clockwise(tables(Direction::kClockwise)),
      back(tables(Direction::kBack)) {
  inputs.network = &network;
  inputs.parameters = &parameters;
  inputs.tables = &clockwise;
  for (Node n = 0; n < network.num_nodes(); ++n) inputs.lids.push_back(fabric.at(network.endport[n]).lid);
}

ForwardingTables Ring::tables(Direction direction) const {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (Node n = 0; n < network.num_nodes(); ++n)
    for (const SwitchId s : fabric.switches()) {
      const PortNum onward = direction == Direction::kClockwise ? PortNum{2} : PortNum{3};
      tables.set(s, fabric.at(network.endport[n]).lid, index(s) == network.router_of(n) ? PortNum{1} : onward);
    }
  return tables;
}

}  // namespace espalier::packets::test
