// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Valiant's routing: through a random group that is neither that of the source nor that of the destination, l g l g l
// (Valiant 1982; Garcia 2013, II); or by way of a random router, with up to two local hops in its group, which takes
// load off the local links there (Faizian 2018, 2.1.2).
#include "core/packets/policies/dragonfly_policy.h"
#include "core/packets/policies/policies.h"

namespace espalier::packets {
namespace {

class Valiant : public DragonflyPolicy {
 public:
  using DragonflyPolicy::DragonflyPolicy;
  [[nodiscard]] bool diverts() const override { return false; }
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    if (packet.hops == 0) {
      packet.via = random_via(place.router, packet.target, random);
      packet.misrouted = packet.via != kNone;
    }
    return plain(state, packet, next(state, place.router, packet, random));
  }
};

}  // namespace

std::unique_ptr<Policy> make_valiant(const PolicyInputs& in) {
  return std::make_unique<Valiant>(*in.dragonfly, in.parameters->valiant);
}

}  // namespace espalier::packets
