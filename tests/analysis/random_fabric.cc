// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/analysis/random_fabric.h"

#include "core/fabric/fabric_builder.h"
#include "tests/analysis/fill_tables.h"

namespace espalier::test {

Fabric random_fabric(Random& random) {
  FabricBuilder builder;
  const std::size_t num_switches = 1 + below(random, 7);
  const std::size_t num_endports = below(random, 7);
  constexpr std::size_t kPorts = 6;
  std::vector<FabricBuilder::SwitchHandle> switches;
  std::vector<std::size_t> next_port(num_switches, 1);
  std::size_t next_lid = 1 + below(random, 3);
  const auto take_lids = [&](std::uint8_t lmc) {
    const std::size_t step = std::size_t{1} << lmc;
    const std::size_t lid = (next_lid + step - 1) / step * step;
    next_lid = lid + step + (below(random, 4) == 0 ? 3 : 0);
    return id_at<Lid>(lid);
  };
  for (std::size_t i = 0; i < num_switches; ++i) {
    Switch s;
    s.guid = Guid{0x100 + i};
    s.description = "switch " + std::to_string(i);
    s.num_ports = kPorts;
    s.lmc = static_cast<std::uint8_t>(below(random, 8) == 0 ? 1 : 0);
    s.lid = take_lids(s.lmc);
    if (below(random, 40) == 0) s.lft_capacity = 10;
    switches.push_back(builder.add_switch(std::move(s)));
  }
  for (std::size_t i = 0; i < num_endports; ++i) {
    Endport e;
    e.node_guid = Guid{0x1000 + i};
    e.port_guid = Guid{0x2000 + i};
    e.description = "host " + std::to_string(i);
    e.lmc = static_cast<std::uint8_t>(below(random, 3));
    e.lid = take_lids(e.lmc);
    const auto handle = builder.add_endport(std::move(e));
    const std::size_t s = below(random, num_switches);
    if (below(random, 8) != 0 && next_port[s] <= kPorts)
      builder.connect(switches[s], id_at<PortNum>(next_port[s]++), handle);
  }
  const std::size_t num_links = below(random, 2 * num_switches + 1);
  for (std::size_t i = 0; i < num_links; ++i) {
    const std::size_t a = below(random, num_switches);
    const std::size_t b = below(random, num_switches);
    if (a == b && (below(random, 4) != 0 || next_port[a] + 1 > kPorts)) continue;
    if (next_port[a] > kPorts || next_port[b] > kPorts) continue;
    const PortNum a_port = id_at<PortNum>(next_port[a]++);
    const PortNum b_port = id_at<PortNum>(next_port[b]++);
    builder.connect(switches[a], a_port, switches[b], b_port);
  }
  return std::move(builder).build().value();
}

ForwardingTables random_tables(const Fabric& fabric, Random& random) {
  const auto any_port = [&] { return below(random, 12) == 0 ? kNoPort : id_at<PortNum>(below(random, 8)); };
  const auto any_lid = [&](const ForwardingTables& tables) { return id_at<Lid>(below(random, tables.width())); };
  if (below(random, 5) == 0) {  // nonsense
    const std::size_t top = index(fabric.top_lid()) + below(random, 3);
    ForwardingTables tables(fabric.num_switches(), id_at<Lid>(top > 1 ? top - 1 : top));
    for (const SwitchId s : fabric.switches())
      for (PortNum& entry : tables.row(s)) entry = any_port();
    return tables;
  }
  ForwardingTables tables = below(random, 2) == 0 ? route_tree(fabric) : route_shortest(fabric, below(random, 4));
  for (std::size_t i = below(random, 4); i > 0; --i)
    tables.set(id_at<SwitchId>(below(random, fabric.num_switches())), any_lid(tables), any_port());
  return tables;
}

}  // namespace espalier::test
