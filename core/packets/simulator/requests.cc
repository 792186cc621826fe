// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the heads of queues ask for, and the lines in which they wait for it.
#include "core/base/check.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::ask() {
  for (std::size_t i = 0; i < new_heads_.size(); ++i) {
    if (i + kFar < new_heads_.size()) {
      const Queue& soon = queues_[new_heads_[i + kFar]];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    if (i + kNear < new_heads_.size()) {
      prefetch(packets_[head_of(queues_[new_heads_[i + kNear]])]);
      prefetch(requests_[new_heads_[i + kNear]]);
    }
    ask_for(new_heads_[i]);
  }
  new_heads_.clear();
}

// The packet came by a port of this kind.
void Simulator::count_hop(PortClass kind, Packet& packet) {
  if (kind == PortClass::kNode) return;
  ++packet.hops;
  ++packet.group_hops;
  if (kind != PortClass::kGlobal) return;
  ++packet.global_hops;
  packet.group_hops = 0;
}

void Simulator::ask_for(std::uint32_t index) {
  Queue& queue = queues_[index];
  const Port in = port_of(index);
  const Router r = network_.ports[in].router;
  Packet& packet = packets_[head_of(queue)];
  queue.status = Queue::Status::kWaiting;
  count_hop(network_.ports[in].kind, packet);
  if (packet.target == r) {
    const Port out = network_.node_port[packet.destination];
    queue.out = network_.ports[out].position;
    queue.out_vc = 0;
    asks_[index] = Asks::kNothing;
    waits_.push_back({index, out * state_.vcs});
    return;
  }
  Request& request = requests_[index];
  request = policy_.request(state_, {r, in, index - in * state_.vcs}, packet, region_->random);
  if (request.position == Request::kNowhere) return drop(index);
  queue.out = request.position;
  queue.out_vc = request.vc;
  asks_[index] = request.num_alternatives == 0      ? Asks::kNothing
                 : request.rule == Rule::kThreshold ? Asks::kBelowThreshold
                                                    : Asks::kEmptiest;
  waits_.push_back({index, (network_.first_port[r] + request.position) * state_.vcs + request.vc});
}

// Nobody knows a way for the packet at the head.
void Simulator::drop(std::uint32_t index) {
  Queue& queue = queues_[index];
  ++undelivered_;
  queue.status = Queue::Status::kMoving;
  check(!wormhole_, "tables under wormhole have to deliver");
  end(head_of(queue), state_.now);
  region_->departures.add(state_.now + 1, {index, kNone});
}

void Simulator::line_up() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (i + kFar < waits_.size()) {
      prefetch(lines_[waits_[i + kFar].output]);
      prefetch(next_[waits_[i + kFar].queue]);
    }
    if (i + kNear < waits_.size()) {
      const Router soon = network_.ports[port_of(waits_[i + kNear].queue)].router;
      prefetch(*port_set(soon, 0));
      prefetch(*port_set(soon, sets_of_router_ - 1));
    }
    line_up(waits_[i]);
  }
  waits_.clear();
}

void Simulator::line_up(const Wait& wait) {
  const Router r = network_.ports[port_of(wait.queue)].router;
  const Queue& queue = queues_[wait.queue];
  Line& line = lines_[wait.output];
  std::uint16_t* next = &next_[first_queue(r)];
  const auto place = static_cast<std::uint16_t>(wait.queue - first_queue(r));
  next[place] = line.count == 0 ? place : next[line.last];
  if (line.count > 0) next[line.last] = place;
  line.last = place;
  ++state_.waiting[port_of(wait.output)];
  if (line.count++ == 0) wanted(r, queue.out_vc).add(queue.out);
  wake(r);
  if (asks_[wait.queue] == Asks::kNothing) return;
  (asks_[wait.queue] == Asks::kEmptiest ? by_emptiest(r, queue.out_vc) : by_threshold(r, queue.out_vc)) |=
      bit_of(queue.out);
  for (std::uint32_t i = 0; i < requests_[wait.queue].num_alternatives; ++i)
    sought_[port_of(wait.output)] |= requests_[wait.queue].ports[i];
}

}  // namespace espalier::packets
