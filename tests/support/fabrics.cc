// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/fabrics.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>

#include "tests/support/drawing.h"

namespace espalier::test {

Fabric two_level_tree() {
  return draw(
      "L0:2 L1:2 L2:2 ;"
      "L0-S0 L0-S1  L1-S0 L1-S1  L2-S0 L2-S1");
}

Fabric three_level_tree() {
  return draw(
      "L0:2 L1:2 L2:2 L3:2 ;"
      "L0-M0 L0-M1  L1-M0 L1-M1  L2-M2 L2-M3  L3-M2 L3-M3 ;"
      "M0-T0 M0-T1  M1-T2 M1-T3  M2-T0 M2-T1  M3-T2 M3-T3");
}

Fabric leaf_to_leaf_link() { return draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1 ; L0-L1"); }

Fabric host_on_spine() { return draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1 ; S0:1"); }

Fabric aggregation_nodes() { return draw("L0:2 L1:2 ; L0-S0 L0-S1 L1-S0 L1-S1 ; L0:an L1:an S0:an S1:an"); }

Fabric hosts_at_two_depths() { return draw("L0:2 L1:2 L2:2 ; L0-S0 L0-S1 L1-S0 L1-S1 ; S0-T0 S1-T0 L2-T0"); }

Fabric missing_parallel_link() { return draw("L0:4 L1:4 ; L0-S0 L0-S0 L0-S1 L0-S1 ; L1-S0 L1-S0 L1-S1"); }

Fabric pair_without_up_down_path() { return draw("L0:2 L1:2 L2:2 ; L0-S0 L1-S0 L1-S1 L2-S1"); }

Fabric two_subnets() { return draw("L0:1 L1:1 L2:1 L3:1 ; L0-S0 L1-S0 ; L2-S1 L3-S1"); }

Fabric single_switch() { return draw("L0:3"); }

Fabric ring_of_five() { return draw("R0:1 R1:1 R2:1 R3:1 R4:1 ; R0-R1 R1-R2 R2-R3 R3-R4 R4-R0"); }

Fabric dual_port_adapter() { return draw("L0:1 L1:1 L0=L1 ; L0-S0 L0-S1 L1-S0 L1-S1"); }

Fabric with_router() { return draw("L0:2 L1:2 L1:router ; L0-S0 L0-S1 L1-S0 L1-S1"); }

Fabric loose_ends() { return draw("L0:2 L1 L2:2 -:1 ; L0-S0 L0-S1 L1-S0 L1-S1"); }

std::vector<NamedFabric> all_drawn_fabrics() {
  return {{"two_level_tree", two_level_tree()},
          {"three_level_tree", three_level_tree()},
          {"leaf_to_leaf_link", leaf_to_leaf_link()},
          {"host_on_spine", host_on_spine()},
          {"aggregation_nodes", aggregation_nodes()},
          {"hosts_at_two_depths", hosts_at_two_depths()},
          {"missing_parallel_link", missing_parallel_link()},
          {"pair_without_up_down_path", pair_without_up_down_path()},
          {"two_subnets", two_subnets()},
          {"single_switch", single_switch()},
          {"ring_of_five", ring_of_five()},
          {"dual_port_adapter", dual_port_adapter()},
          {"with_router", with_router()},
          {"loose_ends", loose_ends()}};
}

const Generator& generator(std::string_view kind) {
  const auto found = std::ranges::find(generators(), kind, &Generator::name);
  if (found == generators().end()) throw std::invalid_argument("there is no generator " + std::string(kind));
  return *found;
}

Fabric generated(std::string_view kind, std::string_view spec, std::uint8_t lmc, std::uint64_t seed) {
  TopologySpec parsed = generator(kind).parse(spec).value();
  if (auto* const network = std::get_if<DirectNetworkSpec>(&parsed)) network->seed = seed;
  Fabric fabric = generate(parsed).value();
  return lmc == 0 ? fabric : with_lmc(fabric, lmc);
}

Fabric pgft(std::string_view spec, std::uint8_t lmc) { return generated("pgft", spec, lmc); }

}  // namespace espalier::test
