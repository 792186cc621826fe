// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OLM: opportunistic local misrouting (Garcia et al. 2013, III-C). Every detour is allowed, on a virtual channel below
// that of the hop that has to follow it, if there is room for the whole packet: l1 l1 g1 l1 l2 g2 l2 l3. Circles of
// channels exist, yet each packet always has a path on which virtual channels ascend, so the highest drains and all
// follow. This needs virtual cut-through: a packet under wormhole may hold several channels at once.
#include "core/packets/policies/in_transit.h"

namespace espalier::packets {
namespace {

class Olm : public InTransit {
 public:
  using InTransit::InTransit;

 protected:
  // The last hop: any virtual channel above that of a detour before it.
  [[nodiscard]] std::uint32_t direct_vc(const LocalHop& hop) const override {
    std::uint32_t first = hop.packet.global_hops;
    if (!hop.last) return first;
    if (hop.packet.group_hops > 0) first = std::max(first, std::min(hop.place.vc + 1, 2U));
    return parameters_.spread_vcs ? emptiest(hop.state, hop.port, first, 2) : first;
  }
  void offer_detours(const LocalHop& hop, Request& request) const override {
    const std::uint64_t ports = all_detours(hop);
    if (!hop.last) return request.offer(ports, hop.packet.global_hops - 1U);
    request.offer(ports, 0, 1);
  }
  void offer_neighbors(const LocalHop& hop, Request& request) const override {
    request.offer(neighbors(hop, hop.packet.group_hops > 0 ? hop.place.in : hop.port), 0);
  }
};

}  // namespace

std::unique_ptr<Policy> make_olm(const PolicyInputs& in) { return std::make_unique<Olm>(in); }

}  // namespace espalier::packets
