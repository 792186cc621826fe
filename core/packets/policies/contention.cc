// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Contention counters (Fuentes, Vallejo, Garcia, Beivide, Rodriguez, Minkenberg, Valero: Contention-based nonminimal
// adaptive routing in high-radix networks, IPDPS 2015; Faizian 2018, 2.1.2). An output's counter is the number of
// packets at heads of queues whose minimal output it is, so contention shows before queues are full.
//
//   base     a packet that comes to the head leaves the minimal path if the counter exceeds the limit, by a random
//            output of those that the mechanism of PAR-6/2 allows and whose counters are within it
//   hybrid   the same, and while it waits also by the fill of queues, as PAR-6/2
//   ectn     the same as base, and routers tell their group each Parameters::piggyback_period cycles how many packets
//            at their injection queues want which global link of the group; the source router knows the sums
#include <algorithm>
#include <bit>

#include "core/packets/policies/in_transit.h"

namespace espalier::packets {
namespace {

enum class Kind : std::uint8_t { kBase, kHybrid, kBroadcast };

class Contention : public InTransit {
 public:
  Contention(const PolicyInputs& in, Kind kind)
      : InTransit(in),
        kind_(kind),
        limit_(in.parameters->contention_limit),
        period_(in.parameters->piggyback_period),
        counter_(in.network->num_ports(), 0),
        global_counter_(in.network->num_ports(), 0),
        known_(in.network->num_ports(), 0) {}

  [[nodiscard]] VcCounts vcs() const override { return {.local = 6, .global = 2}; }

  void tick(const State& state, const Region& region) override {
    if (kind_ != Kind::kBroadcast || state.now % period_ != 0) return;
    const std::vector<Port>& first = state.network->first_port;
    for (const Router r : region.routers)
      std::copy(global_counter_.begin() + first[r], global_counter_.begin() + first[r + 1], known_.begin() + first[r]);
  }

  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    Request request = InTransit::request(state, place, packet, random);
    if (packet.leaves_group) return request;
    const Port minimal = state.network->first_port[place.router] + request.position;
    packet.counted = request.position;
    ++counter_[minimal];
    bool contended = counter_[minimal] > limit_;
    packet.global = kNone;
    const std::uint32_t here = dragonfly_.group(place.router);
    const std::uint32_t there = dragonfly_.group(packet.target);
    if (kind_ == Kind::kBroadcast && here != there && packet.hops == 0) {
      packet.global = dragonfly_.exits(here, there)[0].port;
      ++global_counter_[packet.global];
      contended |= known_[packet.global] > limit_;
    }
    if (contended) divert(state, place.router, request, random);
    if (kind_ != Kind::kHybrid) request.num_alternatives = 0;
    return request;
  }

  [[nodiscard]] bool follows_departures() const override { return true; }
  void sent(const State& state, Packet& packet, Port out) override {
    const Port first = state.network->first_port[state.network->ports[out].router];
    if (packet.counted != Packet::kNobody) --counter_[first + packet.counted];
    if (packet.global != kNone) --global_counter_[packet.global];
    packet.counted = Packet::kNobody;
    packet.global = kNone;
  }

 protected:
  [[nodiscard]] std::uint32_t direct_vc(const LocalHop& hop) const override {
    return 2U * hop.packet.global_hops + std::min<std::uint32_t>(hop.packet.group_hops, 1);
  }
  void offer_detours(const LocalHop& hop, Request& request) const override {
    request.offer(all_detours(hop), 2U * hop.packet.global_hops);
  }
  void offer_neighbors(const LocalHop& hop, Request& request) const override {
    request.offer(neighbors(hop, hop.packet.group_hops > 0 ? hop.place.in : hop.port), hop.packet.group_hops);
  }

 private:
  // Prefers a random alternative within the limit, if there is one.
  void divert(const State& state, Router r, Request& request, Random& random) const {
    std::uint32_t equals = 0;
    const Request all = request;
    for (std::uint32_t i = 0; i < all.num_alternatives; ++i)
      for (BitWord bits = all.ports[i]; bits != 0; bits &= bits - 1) {
        const auto position = static_cast<std::uint8_t>(std::countr_zero(bits));
        if (counter_[state.network->first_port[r] + position] > limit_) continue;
        if (++equals > 1 && random.below(equals) != 0) continue;
        request.position = position;
        request.vc = all.first_vc[i];
      }
    if (equals > 0) request.num_alternatives = 0;
  }

  Kind kind_;
  std::uint32_t limit_;
  std::uint32_t period_;
  std::vector<std::uint32_t> counter_;         // by port
  std::vector<std::uint32_t> global_counter_;  // by global port: packets of the group at injection that want it
  std::vector<std::uint32_t> known_;           // of these, what the group was told
};

}  // namespace

std::unique_ptr<Policy> make_contention_base(const PolicyInputs& in) {
  return std::make_unique<Contention>(in, Kind::kBase);
}
std::unique_ptr<Policy> make_contention_hybrid(const PolicyInputs& in) {
  return std::make_unique<Contention>(in, Kind::kHybrid);
}
std::unique_ptr<Policy> make_contention_broadcast(const PolicyInputs& in) {
  return std::make_unique<Contention>(in, Kind::kBroadcast);
}

}  // namespace espalier::packets
