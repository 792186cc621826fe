// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/packets/dragonfly_fabric.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/fabric/fabric_builder.h"
#include "core/packets/policies/policies.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"

namespace espalier::packets::test {

Fabric balanced_dragonfly(unsigned h) {
  const unsigned a = 2 * h;
  const unsigned groups = a * h + 1;
  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> routers;
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned i = 0; i < a; ++i) {
      const unsigned shuffled = (g * a + i) * 7919 % 1'000'003;  // GUIDs say nothing about groups
      routers.push_back(builder.add_switch({.guid = Guid{0x1000'0000 + shuffled},
                                            .description = fmt::format("group {} router {}", g, i),
                                            .num_ports = static_cast<std::uint8_t>(4 * h - 1)}));
    }
  const auto port = [](unsigned number) { return id_at<PortNum>(number); };
  for (unsigned r = 0; r < routers.size(); ++r)
    for (unsigned n = 0; n < h; ++n) {
      const Guid guid{0x2000'0000 + 16 * (r * h + n)};
      builder.connect(routers[r], port(1 + n),
                      builder.add_endport({.node_guid = guid, .port_guid = guid, .description = "node"}));
    }
  // Local port k of router i leads to router k, or k + 1 from i on; global channel c of a group, which is port c mod h
  // of router c / h, leads to group c, or c + 1 from its own number on.
  for (unsigned g = 0; g < groups; ++g) {
    for (unsigned i = 0; i < a; ++i)
      for (unsigned j = i + 1; j < a; ++j)
        builder.connect(routers[g * a + i], port(h + j), routers[g * a + j], port(1 + h + i));
    for (unsigned x = g + 1; x < groups; ++x)
      builder.connect(routers[g * a + (x - 1) / h], port(h + a + (x - 1) % h), routers[x * a + g / h],
                      port(h + a + g % h));
  }
  check(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber).has_value(), "LIDs");
  return *std::move(builder).build();
}

Bench::Bench(unsigned h) : Bench(balanced_dragonfly(h)) {}

Bench::Bench(Fabric of)
    : fabric(std::move(of)), network(make_network(fabric)), dragonfly(*Dragonfly::find(fabric, network)) {}

RunResult Bench::run(const std::string& policy, const std::string& traffic, double load, const Parameters& parameters,
                     const RunLength& length, std::uint64_t seed) {
  for (PortEnd& port : network.ports) {
    if (port.kind == PortClass::kLocal) port.latency = static_cast<std::uint16_t>(parameters.local_latency);
    if (port.kind == PortClass::kGlobal) port.latency = static_cast<std::uint16_t>(parameters.global_latency);
  }
  const PatternSpec spec = *parse_pattern(traffic);
  const auto pattern = *make_pattern(spec, network, &dragonfly);
  std::unique_ptr<Traffic> source;
  if (spec.burst)
    source = std::make_unique<Burst>(pattern, network.num_nodes(), *spec.burst);
  else
    source = std::make_unique<Load>(pattern, load, parameters.packet_phits);
  PolicyInputs inputs;
  inputs.network = &network;
  inputs.dragonfly = &dragonfly;
  inputs.parameters = &parameters;
  const auto chosen = *make_policy(policy, inputs);
  Simulator simulator(network, parameters, *chosen, *source, seed);
  return packets::run(simulator, length, source->total());
}

}  // namespace espalier::packets::test
