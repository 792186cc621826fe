// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What more than one step does to queues. Inline: each hop does all of it.
#pragma once

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

inline void Simulator::push(std::uint32_t index, PacketId packet) {
  Queue& queue = queues_[index];
  std::uint32_t slot = queue.head + queue.count;
  if (slot >= queue.capacity) slot -= queue.capacity;
  slots_[queue.first_slot + slot] = packet;
  ++queue.count;
  if (queue.status == Queue::Status::kEmpty) {
    queue.status = Queue::Status::kNew;
    new_heads_.add(index);
    if (!ahead_) prefetch(packets_[packet]);  // a region has few new heads in a cycle: in ask() it would be too late
  } else if (queue.status == Queue::Status::kStalled) {
    go_on(index);
  }
}

// Wormhole: the next flit goes where the one before it went.
inline void Simulator::go_on(std::uint32_t index) {
  Queue& queue = queues_[index];
  queue.status = Queue::Status::kWaiting;
  queue.asks = Asks::kNothing;
  const Port first = network_.first_port[ports_[port_of(index)].end.router];
  waits_.add({index, state_.queue(first + queue.out, queue.out_vc)});
}

// What has left the queue at `at`, for where it came from.
inline void Simulator::free_room(std::uint32_t index, Cycle at) {
  const Port in = port_of(index);
  const PortEnd& end = ports_[in].end;
  const Cycle late = policy_follows_credits_ && end.kind != PortClass::kNode
                         ? policy_.credit_delay(state_, in, network_.first_port[end.router] + queues_[index].out)
                         : 0;
  room_[reach(end)].push({at + end.latency + late, in, state_.queue(end.peer, vc_of(index))});
}

}  // namespace espalier::packets
