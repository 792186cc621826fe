// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Progressive adaptive routing (PAR): UGAL-L whose choice of the minimal path is made anew after the first local hop,
// by the queues there; a choice of Valiant's path is final (Jiang, Kim, Dally, ISCA 2009; Garcia 2013, II). The longest
// path is l l g l g l, with virtual channels l1 l2 g1 l3 g2 l4.
#include "core/packets/policies/ugal.h"

namespace espalier::packets {
namespace {

class Par : public Ugal {
 public:
  explicit Par(const PolicyInputs& in) : Ugal(in, ValiantLevel::kGroup) {}

  [[nodiscard]] VcCounts vcs() const override { return {.local = 4, .global = 2}; }
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    const bool may_choose = packet.hops == 0 || (packet.hops == 1 && packet.global_hops == 0 && !packet.misrouted);
    const Port port =
        may_choose ? choose(state, place.router, packet, random) : next(state, place.router, packet, random);
    Request request = plain(state, packet, port);
    request.vc = static_cast<std::uint8_t>(next_vc(state, packet, port));
    return request;
  }

 protected:
  [[nodiscard]] std::uint32_t next_vc(const State& state, const Packet& packet, Port port) const override {
    if (is_global(state, port)) return packet.global_hops;
    return packet.global_hops == 0 ? std::min<std::uint32_t>(packet.group_hops, 1) : packet.global_hops + 1U;
  }
};

}  // namespace

std::unique_ptr<Policy> make_par(const PolicyInputs& in) { return std::make_unique<Par>(in); }

}  // namespace espalier::packets
