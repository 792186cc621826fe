// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What more than one step does to queues. Inline: each hop does all of it.
#pragma once

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

inline void Simulator::push(const Unit& unit) {
  Queue& queue = queues_[unit.queue];
  ++queue.count;
  if (queue.status != Queue::Status::kEmpty && queue.status != Queue::Status::kStalled)
    return wait_behind(unit, queue.count - 2U);
  queue.head = unit.packet;
  if (queue.busy_until > state_.now) return come_later(unit.queue);
  if (queue.sent > 0) return go_on(unit.queue);
  queue.status = Queue::Status::kNew;
  new_heads_.add(unit);
  if (!ahead_) prefetch(packets_[unit.packet]);  // a region has few new heads in a cycle: in ask() it would be too late
}

inline void Simulator::wait_behind(const Unit& unit, std::uint32_t before) {
  slots_[rings_[unit.queue].slot_of(before)] = unit.packet;
}

// What is next in the queue comes forward when the unit before it has crossed the router.
inline void Simulator::come_later(std::uint32_t index) {
  queues_[index].status = Queue::Status::kMoving;
  region_->heads.add(queues_[index].busy_until, index);
}

// Wormhole: the next flit goes where the one before it went.
inline void Simulator::go_on(std::uint32_t index) {
  Queue& queue = queues_[index];
  queue.status = Queue::Status::kWaiting;
  const PortState& in = ports_[port_of(index)];
  waits_.add({index, state_.queue(port_of(index) - in.position + queue.out, queue.out_vc)});
}

// The unit at the head leaves: until then it crosses the router.
inline void Simulator::pop(std::uint32_t index, Cycle until) {
  Queue& queue = queues_[index];
  if (wormhole_) queue.sent = static_cast<std::uint16_t>(queue.sent + 1U == units_of_packet_ ? 0 : queue.sent + 1);
  queue.busy_until = until;
  if (--queue.count > 0) {
    Ring& ring = rings_[index];
    queue.head = slots_[ring.slot];
    ring.slot = ring.slot_of(1);
    return come_later(index);
  }
  queue.status = queue.sent == 0 ? Queue::Status::kEmpty : Queue::Status::kStalled;
}

// What will have left the queue at `at`, for where it came from.
inline void Simulator::free_room(std::uint32_t index, Cycle at) {
  const Port in = port_of(index);
  const PortState& port = ports_[in];
  const Cycle late = policy_follows_credits_ && port.kind != PortClass::kNode
                         ? policy_.credit_delay(state_, in, in - port.position + queues_[index].out)
                         : 0;
  room_[port.reach].push({at + port.latency + late, in, port.peer + vc_of(index)});
}

}  // namespace espalier::packets
