// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What happens at a known time: units arrive, units have left, credits come back.
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::take_credits() {
  auto& today = today_.credits;
  region_->credits.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (i + kFar < today.size()) {
      const std::uint32_t soon = today[i + kFar];
      prefetch(state_.credits[soon]);
      prefetch(network_.ports[port_of(soon)]);
    }
    const std::uint32_t output = today[i];
    const Port port = port_of(output);
    --state_.used[port];
    if (policy_follows_credits_) policy_.credited(state_, port, output - port * state_.vcs);
    const PortEnd& end = network_.ports[port];
    if (state_.credits[output]++ == 0) with_room(end.router, output - port * state_.vcs).add(end.position);
    wake(end.router);
  }
  today.clear();
}

void Simulator::set_free(Port out) {
  const PortEnd& end = network_.ports[out];
  free_outputs(end.router).add(end.position);
  wake(end.router);
}

void Simulator::take_departures() {
  auto& today = today_.departures;
  region_->departures.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (i + kFar < today.size() && today[i + kFar].queue != kIdle) {
      prefetch(queues_[today[i + kFar].queue]);
      prefetch(network_.ports[port_of(today[i + kFar].queue)]);
    }
    if (i + kNear < today.size() && today[i + kNear].out != kNone)
      prefetch(*port_set(network_.ports[today[i + kNear].out].router, 0));
    const Departure departure = today[i];
    if (departure.queue != kIdle) finish_unit(departure.queue);
    if (departure.out == kNone) continue;
    const Cycle may_begin = link_free_[departure.out] > parameters_.output_buffer
                                ? link_free_[departure.out] - parameters_.output_buffer
                                : 0;
    if (may_begin > state_.now)
      region_->departures.add(may_begin, {kIdle, departure.out});
    else
      set_free(departure.out);
  }
  today.clear();
}

// The unit at the head has left: its room is free, and what lies behind it comes forward.
void Simulator::finish_unit(std::uint32_t index) {
  Queue& queue = queues_[index];
  const Port in = port_of(index);
  const PortEnd& end = network_.ports[in];
  busy_in_[in] = 0;
  queue.head = static_cast<std::uint16_t>(queue.head + 1 == queue.capacity ? 0 : queue.head + 1);
  --queue.count;
  wake(end.router);
  if (end.kind == PortClass::kNode) {
    Sender& sender = senders_[end.peer];
    if (sender.blocked) {
      sender.blocked = false;
      region_->births.add(state_.now, end.peer);
    }
  } else {
    const Cycle late =
        policy_follows_credits_ ? policy_.credit_delay(state_, in, network_.first_port[end.router] + queue.out) : 0;
    add_credit(end, state_.now + end.latency + late, end.peer * state_.vcs + (index - in * state_.vcs));
  }
  if (++queue.sent == units_of_packet_) {
    queue.sent = 0;
    queue.status = queue.count > 0 ? Queue::Status::kNew : Queue::Status::kEmpty;
    if (queue.count > 0) new_heads_.push_back(index);
  } else if (queue.count > 0) {
    go_on(index);
  } else {
    queue.status = Queue::Status::kStalled;
  }
}

// Wormhole: the next flit goes where the one before it went.
void Simulator::go_on(std::uint32_t index) {
  Queue& queue = queues_[index];
  queue.status = Queue::Status::kWaiting;
  asks_[index] = Asks::kNothing;
  const Port first = network_.first_port[network_.ports[port_of(index)].router];
  waits_.push_back({index, (first + queue.out) * state_.vcs + queue.out_vc});
}

void Simulator::take_arrivals() {
  auto& today = today_.arrivals;
  region_->arrivals.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (i + kFar < today.size()) {
      const Arrival soon = today[i + kFar];
      prefetch(queues_[soon.queue]);
      prefetch(network_.ports[port_of(soon.queue)]);
    }
    if (i + kNear < today.size()) {
      const Queue& soon = queues_[today[i + kNear].queue];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    push(today[i].queue, today[i].packet);
  }
  today.clear();
}

void Simulator::push(std::uint32_t index, PacketId packet) {
  Queue& queue = queues_[index];
  std::uint32_t slot = queue.head + queue.count;
  if (slot >= queue.capacity) slot -= queue.capacity;
  slots_[queue.first_slot + slot] = packet;
  ++queue.count;
  if (queue.status == Queue::Status::kEmpty) {
    queue.status = Queue::Status::kNew;
    new_heads_.push_back(index);
  } else if (queue.status == Queue::Status::kStalled) {
    go_on(index);
  }
}

}  // namespace espalier::packets
