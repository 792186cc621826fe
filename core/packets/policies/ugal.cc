// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/policies/ugal.h"

namespace espalier::packets {

Request Ugal::request(const State& state, const Place& place, Packet& packet, Random& random) {
  if (packet.hops == 0) return start(state, place, packet, random);
  return plain(state, packet, next(state, place.router, packet, random));
}

Request Ugal::start(const State& state, const Place& place, Packet& packet, Random& random) {
  const Port first = choose(state, place.router, packet, random);
  if (counts_ != nullptr) write_down(state, place.router, packet, first);
  return plain(state, packet, first);
}

Port Ugal::choose(const State& state, Router r, Packet& packet, Random& random) {
  const std::uint32_t via = random_via(r, packet.target, random);
  CandidatePaths candidates{.r = r, .minimal = candidate(state, r, kNone, packet.target, random), .valiant = {}};
  if (via != kNone) candidates.valiant = candidate(state, r, via, packet.target, random);
  const bool minimally = via == kNone || minimal_is_better(state, packet, candidates, random);
  const CandidatePath& taken = minimally ? candidates.minimal : candidates.valiant;
  packet.via = taken.via;
  packet.global = taken.global;
  packet.misrouted = !minimally;
  return taken.first;
}

// Of several links between two groups, and of parallel ones, any but at the source: the packet has still to choose.
void Ugal::write_down(const State& state, Router r, const Packet& chosen, Port first) {
  Packet packet = chosen;
  std::vector<Router> path;
  for (Port port = first;; port = next(state, r, packet, own_)) {
    packet.count_hop(state.network->ports[port].kind);
    r = behind(state, port);
    path.push_back(r);
    if (r == packet.target) break;
  }
  ++(*counts_)[{packet.source, packet.destination}][path];
}

bool Ugal::local_rule(const State& state, const Packet& packet, const CandidatePaths& candidates, double offset) const {
  const Port minimal = candidates.minimal.first;
  const Port valiant = candidates.valiant.first;
  const bool by_hops = weight_ == PathWeight::kHops;
  const double minimal_weight = by_hops ? hops(state, candidates.r, candidates.minimal, packet.target) : 1;
  const double valiant_weight = by_hops ? hops(state, candidates.r, candidates.valiant, packet.target) : 2;
  const auto queued = [&](Port port) {
    return compares_ports_ ? state.queued(port) : state.queued(port, next_vc(state, packet, port));
  };
  return queued(minimal) * minimal_weight <= queued(valiant) * valiant_weight + offset;
}

namespace {

class UgalGlobal : public Ugal {
 public:
  using Ugal::Ugal;
  [[nodiscard]] Scope scope() const override { return Scope::kNetwork; }

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, const Packet& packet, const CandidatePaths& candidates,
                                       Random& random) override {
    return queued_along(state, candidates.r, candidates.minimal, packet, random) <=
           queued_along(state, candidates.r, candidates.valiant, packet, random) + offset();
  }

 private:
  // The sum over all links of the path; where later groups have several exits, by any of them.
  [[nodiscard]] double queued_along(const State& state, Router r, const CandidatePath& path, Packet packet,
                                    Random& random) const {
    packet.via = path.via;
    packet.global = path.global;
    double sum = 0;
    for (Port port = path.first;; port = next(state, r, packet, random)) {
      sum += state.ahead(port, plain_vc(state, packet, port));
      packet.count_hop(state.network->ports[port].kind);
      r = behind(state, port);
      if (r == packet.target) return sum;
    }
  }
};

}  // namespace

std::unique_ptr<Policy> make_ugal_local(const PolicyInputs& in) { return std::make_unique<Ugal>(in); }
std::unique_ptr<Policy> make_ugal_global(const PolicyInputs& in) { return std::make_unique<UgalGlobal>(in); }

}  // namespace espalier::packets
