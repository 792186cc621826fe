// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Routers for evaluation only. Their choice depends on where a packet comes from, which an InfiniBand table cannot
// express: they give the path of one pair of hosts, for tests/support/path_risk.h to judge.
//
// All take shortest up-down paths and differ in how they choose among the links that lead closer.
//
//   by_number       the closed form with any number in place of t_d (closed_form.h). The destination's topological id
//                   gives Dmodk on PGFTs, the source's id Smodk; ids grouped by type (tree/order/grouped_order.h) give
//                   Gdmodk and Gsmodk (Gliksberg 2022, 1.4.2, 1.4.3, 3.4).
//   by_input_port   upward the link whose index is that of the port by which the packet came in, among the ports
//                   downward; downward the closed form with the destination's id. On Leiserson trees this is annex 1,
//                   Algorithm 13; in general it is 1.4.3's formula for Smodk. That formula is not what 3.3.2 calls
//                   Smodk: there leaves and higher switches take the modulo of the source's id, as by_number does.
//                   tests/golden/node_type_phases_test.cc shows both.
//   at_random       RandSP (1.4.4) with an independent draw for each pair at each switch.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/engines/routing_problem.h"

namespace espalier {

class HostPairRouter {
 public:
  using Path = std::vector<ChannelId>;  // switch-to-switch channels in order; empty within one leaf

  // REQUIRES: `tree` outlives the router.
  explicit HostPairRouter(const FatTree& tree);

  [[nodiscard]] const NodeOrder& order() const { return problem_.order; }

  // REQUIRES of all: both hosts hang on switches that an up-down path joins.
  [[nodiscard]] Path by_number(EndportId source, EndportId destination, std::uint32_t number) const;
  [[nodiscard]] Path by_input_port(EndportId source, EndportId destination) const;
  [[nodiscard]] Path at_random(EndportId source, EndportId destination, std::uint64_t seed) const;

 private:
  struct Here {
    SwitchId s;
    PortNum in;                            // the port by which the packet came in
    const std::vector<PortGroup>& closer;  // groups that lead one hop closer, never empty
    bool down;                             // whether they lead downward
  };
  [[nodiscard]] Path walk(EndportId source, EndportId destination,
                          const std::function<PortNum(const Here&)>& choose) const;
  [[nodiscard]] PortNum closed_form(const Here& here, std::uint32_t number) const;
  [[nodiscard]] PortNum same_index_upward(const Here& here) const;

  const RoutingProblem problem_;
};

}  // namespace espalier
