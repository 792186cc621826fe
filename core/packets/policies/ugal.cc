// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/policies/ugal.h"

namespace espalier::packets {

Request Ugal::request(const State& state, const Place& place, Packet& packet, Random& random) {
  if (packet.hops == 0) choose(state, place.router, packet, random);
  return plain(state, packet, next(place.router, packet, random));
}

void Ugal::choose(const State& state, Router r, Packet& packet, Random& random) {
  const std::uint32_t via = random_via(r, packet.target, random);
  if (via == kNone || minimal_is_better(state, r, packet, via, random)) return;
  packet.via = via;
  packet.misrouted = true;
}

bool Ugal::local_rule(const State& state, Router r, const Packet& packet, std::uint32_t via, double offset,
                      Random& random) const {
  const Port minimal = toward_router(r, packet.target, random);
  const Port valiant = toward(r, via, packet.target, random);
  return state.queued(minimal) * minimal_hops(state, r, packet.target) <=
         state.queued(valiant) * valiant_hops(state, r, via, packet.target) + offset;
}

namespace {

class UgalLocal : public Ugal {
 public:
  UgalLocal(const PolicyInputs& in)
      : Ugal(*in.dragonfly, in.parameters->valiant), offset_(in.parameters->ugal_offset) {}

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, Router r, const Packet& packet, std::uint32_t via,
                                       Random& random) override {
    return local_rule(state, r, packet, via, offset_, random);
  }

 private:
  double offset_;
};

class UgalGlobal : public Ugal {
 public:
  UgalGlobal(const PolicyInputs& in)
      : Ugal(*in.dragonfly, in.parameters->valiant), offset_(in.parameters->ugal_offset) {}

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, Router r, const Packet& packet, std::uint32_t via,
                                       Random& random) override {
    return queued_along(state, r, kNone, packet.target, random) <=
           queued_along(state, r, via, packet.target, random) + offset_;
  }

 private:
  // Phits in the queues of all links of the way.
  [[nodiscard]] double queued_along(const State& state, Router r, std::uint32_t via, Router target,
                                    Random& random) const {
    double sum = 0;
    while (r != target) {
      const Port port = toward(r, via, target, random);
      sum += state.queued(port);
      r = behind(state, port);
      if (via == (by_router_ ? r : dragonfly_.group(r))) via = kNone;
    }
    return sum;
  }

  double offset_;
};

}  // namespace

std::unique_ptr<Policy> make_ugal_local(const PolicyInputs& in) { return std::make_unique<UgalLocal>(in); }
std::unique_ptr<Policy> make_ugal_global(const PolicyInputs& in) { return std::make_unique<UgalGlobal>(in); }

}  // namespace espalier::packets
