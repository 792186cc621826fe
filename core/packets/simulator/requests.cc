// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the heads of queues ask for, and the lines in which they wait for it.
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::ask() {
  const std::size_t first = waits_.size();
  waits_.extend(new_heads_.size());
  for (std::size_t i = 0; i < new_heads_.size(); ++i) {
    if (ahead_ && i + kFar < new_heads_.size()) {
      const Queue& soon = queues_[new_heads_[i + kFar]];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    if (ahead_ && i + kNear < new_heads_.size()) {
      prefetch(packets_[head_of(queues_[new_heads_[i + kNear]])]);
      if (policy_diverts_) prefetch(requests_[new_heads_[i + kNear]]);
    }
    sort(new_heads_[i], first + i);
  }
  new_heads_.clear();
  for (const std::size_t wait : sorted_[1]) ask_its_node(waits_[wait]);
  for (const std::size_t wait : sorted_[0]) ask_policy(waits_[wait]);
  for (List<std::size_t>& waits : sorted_) waits.clear();
}

// Whether the packet is at the router of its node cannot be guessed, and is known as soon as the packet is here: so all
// are looked at before one asks.
inline void Simulator::sort(std::uint32_t index, std::size_t wait) {
  Queue& queue = queues_[index];
  const PortEnd& end = ports_[port_of(index)].end;
  Packet& packet = packets_[head_of(queue)];
  packet.count_hop(end.kind);
  queue.status = Queue::Status::kWaiting;
  queue.asks = Asks::kNothing;
  waits_[wait].queue = index;
  sorted_[std::size_t{packet.target == end.router}].add(wait);
}

inline void Simulator::ask_its_node(Wait& wait) {
  Queue& queue = queues_[wait.queue];
  const Port out = network_.node_port[packets_[head_of(queue)].destination];
  queue.out = ports_[out].end.position;
  queue.out_vc = 0;
  wait.output = state_.queue(out, 0);
}

inline void Simulator::ask_policy(Wait& wait) {
  Queue& queue = queues_[wait.queue];
  const Port in = port_of(wait.queue);
  const PortEnd& end = ports_[in].end;
  const Request request =
      policy_.request(state_, {end.router, in, vc_of(wait.queue)}, packets_[head_of(queue)], random_of(end.router));
  if (request.position == Request::kNowhere) return drop(wait);
  queue.out = request.position;
  queue.out_vc = request.vc;
  if (request.num_alternatives > 0) {
    check(policy_diverts_, "a policy offers alternatives and says that it does not");
    requests_[wait.queue] = request;
    queue.asks = request.rule == Rule::kThreshold ? Asks::kBelowThreshold : Asks::kEmptiest;
  }
  wait.output = state_.queue(in - end.position + request.position, request.vc);
}

// Nobody knows a path for the packet at the head.
void Simulator::drop(Wait& wait) {
  Queue& queue = queues_[wait.queue];
  ++undelivered_;
  queue.status = Queue::Status::kMoving;
  check(!wormhole_, "a packet has no route, and wormhole cannot drop it; see espalier verify, or use --switching vct");
  end(head_of(queue), state_.now);
  if (state_.unit > 1 && ports_[port_of(wait.queue)].end.kind != PortClass::kNode)
    for (std::uint32_t phit = 0; phit < state_.unit; ++phit) free_room(wait.queue, state_.now + 1);
  region_->departures.add(state_.now + 1, {wait.queue, kNone});
  wait.queue = kIdle;
}

void Simulator::line_up() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (ahead_ && i + kFar < waits_.size() && waits_[i + kFar].queue != kIdle) {
      prefetch(lines_[waits_[i + kFar].output]);
      prefetch(next_[waits_[i + kFar].queue]);
    }
    if (ahead_ && i + kNear < waits_.size() && waits_[i + kNear].queue != kIdle)
      sets_.fetch(ports_[port_of(waits_[i + kNear].queue)].end.router);
    if (waits_[i].queue != kIdle) line_up(waits_[i]);
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
  const std::array<std::uint16_t, 2> ends = {line.last, place};
  const std::uint16_t last = ends[std::size_t{line.count == 0}];
  next[place] = place;  // a line of one; of more, it comes between the last and the first
  std::swap(next[place], next[last]);
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
