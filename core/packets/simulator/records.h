// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the simulator keeps of queues, ports, packets and regions, and what its steps hand to each other: plain structs,
// small, as a hop reads and writes most of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/packets/packet.h"
#include "core/packets/simulator/bit_set.h"
#include "core/packets/simulator/event_wheel.h"
#include "core/packets/simulator/list.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

inline constexpr std::uint32_t kIdle = 0xFFFFFFFF;
inline constexpr std::size_t kMostVcs = 16;

// A queue of an input port: its head, and a ring of those behind, in the order in which they came. The units of a packet are
// next to each other. A unit that has begun to leave is no longer in it, but keeps its place until it has crossed.
struct Queue {
  enum class Status : std::uint8_t {
    kEmpty,
    kNew,      // its head is new, and has not asked for anything
    kMoving,   // its head comes forward when the unit before it has crossed
    kStalled,  // wormhole: part of a packet was sent on, the next flit is yet to come
    kWaiting,  // its head is in the line of an output; the same, with alternatives
    kSeekingBelow,
    kSeekingEmptiest,
  };
  PacketId head = kIdle;
  Cycle busy_until = 0;  // when the unit before it has crossed
  std::uint16_t count = 0;
  std::uint16_t sent = 0;  // units of the head's packet that have left
  Status status = Status::kEmpty;
  std::uint8_t out = 0;  // position of the port that the head waits for, or, once a flit has left, goes by
  std::uint8_t out_vc = 0;

  [[nodiscard]] bool waits() const { return status >= Status::kWaiting; }
};
static_assert(sizeof(Queue) == 16);

// Where those wait that are behind the head of a queue: most queues have none, and touch no slots.
struct Ring {
  std::uint32_t slot = 0;  // of the first
  std::uint32_t mask = 0;  // its slots, a power of two, less one; they begin at a multiple of them

  // Of the one that so many of the ring are before.
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t before) const { return (slot & ~mask) | ((slot + before) & mask); }
};

// What a link leads to: a node, a router of the same part, or one of another. Units are sorted by that, as one branch
// for each of them would be guessed wrong as often as not.
enum Reach : std::uint8_t { kToNode, kInside, kOutside };
inline constexpr std::size_t kReaches = 3;

// What is known of a port. Half a line of the cache.
struct alignas(32) PortState {
  std::uint32_t peer = kNone;  // the first queue at the other end; of kNode ports the node
  Router router = kNone;
  Cycle link_free = 0;         // when the link can take the next unit
  Cycle free_at = 0;           // when the output can begin the next unit
  std::uint16_t latency = 1;   // cycles
  std::uint16_t serial = 0;    // cycles of a unit on the link
  std::uint16_t crossing = 0;  // cycles of a unit through the crossbar
  // Virtual channels of the output, a bit each: those that heads wait for, and those with room behind.
  std::uint16_t wanted = 0;
  std::uint16_t room = 0;
  std::uint8_t position = 0;  // among the router's
  PortClass kind = PortClass::kLocal;
  Reach reach = kInside;
  bool listed = false;
  std::uint16_t region_behind = 0;  // of the router at the other end
};
static_assert(sizeof(PortState) == 32);

// A unit, and the queue that it is in or will come to.
struct Unit {
  std::uint32_t queue;
  PacketId packet;
};
struct Sender {
  Cycle birth = kNever;     // of the next packet, or of the one that is under way into the router
  PacketId packet = kIdle;  // born, some of its units still at the node
  std::uint16_t units = 0;  // of these
  std::uint8_t vc = 0;
  bool started = false;  // a unit has gone: it stays on its vc
  bool blocked = false;  // no room; the router wakes it
};
// Heads of a router's queues that wait for one output: a circle, see next_.
struct Line {
  std::uint16_t last = 0;  // place of the queue among the router's
  std::uint16_t count = 0;
};
struct Wait {
  std::uint32_t queue;
  std::uint32_t output;
};
struct Winner {
  std::uint32_t queue;
  std::uint32_t output;
};
// Room that a unit has left behind by a port: who is told of it, and when.
struct Room {
  Cycle at;
  Port in;
  std::uint32_t output;
};
// A unit that is on its way.
struct Leaving {
  Cycle at;
  Port out;
  Unit unit;
};
// The router that is served.
struct Here {
  Router router;
  Port first;  // port
  std::uint32_t first_queue;
  std::uint16_t* next;  // next_ of its queues
};
// Outputs of a router that may be taken instead of the preferred one, by virtual channel; bits by position.
struct Openings {
  BitWord free = 0;
  std::array<BitWord, kMostVcs> room;   // free, with room
  std::array<BitWord, kMostVcs> below;  // of these, below the threshold of a preferred output
};

// Records of packets that ended in a region, so that they are in the cache.
struct Unused {
  static constexpr std::uint32_t kSome = 256;  // that regions pass on at one time
  std::array<PacketId, 2 * kSome> ids;
  std::uint32_t count = 0;
};

// Parts that are worked off together, and all that will happen at them (regions.cc).
struct RegionState {
  explicit RegionState(std::uint32_t horizon)
      : arrivals(horizon), credits(horizon), heads(horizon), frees(horizon), inputs(horizon), births(horizon) {}
  std::vector<Router> routers;
  EventWheel<Unit> arrivals;
  EventWheel<std::uint32_t> credits;  // the output that gets one
  EventWheel<std::uint32_t> heads;    // the queue whose next unit comes forward
  EventWheel<Port> frees;             // the output that becomes free, if anybody may wait for it
  EventWheel<Port> inputs;            // one_input_: the input that may send again
  EventWheel<Node> births;
  List<Router> awake;  // where heads look for alternatives
  Unused unused;
};

template <class Event>
struct Crossing {
  Cycle at;
  std::uint32_t region;
  Event event;
};
// Routers that are close to each other: what they send to other parts.
struct Part {
  List<Crossing<Unit>> arrivals;
  List<Crossing<std::uint32_t>> credits;
};

}  // namespace espalier::packets
