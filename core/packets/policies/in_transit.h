// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Adaptive routing in transit (Garcia et al. 2013, III; OFAR, ICPP 2012): a packet asks for its minimal output, and
// while that cannot take it, a random one of the non-minimal outputs whose fill is below the threshold.
//
// In the source group packets to another group may be misrouted globally, by a global link of the router itself or,
// after a local detour, by one of a neighbor (GlobalMisroute). In the group between and in the destination's group one
// hop may be a local detour. So the longest path is l l g l l g l l, and nothing goes round.
//
// The mechanisms differ in the local detours that they allow and in the virtual channels of local hops:
//   PAR-6/2   all; a virtual channel for each hop
//   RLM       those of the parity-sign rule; one virtual channel for both hops in a group
//   OLM       all; the detour on a virtual channel below that of the hop that has to follow
#pragma once

#include "core/packets/policies/dragonfly_policy.h"
#include "core/packets/policies/policies.h"

namespace espalier::packets {

class InTransit : public DragonflyPolicy {
 public:
  explicit InTransit(const PolicyInputs& in);

  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override;

 protected:
  // Where on its path a packet is before a local hop.
  struct LocalHop {
    const State& state;
    const Place& place;
    const Packet& packet;
    Port port = kNone;  // of the hop; of a detour the minimal one
    bool last = false;  // it ends at the destination's router
  };
  // The virtual channel of a hop that leads to where the packet has to go.
  [[nodiscard]] virtual std::uint32_t direct_vc(const LocalHop& hop) const = 0;
  // Adds local detours to the router of the group that is behind hop.port.
  virtual void offer_detours(const LocalHop& hop, Request& request) const = 0;
  // Adds second hops to routers whose global links the packet may take.
  virtual void offer_neighbors(const LocalHop& hop, Request& request) const = 0;

  // The emptiest of these queues of a port.
  [[nodiscard]] static std::uint32_t emptiest(const State& state, Port port, std::uint32_t first, std::uint32_t last) {
    std::uint32_t best = first;
    for (std::uint32_t vc = first + 1; vc <= last; ++vc)
      if (state.credits[state.queue(port, vc)] > state.credits[state.queue(port, best)]) best = vc;
    return best;
  }
  // Local ports other than this one to routers by which the packet may leave its group.
  [[nodiscard]] std::uint64_t neighbors(const LocalHop& hop, Port except) const {
    return dragonfly_.local_ports(hop.place.router, dragonfly_.group(hop.packet.target)) & ~bit(hop.state, except);
  }
  // Local ports to routers that are next to the one that is behind hop.port.
  [[nodiscard]] std::uint64_t all_detours(const LocalHop& hop) const {
    std::uint64_t ports = dragonfly_.local_ports(hop.place.router) & ~bit(hop.state, hop.port);
    if (!dragonfly_.is_whole(dragonfly_.group(hop.place.router))) leave_out_dead_ends(hop, ports);
    return ports;
  }

  const Parameters& parameters_;

 private:
  [[nodiscard]] Request leave_group(const State& state, const Place& place, const Packet& packet, Random& random) const;
  [[nodiscard]] Request go_on(const State& state, const Place& place, const Packet& packet, Random& random) const;
  void offer_global(const State& state, const Place& place, const Packet& packet, Port minimal, Request& request) const;
  // What the last hop has made of the packet's path.
  void look_back(const State& state, const Place& place, Packet& packet, Random& random) const;
  [[nodiscard]] bool has_exit(Router r, std::uint32_t group) const;
  // Whether the local hop leads to where the packet leaves the group, or to its router.
  [[nodiscard]] bool is_last_in_group(const LocalHop& hop) const;
  // Whether the packet came by a minimal local hop that others have to follow.
  [[nodiscard]] bool is_on_minimal_path(const State& state, const Place& place, std::uint32_t there,
                                        Random& random) const;
  void leave_out_dead_ends(const LocalHop& hop, std::uint64_t& ports) const;
};

}  // namespace espalier::packets
