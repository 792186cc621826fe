// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Minimal routing (MIN): l g l, the one link between two groups (Kim et al., ISCA 2008; Garcia 2013, II).
#include "core/packets/policies/dragonfly_policy.h"
#include "core/packets/policies/policies.h"

namespace espalier::packets {
namespace {

class Minimal : public DragonflyPolicy {
 public:
  using DragonflyPolicy::DragonflyPolicy;
  [[nodiscard]] bool diverts() const override { return false; }
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    return plain(state, packet, next(state, place.router, packet, random));
  }
};

}  // namespace

std::unique_ptr<Policy> make_minimal(const PolicyInputs& in) { return std::make_unique<Minimal>(*in.dragonfly); }

}  // namespace espalier::packets
