// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What policies on dragonflies share: the minimal path, Valiant's path, and how long they are.
//
// Virtual channels ascend along a path in the order l1 < g1 < l2 < g2 < l3 (Guenther 1981; Garcia 2013, II), here
// numbered from 0: on a local link the number of global links so far, on a global link the same. By way of a router
// there are two local hops in the group between, and a fourth virtual channel.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/packets/dragonfly.h"
#include "core/packets/policy.h"

namespace espalier::packets {

class DragonflyPolicy : public Policy {
 public:
  DragonflyPolicy(const Dragonfly& dragonfly, ValiantLevel valiant)
      : dragonfly_(dragonfly), by_router_(valiant == ValiantLevel::kRouter) {}
  explicit DragonflyPolicy(const Dragonfly& dragonfly) : DragonflyPolicy(dragonfly, ValiantLevel::kGroup) {}

  [[nodiscard]] VcCounts vcs() const override { return {.local = by_router_ ? 4U : 3U, .global = 2}; }

 protected:
  // Toward any router of another group. One of the exits, those of the router itself first, or at random.
  // REQUIRES: group is not that of r.
  [[nodiscard]] Port toward_group(Router r, std::uint32_t group, Random& random) const {
    const std::uint8_t only = dragonfly_.only_position_to_group(r, group);
    if (only == Dragonfly::kSeveral) return some_port_toward(r, group, random);
    return dragonfly_.first_port(r) + only;
  }
  // The minimal path: l g l. REQUIRES: target != r.
  [[nodiscard]] Port toward_router(Router r, Router target, Random& random) const {
    const std::uint8_t only = dragonfly_.only_position(r, target);
    if (only == Dragonfly::kSeveral) return some_port_toward_router(r, target, random);
    return dragonfly_.first_port(r) + only;
  }
  // The next port of a packet that goes by way of an intermediate group or router, if it has one still to visit.
  [[nodiscard]] Port next(const State& state, Router r, Packet& packet, Random& random) const {
    if (packet.via == (by_router_ ? r : dragonfly_.group(r))) {
      packet.via = kNone;
      packet.passed_via = true;
    }
    return dragonfly_.has_grids() ? next_in_grid(state, r, packet, random)
                                  : toward(r, packet.via, packet.target, random);
  }
  // A path that a packet may take from its source router.
  struct CandidatePath {
    std::uint32_t via = kNone;  // by this group or router; kNone: minimally
    Port first = kNone;         // its first link
    Port global = kNone;        // in grids the link by which it leaves the group; kNone: it does not, or routers choose
  };
  [[nodiscard]] CandidatePath candidate(const State& state, Router r, std::uint32_t via, Router target,
                                        Random& random) const {
    if (!dragonfly_.has_grids()) return {via, toward(r, via, target, random), kNone};
    Packet packet;
    packet.target = target;
    packet.via = via;
    const Port first = next_in_grid(state, r, packet, random);
    return {via, first, packet.global};
  }
  // The first port of the path by `via`, or with kNone of the minimal one.
  [[nodiscard]] Port toward(Router r, std::uint32_t via, Router target, Random& random) const {
    if (by_router_) return toward_router(r, via == kNone ? target : via, random);
    return via == kNone ? toward_router(r, target, random) : toward_group(r, via, random);
  }
  // A random group or router to go by; kNone: there is none. Neither group is that of the source or the destination,
  // so that virtual channels suffice; but routers are of the same group if source and destination are.
  [[nodiscard]] std::uint32_t random_via(Router source, Router target, Random& random) const {
    if (!by_router_) return random_group(source, target, random);
    std::uint32_t group = dragonfly_.group(source);
    if (group != dragonfly_.group(target)) {
      group = random_group(source, target, random);
      if (group == kNone) return kNone;
      return dragonfly_.router(group, random.below(dragonfly_.group_size(group)));
    }
    const Router via = dragonfly_.router(group, random.below(dragonfly_.group_size(group)));
    return via == source || via == target ? kNone : via;
  }
  // A group that is neither that of the source nor that of the destination, and is cabled to both; kNone: there is none,
  // or links are missing and none was found.
  [[nodiscard]] std::uint32_t random_group(Router source, Router target, Random& random) const {
    const std::uint32_t a = dragonfly_.group(source);
    const std::uint32_t b = dragonfly_.group(target);
    const std::uint32_t groups = dragonfly_.num_groups();
    const std::uint32_t taken = a == b ? 1 : 2;
    if (groups <= taken) return kNone;
    const std::uint32_t distance = b - a + (b < a ? groups : 0);
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) {
      // Counted from the one behind a on, without b.
      const std::uint32_t nth = 1 + random.below(groups - taken);
      const std::uint32_t after = a + nth + std::uint32_t{taken == 2 && nth >= distance};
      const std::uint32_t group = after - groups * std::uint32_t{after >= groups};
      if (dragonfly_.all_linked() || (dragonfly_.linked(a, group) && dragonfly_.linked(group, b))) return group;
    }
    return kNone;
  }

