// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// PAR-6/2: every non-minimal hop is allowed and every hop has a virtual channel of its own, six on local links and two
// on global ones: l1 l2 g1 l3 l4 g2 l5 l6 (Garcia et al. 2013, III-A). The costly mechanism that others are measured
// by.
#include "core/packets/policies/in_transit.h"

namespace espalier::packets {
namespace {

class Par62 : public InTransit {
 public:
  using InTransit::InTransit;
  [[nodiscard]] VcCounts vcs() const override { return {.local = 6, .global = 2}; }

 protected:
  [[nodiscard]] std::uint32_t direct_vc(const LocalHop& hop) const override {
    const std::uint32_t first = 2U * hop.packet.global_hops + std::min<std::uint32_t>(hop.packet.group_hops, 1);
    return hop.last && parameters_.spread_vcs ? emptiest(hop.state, hop.port, first, 5) : first;
  }
  void offer_detours(const LocalHop& hop, Request& request) const override {
    request.offer(all_detours(hop), 2U * hop.packet.global_hops);
  }
  void offer_neighbors(const LocalHop& hop, Request& request) const override {
    request.offer(neighbors(hop, hop.packet.group_hops > 0 ? hop.place.in : hop.port), hop.packet.group_hops);
  }
};

}  // namespace

std::unique_ptr<Policy> make_par62(const PolicyInputs& in) { return std::make_unique<Par62>(in); }

}  // namespace espalier::packets
