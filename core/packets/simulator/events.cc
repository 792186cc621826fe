// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What happens at a known time: units arrive, units have left, credits come back.
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::take_credits() {
  auto& today = today_.credits;
  region_->credits.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) {
      const std::uint32_t soon = today[i + kFar];
      prefetch(state_.credits[soon]);
      prefetch(ports_[port_of(soon)]);
    }
    take_credit(today[i]);
  }
  today.clear();
}

inline void Simulator::take_credit(std::uint32_t output) {
  const Port port = port_of(output);
  const std::uint32_t vc = vc_of(output);
  const std::uint32_t used = --state_.used[port];
  const std::uint32_t room = ++state_.credits[output];
  if (policy_follows_credits_) policy_.credited(state_, port, vc);
  const PortEnd& end = ports_[port].end;
  if (room == state_.unit) sets_.of(end.router, end.position).vc(vc).room |= bit_of(end.position);
  if (policy_diverts_) {
    if (compares_ports_)
      levels_.drained(end.router, 0, end.position, used);
    else
      levels_.drained(end.router, vc, end.position, state_.capacity[port] - room);
    if (sets_.of(end.router).seeking() != 0) return wake(end.router);
  }
  if (room == state_.unit && lines_[output].count > 0) wake(end.router);
}

inline void Simulator::set_free(Port out) {
  const PortEnd& end = ports_[out].end;
  sets_.of(end.router, end.position).free() |= bit_of(end.position);
  const bool wanted = state_.waiting[out] > 0;
  const bool sought = sets_.of(end.router).seeking() != 0;
  wake_if(wanted | sought, end.router);
}

void Simulator::take_departures() {
  auto& today = today_.departures;
  region_->departures.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size() && today[i + kFar].queue != kIdle) {
      prefetch(queues_[today[i + kFar].queue]);
      prefetch(ports_[port_of(today[i + kFar].queue)]);
    }
    if (ahead_ && i + kNear < today.size() && today[i + kNear].out != kNone)
      sets_.fetch(ports_[today[i + kNear].out].end.router);
    const Departure departure = today[i];
    if (departure.queue != kIdle) finish_unit(departure.queue);
    if (departure.out == kNone) continue;
    const Cycle link_free = ports_[departure.out].link_free;
    if (link_free > state_.now + parameters_.output_buffer)
      region_->departures.add(link_free - parameters_.output_buffer, {kIdle, departure.out});
    else
      set_free(departure.out);
  }
  today.clear();
  tell_of_room();
}

// The unit at the head has left: its room is free, and what lies behind it comes forward.
inline void Simulator::finish_unit(std::uint32_t index) {
  Queue& queue = queues_[index];
  const Port in = port_of(index);
  const PortEnd& end = ports_[in].end;
  queue.head = static_cast<std::uint16_t>(queue.head + 1 == queue.capacity ? 0 : queue.head + 1);
  --queue.count;
  if (one_input_) {
    busy_in_[in] = 0;
    wake(end.router);
  }
  if (state_.unit == 1 || end.kind == PortClass::kNode) free_room(index, state_.now);
  if (++queue.sent == units_of_packet_) {
    queue.sent = 0;
    queue.status = queue.count > 0 ? Queue::Status::kNew : Queue::Status::kEmpty;
    if (queue.count > 0) {
      new_heads_.add(index);
      if (!ahead_) prefetch(packets_[head_of(queue)]);
    }
  } else if (queue.count > 0) {
    go_on(index);
  } else {
    queue.status = Queue::Status::kStalled;
  }
}

// Routers learn of it by credits, nodes at once.
void Simulator::tell_of_room() {
  for (const Room& room : room_[kInside]) region_->credits.add(room.at, room.output);
  for (const Room& room : room_[kOutside]) {
    const PortEnd& end = ports_[room.in].end;
    parts_[part_of_[end.router]].credits.push({room.at, region_of_[end.neighbor], room.output});
  }
  for (const Room& room : room_[kToNode]) {
    const Node node = ports_[room.in].end.peer;
    if (!senders_[node].blocked) continue;
    senders_[node].blocked = false;
    region_->births.add(state_.now, node);
  }
  for (List<Room>& rooms : room_) rooms.clear();
}

void Simulator::take_arrivals() {
  auto& today = today_.arrivals;
  region_->arrivals.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) {
      const Arrival soon = today[i + kFar];
      prefetch(queues_[soon.queue]);
      prefetch(ports_[port_of(soon.queue)]);
    }
    if (ahead_ && i + kNear < today.size()) {
      const Queue& soon = queues_[today[i + kNear].queue];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    push(today[i].queue, today[i].packet);
  }
  today.clear();
}

}  // namespace espalier::packets
