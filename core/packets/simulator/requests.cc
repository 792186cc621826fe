// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the heads of queues ask for, and the lines in which they wait for it.
#include "core/base/check.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::ask() {
  for (std::size_t i = 0; i < new_heads_.size(); ++i) {
    if (ahead_ && i + kFar < new_heads_.size()) {
      const Queue& soon = queues_[new_heads_[i + kFar]];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    if (ahead_ && i + kNear < new_heads_.size()) {
      prefetch(packets_[head_of(queues_[new_heads_[i + kNear]])]);
      if (policy_diverts_) prefetch(requests_[new_heads_[i + kNear]]);
    }
    ask_for(new_heads_[i]);
  }
  new_heads_.clear();
}

inline void Simulator::ask_for(std::uint32_t index) {
  Queue& queue = queues_[index];
  const Port in = port_of(index);
  const PortEnd& end = ports_[in].end;
  const Router r = end.router;
  Packet& packet = packets_[head_of(queue)];
  queue.status = Queue::Status::kWaiting;
  packet.count_hop(end.kind);
  if (packet.target == r) {
    const Port out = network_.node_port[packet.destination];
    queue.out = ports_[out].end.position;
    queue.out_vc = 0;
    queue.asks = Asks::kNothing;
    waits_.add({index, state_.queue(out, 0)});
    return;
  }
  const Request request = policy_.request(state_, {r, in, vc_of(index)}, packet, random_of(r));
  if (request.position == Request::kNowhere) return drop(index);
  queue.out = request.position;
  queue.out_vc = request.vc;
  queue.asks = Asks::kNothing;
  if (request.num_alternatives > 0) {
    check(policy_diverts_, "a policy offers alternatives and says that it does not");
    requests_[index] = request;
    queue.asks = request.rule == Rule::kThreshold ? Asks::kBelowThreshold : Asks::kEmptiest;
  }
  waits_.add({index, state_.queue(in - end.position + request.position, request.vc)});
}

// Nobody knows a path for the packet at the head.
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
    if (ahead_ && i + kFar < waits_.size()) {
      prefetch(lines_[waits_[i + kFar].output]);
      prefetch(next_[waits_[i + kFar].queue]);
    }
    if (ahead_ && i + kNear < waits_.size()) sets_.fetch(ports_[port_of(waits_[i + kNear].queue)].end.router);
    line_up(waits_[i]);
  }
  waits_.clear();
}

inline void Simulator::line_up(const Wait& wait) {
  const Port out = port_of(wait.output);
  PortState& port = ports_[out];
  const Queue& queue = queues_[wait.queue];
  const std::uint32_t first = state_.queue(out - port.end.position, 0);
  Line& line = lines_[wait.output];
  std::uint16_t* const next = &next_[first];
  const auto place = static_cast<std::uint16_t>(wait.queue - first);
  next[place] = line.count == 0 ? place : next[line.last];
  if (line.count > 0) next[line.last] = place;
  line.last = place;
  ++state_.waiting[out];
  const RouterSets::View sets = sets_.of(port.end.router, port.end.position);
  RouterSets::OfVc& of_vc = sets.vc(queue.out_vc);
  const BitWord position = bit_of(port.end.position);
  if (line.count++ == 0) of_vc.wanted |= position;
  if (queue.asks != Asks::kNothing || (sets.free() & position) != 0) wake(port.end.router);
  if (queue.asks == Asks::kNothing) return;
  sets.seeking() |= position;
  of_vc.seeking |= position;
  if (queue.asks == Asks::kEmptiest) of_vc.emptiest |= position;
  const Request& request = requests_[wait.queue];
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i) port.sought |= request.ports[i];
}

}  // namespace espalier::packets
