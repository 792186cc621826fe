// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/policies/in_transit.h"

#include <bit>

namespace espalier::packets {

InTransit::InTransit(const PolicyInputs& in) : DragonflyPolicy(*in.dragonfly), parameters_(*in.parameters) {}

bool InTransit::has_exit(Router r, std::uint32_t group) const {
  const auto exits = dragonfly_.exits(dragonfly_.group(r), group);
  return std::any_of(exits.begin(), exits.end(), [&](const Dragonfly::Exit& exit) { return exit.router == r; });
}

bool InTransit::is_last_in_group(const LocalHop& hop) const {
  if (dragonfly_.is_whole(dragonfly_.group(hop.place.router))) return true;
  const Router next = behind(hop.state, hop.port);
  return hop.last ? next == hop.packet.target : has_exit(next, dragonfly_.group(hop.packet.target));
}

void InTransit::leave_out_dead_ends(const LocalHop& hop, std::uint64_t& ports) const {
  const Router goal = behind(hop.state, hop.port);
  const Port first = hop.state.network->first_port[hop.place.router];
  for (BitWord bits = ports; bits != 0; bits &= bits - 1) {
    const Router by = behind(hop.state, first + lowest_bit(bits));
    if (by == goal || !dragonfly_.adjacent(by, goal)) ports &= ~(bits & -bits);
  }
}

// Where links are missing a minimal path may have several local hops in a group.
bool InTransit::is_on_minimal_path(const State& state, const Place& place, std::uint32_t there, Random& random) const {
  const Router before = behind(state, place.in);
  if (dragonfly_.is_whole(dragonfly_.group(before)) || has_exit(before, there)) return false;
  return behind(state, toward_group(before, there, random)) == place.router;
}

// After a local detour of the source group: by whichever global link of this router.
Request InTransit::leave_group(const State& state, const Place& place, const Packet& packet, Random& random) const {
  const std::uint64_t all = dragonfly_.global_ports(place.router, dragonfly_.group(packet.target));
  std::uint64_t ports = all;
  for (std::uint32_t skip = random.below(static_cast<std::uint32_t>(std::popcount(ports))); skip > 0; --skip)
    ports &= ports - 1;
  const Port chosen = state.network->first_port[place.router] + static_cast<Port>(std::countr_zero(ports));
  Request request = plain(state, packet, chosen);
  request.rule = Rule::kLeastOccupied;
  request.offer(all & ~bit(state, chosen), request.vc);
  return request;
}

void InTransit::offer_global(const State& state, const Place& place, const Packet& packet, Port minimal,
                             Request& request) const {
  const bool starts = packet.group_hops == 0;
  const GlobalMisroute by = parameters_.global_misroute;
  const bool own =
      by == GlobalMisroute::kCurrent || by == GlobalMisroute::kBoth || (by == GlobalMisroute::kMixed && starts);
  const bool neighbor =
      by == GlobalMisroute::kNeighbor || by == GlobalMisroute::kBoth || (by == GlobalMisroute::kMixed && !starts);
  if (own)
    request.offer(dragonfly_.global_ports(place.router, dragonfly_.group(packet.target)) & ~bit(state, minimal),
                  packet.global_hops);
  if (neighbor) offer_neighbors({state, place, packet, minimal, false}, request);
}

void InTransit::look_back(const State& state, const Place& place, Packet& packet, Random& random) const {
  if (packet.hops == 0) return;
  const std::uint32_t here = dragonfly_.group(place.router);
  const std::uint32_t there = dragonfly_.group(packet.target);
  if (is_global(state, place.in)) {
    packet.leaves_group = false;
    if (here != there) packet.misrouted = true;
  } else if (here == there) {
    packet.misrouted = true;  // it is not at its router yet
  } else if (!has_exit(place.router, there) && !is_on_minimal_path(state, place, there, random)) {
    packet.misrouted = true;
    packet.leaves_group = packet.global_hops == 0;
  }
}

// One object for each return, so that it is made where the caller has it: a copy would wait for the bytes just written.
Request InTransit::request(const State& state, const Place& place, Packet& packet, Random& random) {
  look_back(state, place, packet, random);
  return packet.leaves_group ? leave_group(state, place, packet, random) : go_on(state, place, packet, random);
}

Request InTransit::go_on(const State& state, const Place& place, const Packet& packet, Random& random) const {
  const std::uint32_t here = dragonfly_.group(place.router);
  const std::uint32_t there = dragonfly_.group(packet.target);
  const Port minimal = toward_router(place.router, packet.target, random);
  Request request = plain(state, packet, minimal);
  const LocalHop hop{state, place, packet, minimal, here == there};
  if (!is_global(state, minimal)) request.vc = static_cast<std::uint8_t>(direct_vc(hop));
  if (here != there && packet.global_hops == 0) {
    if (packet.group_hops <= 1) offer_global(state, place, packet, minimal, request);
  } else if (!is_global(state, minimal) && packet.group_hops == 0 && is_last_in_group(hop)) {
    offer_detours(hop, request);
  }
  return request;
}

}  // namespace espalier::packets
