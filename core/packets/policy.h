// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which port and virtual channel a packet asks for: the one interface between routers and routing policies.
//
// A policy is asked once for each packet that comes to the head of an input queue. It answers with the output that it
// prefers and, if it is adaptive in transit, with outputs that may be taken instead while the preferred one cannot take
// the packet; the router looks at those anew in each cycle (Rule). All that a policy keeps about a packet it keeps in
// the Packet; what it keeps about routers it keeps itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/packets/packet.h"
#include "core/packets/random.h"
#include "core/packets/simulator/bit_set.h"
#include "core/packets/simulator/state.h"

namespace espalier::packets {

// Virtual channels of each class of ports.
struct VcCounts {
  std::uint32_t local = 1;
  std::uint32_t global = 1;
};

// When an alternative may be taken in place of the preferred output.
enum class Rule : std::uint8_t {
  kThreshold,      // its fill is less than Parameters::threshold times that of the preferred one (Garcia 2013, III)
  kLeastOccupied,  // always; the emptiest of those that can take the packet
};

// Half a line of the cache: each hop writes one.
struct alignas(32) Request {
  static constexpr std::size_t kMaxAlternatives = 2;
  static constexpr std::uint8_t kNowhere = 0xFF;  // as position: there is no path

  // Alternatives: some ports, bits by position among the router's, on any virtual channel from the first to the last.
  std::array<BitWord, kMaxAlternatives> ports = {};
  std::array<std::uint8_t, kMaxAlternatives> first_vc = {};
  std::array<std::uint8_t, kMaxAlternatives> last_vc = {};

  std::uint8_t position = 0;  // the preferred port among the router's
  std::uint8_t vc = 0;
  std::uint8_t num_alternatives = 0;
  Rule rule = Rule::kThreshold;

  void offer(BitWord positions, std::uint32_t first, std::uint32_t last) {
    if (positions == 0) return;
    ports[num_alternatives] = positions;
    first_vc[num_alternatives] = static_cast<std::uint8_t>(first);
    last_vc[num_alternatives++] = static_cast<std::uint8_t>(last);
  }
  void offer(BitWord positions, std::uint32_t vc_alone) { offer(positions, vc_alone, vc_alone); }
};
static_assert(sizeof(Request) == 32);

// Where the packet is that asks.
struct Place {
  Router router = kNone;
  Port in = kNone;  // the port by which it came; a node's port: it starts here
  std::uint32_t vc = 0;
};

// Routers whose cycles are worked off together. Regions are apart by up to the latency of the links between them, so
// what a policy knows of other regions' routers may be of other cycles (regions.cc).
struct Region {
  std::uint32_t number = 0;
  std::span<const Router> routers;
};

// How far a policy looks: at routers of the packet's group, or at any. Regions are whole groups.
enum class Scope : std::uint8_t { kGroup, kNetwork };

class Policy {
 public:
  virtual ~Policy() = default;

  [[nodiscard]] virtual VcCounts vcs() const = 0;

  // The packet has come to the head of its queue, and its destination is at another router.
  [[nodiscard]] virtual Request request(const State& state, const Place& place, Packet& packet, Random& random) = 0;

  // Whether requests ever have alternatives. With a policy that says no, routers keep no books for them.
  [[nodiscard]] virtual bool diverts() const { return true; }

  // Whether the policy is to be told of each packet that leaves.
  [[nodiscard]] virtual bool follows_departures() const { return false; }
  // The packet leaves by this port, preferred or not; the hop is counted when it asks again.
  virtual void sent(const State& /*state*/, Packet& /*packet*/, Port /*out*/) {}

  // Whether the policy is to be told of credits, and may delay those that it gives.
  [[nodiscard]] virtual bool follows_credits() const { return false; }
  // A unit has left the buffer behind this port.
  virtual void credited(const State& /*state*/, Port /*out*/, std::uint32_t /*vc*/) {}
  // Cycles by which the credit for a unit that came by `in` and left by `out` is told late, and the most of them.
  [[nodiscard]] virtual Cycle credit_delay(const State& /*state*/, Port /*in*/, Port /*out*/) const { return 0; }
  [[nodiscard]] virtual Cycle most_credit_delay() const { return 0; }

  // The virtual channel of the injection queue; kNone: any.
  [[nodiscard]] virtual std::uint32_t injection_vc(const Packet& /*packet*/) const { return kNone; }

  // Called each cycle for each region, before packets move there.
  virtual void tick(const State& /*state*/, const Region& /*region*/) {}
  // What it looks at besides the packet's own router.
  [[nodiscard]] virtual Scope scope() const { return Scope::kGroup; }
};

}  // namespace espalier::packets
