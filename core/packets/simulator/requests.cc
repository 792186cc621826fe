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
  for (std::size_t i = 0; i < new_heads_.size(); ++i) {
    if (ahead_ && i + kNear < new_heads_.size()) {
      prefetch(packets_[new_heads_[i + kNear].packet]);
      if (policy_diverts_) prefetch(requests_[new_heads_[i + kNear].queue]);
    }
    sort(new_heads_[i]);
  }
  new_heads_.clear();
  for (const Unit& head : sorted_[1]) ask_its_node(head);
  for (const Unit& head : sorted_[0]) ask_policy(head);
  for (List<Unit>& heads : sorted_) heads.clear();
}

// At once where all that it needs is in the cache.
inline void Simulator::wait_for(const Wait& wait) {
  if (ahead_) return waits_.add(wait);
  line_up(wait);
}

// Whether the packet is at the router of its node cannot be guessed, and is known as soon as the packet is here: so all
// are looked at before one asks.
inline void Simulator::sort(const Unit& head) {
  const PortState& in = ports_[port_of(head.queue)];
  Packet& packet = packets_[head.packet];
  packet.count_hop(in.kind);
  sorted_[std::size_t{packet.target == in.router}].add(head);
}

inline void Simulator::ask_its_node(const Unit& head) {
  Queue& queue = queues_[head.queue];
  const Port out = node_port_[packets_[head.packet].destination];
  queue.status = Queue::Status::kWaiting;
  queue.out = ports_[out].position;
  queue.out_vc = 0;
  wait_for({head.queue, state_.queue(out, 0)});
}

inline void Simulator::ask_policy(const Unit& head) {
  Queue& queue = queues_[head.queue];
  const Port in = port_of(head.queue);
  const PortState& port = ports_[in];
  const Request request =
      policy_.request(state_, {port.router, in, vc_of(head.queue)}, packets_[head.packet], random_of(port.router));
  if (request.position == Request::kNowhere) return drop(head);
  queue.status = Queue::Status::kWaiting;
  queue.out = request.position;
  queue.out_vc = request.vc;
  if (request.num_alternatives > 0) {
    check(policy_diverts_, "a policy offers alternatives and says that it does not");
    requests_[head.queue] = request;
    queue.status = request.rule == Rule::kThreshold ? Queue::Status::kSeekingBelow : Queue::Status::kSeekingEmptiest;
  }
  wait_for({head.queue, state_.queue(in - port.position + request.position, request.vc)});
}

// Nobody knows a path for the packet at the head.
void Simulator::drop(const Unit& head) {
  ++undelivered_;
  check(!wormhole_, "a packet has no route, and wormhole cannot drop it; see espalier verify, or use --switching vct");
  end(head.packet, state_.now);
  const bool at_node = ports_[port_of(head.queue)].kind == PortClass::kNode;
  for (std::uint32_t credit = 0; credit < (at_node ? 1 : state_.unit); ++credit) free_room(head.queue, state_.now + 1);
  pop(head.queue, state_.now + 1);
}

void Simulator::line_up() {
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (ahead_ && i + kFar < waits_.size()) {
      prefetch(lines_[waits_[i + kFar].output]);
      prefetch(next_[waits_[i + kFar].queue]);
      prefetch(ports_[port_of(waits_[i + kFar].output)]);
    }
    line_up(waits_[i]);
  }
  waits_.clear();
  for (const Port out : busy_) region_->frees.add(ports_[out].free_at, out);
  busy_.clear();
}

inline void Simulator::line_up(const Wait& wait) {
  const Port out = port_of(wait.output);
  const std::uint32_t vc = vc_of(wait.output);
  PortState& port = ports_[out];
  const std::uint32_t first = state_.queue(out - port.position, 0);
  Line& line = lines_[wait.output];
  std::uint16_t* const next = &next_[first];
  const auto place = static_cast<std::uint16_t>(wait.queue - first);
  const auto last = static_cast<std::uint16_t>(place ^ ((place ^ line.last) & -int{line.count != 0}));
  next[place] = place;  // a line of one; of more, it comes between the last and the first
  std::swap(next[place], next[last]);
  line.last = place;
  ++line.count;
  const bool first_here = port.wanted == 0;
  port.wanted |= static_cast<std::uint16_t>(1U << vc);
  ++state_.waiting[out];
  const bool free = port.free_at <= state_.now;
  list_if(free & ((port.room >> vc & 1U) != 0), out);
  if (policy_diverts_) return seek(wait);
  busy_.add_if(first_here & !free, out);  // those that come later find it planned
}

// By what other outputs a head may leave.
void Simulator::seek(const Wait& wait) {
  const Queue::Status status = queues_[wait.queue].status;
  if (status == Queue::Status::kWaiting) return;
  const Port out = port_of(wait.output);
  const PortState& port = ports_[out];
  const RouterSets::View sets = sets_.of(port.router, port.position);
  RouterSets::OfVc& of_vc = sets.vc(vc_of(wait.output));
  const BitWord position = bit_of(port.position);
  sets.seeking() |= position;
  of_vc.seeking |= position;
  if (status == Queue::Status::kSeekingEmptiest) of_vc.emptiest |= position;
  const Request& request = requests_[wait.queue];
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i) sought_[out] |= request.ports[i];
  wake(port.router);
}

}  // namespace espalier::packets