  [[nodiscard]] static std::uint32_t position(const State& state, Port port) { return state.outputs[port].position; }
  [[nodiscard]] static std::uint64_t bit(const State& state, Port port) {
    return std::uint64_t{1} << position(state, port);
  }
  [[nodiscard]] static bool is_global(const State& state, Port port) {
    return state.outputs[port].kind == PortClass::kGlobal;
  }
  // The virtual channel that the packet's hops so far say: l1 g1 l2 g2 l3, or by way of a router l1 (l2) g1 l2 l3 g2 l4.
  [[nodiscard]] std::uint8_t plain_vc(const State& state, const Packet& packet, Port port) const {
    if (!by_router_) return packet.global_hops;
    return kVcByRouter[is_global(state, port) ? 1 : 0][packet.global_hops][packet.passed_via ? 1 : 0];
  }
  // This port, on that virtual channel.
  [[nodiscard]] Request plain(const State& state, const Packet& packet, Port port) const {
    Request request;
    request.position = static_cast<std::uint8_t>(position(state, port));
    request.vc = plain_vc(state, packet, port);
    return request;
  }

  // Hops between routers on a path.
  [[nodiscard]] std::uint32_t hops(const State& state, Router from, const CandidatePath& path, Router to) const {
    if (path.global == kNone)
      return path.via == kNone ? minimal_hops(state, from, to) : valiant_hops(state, from, path.via, to);
    const PortEnd& exit = state.network->ports[path.global];
    const std::uint32_t to_entry = dragonfly_.local_hops(from, exit.router) + 1U;
    const bool by_router = by_router_ && path.via != kNone;
    return to_entry +
           (by_router ? valiant_hops(state, exit.neighbor, path.via, to) : minimal_hops(state, exit.neighbor, to));
  }
  // Hops between routers. REQUIRES: exits are single, or any may be counted.
  [[nodiscard]] std::uint32_t minimal_hops(const State& state, Router from, Router to) const {
    if (from == to) return 0;
    const std::uint32_t a = dragonfly_.group(from);
    const std::uint32_t b = dragonfly_.group(to);
    if (a == b) return dragonfly_.local_hops(from, to);
    const auto& exit = dragonfly_.exits(a, b)[0];
    return 1U + dragonfly_.local_hops(from, exit.router) + minimal_hops(state, behind(state, exit.port), to);
  }
  [[nodiscard]] std::uint32_t valiant_hops(const State& state, Router from, std::uint32_t via, Router to) const {
    if (by_router_) return minimal_hops(state, from, via) + minimal_hops(state, via, to);
    const auto& exit = dragonfly_.exits(dragonfly_.group(from), via)[0];
    return 1U + dragonfly_.local_hops(from, exit.router) + minimal_hops(state, behind(state, exit.port), to);
  }
  // The router behind a port.
  [[nodiscard]] static Router behind(const State& state, Port port) { return state.network->ports[port].neighbor; }

  const Dragonfly& dragonfly_;
  bool by_router_;

 private:
  // By whether the link is global, global hops so far, and whether the packet has passed the router.
  static constexpr std::uint8_t kVcByRouter[2][3][2] = {{{0, 1}, {1, 2}, {3, 3}}, {{0, 0}, {1, 1}, {2, 2}}};
  // Where there are several to choose from.
  [[nodiscard, gnu::noinline]] Port some_port_toward(Router r, std::uint32_t group, Random& random) const {
    const auto exits = dragonfly_.exits(dragonfly_.group(r), group);
    if (exits.size() == 1) return to_exit(r, exits[0], random);
    std::uint32_t own = 0;
    Port chosen = kNone;
    for (const auto& exit : exits)
      if (exit.router == r && (++own == 1 || random.below(own) == 0)) chosen = exit.port;
    if (own > 0) return chosen;
    if (!dragonfly_.is_whole(dragonfly_.group(r)) && !dragonfly_.has_grids()) return dragonfly_.toward_exit(r, group);
    return to_exit(r, exits[random.below(static_cast<std::uint32_t>(exits.size()))], random);
  }
  [[nodiscard, gnu::noinline]] Port some_port_toward_router(Router r, Router target, Random& random) const {
    const std::uint32_t group = dragonfly_.group(target);
    if (group == dragonfly_.group(r)) return dragonfly_.local_port(r, dragonfly_.member(target), random);
    return some_port_toward(r, group, random);
  }
  [[nodiscard]] Port to_exit(Router r, const Dragonfly::Exit& exit, Random& random) const {
    return exit.router == r ? exit.port : dragonfly_.local_port(r, dragonfly_.member(exit.router), random);
  }
  // With two hops to the exit the packet keeps to the one that it has chosen, and at its source to that of the path it takes.
  [[nodiscard]] Port next_in_grid(const State& state, Router r, Packet& packet, Random& random) const {
    const std::uint32_t here = dragonfly_.group(r);
    const Router goal = by_router_ && packet.via != kNone ? packet.via : packet.target;
    const std::uint32_t there = !by_router_ && packet.via != kNone ? packet.via : dragonfly_.group(goal);
    if (here == there) {
      packet.global = kNone;
      return dragonfly_.local_port(r, dragonfly_.member(goal), random);
    }
    if (packet.global == kNone || (packet.group_hops == 0 && packet.hops > 0)) {
      const auto exits = dragonfly_.exits(here, there);
      packet.global = exits[random.below(static_cast<std::uint32_t>(exits.size()))].port;
    }
    return to_exit(r, {state.network->ports[packet.global].router, packet.global}, random);
  }
};

}  // namespace espalier::packets
