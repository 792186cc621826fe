// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/policies/ugal.h"

namespace espalier::packets {

Request Ugal::request(const State& state, const Place& place, Packet& packet, Random& random) {
  if (packet.hops == 0) choose(state, place.router, packet, random);
  if (packet.hops == 0 && counts_ != nullptr) write_down(state, place.router, packet);
  return plain(state, packet, next(state, place.router, packet, random));
}

void Ugal::choose(const State& state, Router r, Packet& packet, Random& random) {
  const std::uint32_t via = random_via(r, packet.target, random);
  if (via == kNone || minimal_is_better(state, r, packet, via, random)) return;
  packet.via = via;
  packet.misrouted = true;
}

// Of several links between two groups, and of parallel ones, any: the packet has still to choose.
void Ugal::write_down(const State& state, Router r, const Packet& packet) {
  std::vector<Router> path;
  std::uint32_t via = packet.via;
  while (r != packet.target) {
    r = behind(state, toward(r, via, packet.target, own_));
    path.push_back(r);
    if (via == (by_router_ ? r : dragonfly_.group(r))) via = kNone;
  }
  ++(*counts_)[{packet.source, packet.destination}][path];
}

bool Ugal::local_rule(const State& state, Router r, const Packet& packet, std::uint32_t via, double offset,
                      Random& random) const {
  const Port minimal = toward_router(r, packet.target, random);
  const Port valiant = toward(r, via, packet.target, random);
  const bool by_hops = weight_ == PathWeight::kHops;
  const double minimal_weight = by_hops ? minimal_hops(state, r, packet.target) : 1;
  const double valiant_weight = by_hops ? valiant_hops(state, r, via, packet.target) : 2;
  return state.queued(minimal, next_vc(state, packet, minimal)) * minimal_weight <=
         state.queued(valiant, next_vc(state, packet, valiant)) * valiant_weight + offset;
}

namespace {

class UgalGlobal : public Ugal {
 public:
  using Ugal::Ugal;
  [[nodiscard]] Scope scope() const override { return Scope::kNetwork; }

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, Router r, const Packet& packet, std::uint32_t via,
                                       Random& random) override {
    return queued_along(state, r, kNone, packet.target, random) <=
           queued_along(state, r, via, packet.target, random) + offset();
  }

 private:
  // The sum over all links of the way.
  [[nodiscard]] double queued_along(const State& state, Router r, std::uint32_t via, Router target,
                                    Random& random) const {
    double sum = 0;
    while (r != target) {
      const Port port = toward(r, via, target, random);
      sum += state.ahead(port);
      r = behind(state, port);
      if (via == (by_router_ ? r : dragonfly_.group(r))) via = kNone;
    }
    return sum;
  }
};

}  // namespace

std::unique_ptr<Policy> make_ugal_local(const PolicyInputs& in) { return std::make_unique<Ugal>(in); }
std::unique_ptr<Policy> make_ugal_global(const PolicyInputs& in) { return std::make_unique<UgalGlobal>(in); }

}  // namespace espalier::packets
