// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Units that have won an output leave: for the next router, or to their node.
#include <algorithm>
#include <array>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::transport() {
  for (std::size_t i = 0; i < winners_.size(); ++i) {
    if (ahead_ && i + kFar < winners_.size()) {
      const Winner& soon = winners_[i + kFar];
      prefetch(queues_[soon.queue]);
      prefetch(ports_[port_of(soon.output)]);
    }
    if (ahead_ && i + kNear + 4 < winners_.size()) {
      const Queue& soon = queues_[winners_[i + kNear + 4].queue];
      prefetch(slots_[soon.first_slot + soon.head]);
    }
    if (ahead_ && i + 4 < winners_.size() &&
        (policy_follows_departures_ || ports_[port_of(winners_[i + 4].output)].end.kind == PortClass::kNode))
      prefetch(packets_[head_of(queues_[winners_[i + 4].queue])]);
    move(winners_[i]);
  }
  winners_.clear();
  arrive();
}

// What is on its way becomes known where it goes.
inline void Simulator::arrive() {
  for (const Leaving& unit : leaving_[kInside]) region_->arrivals.add(unit.at, unit.arrival);
  for (const Leaving& unit : leaving_[kOutside]) {
    const PortEnd& end = ports_[unit.out].end;
    parts_[part_of_[end.router]].arrivals.push({unit.at, region_of_[end.neighbor], unit.arrival});
  }
  for (const Leaving& unit : leaving_[kToNode]) deliver(unit.arrival.packet, unit.at);
  for (List<Leaving>& units : leaving_) units.clear();
  if (state_.unit > 1) tell_of_room();
}

inline void Simulator::move(const Winner& winner) {
  const Port out = port_of(winner.output);
  PortState& port = ports_[out];
  const PortEnd& end = port.end;
  Queue& queue = queues_[winner.queue];
  const PacketId id = head_of(queue);
  const bool last_unit = queue.sent + 1U == units_of_packet_;
  queue.status = Queue::Status::kMoving;
  queue.out = end.position;
  queue.out_vc = static_cast<std::uint8_t>(vc_of(winner.output));
  const Cycle begin = std::max(state_.now, port.link_free);
  port.link_free = begin + port.serial;
  region_->departures.add(state_.now + port.crossing, {winner.queue, out});
  if (state_.unit > 1 && ports_[port_of(winner.queue)].end.kind != PortClass::kNode)
    for (std::uint32_t phit = 1; phit <= state_.unit; ++phit)
      free_room(winner.queue, state_.now + (phit * port.crossing + state_.unit - 1) / state_.unit);
  ++counters_.units_sent[static_cast<std::size_t>(end.kind)];
  const bool to_node = end.kind == PortClass::kNode;
  const bool first_of_hop = !to_node & (queue.sent == 0);
  packet_hops_ += static_cast<std::uint64_t>(first_of_hop);
  if (policy_follows_departures_ && first_of_hop) policy_.sent(state_, packets_[id], out);
  // Behind a faster crossbar a unit may overtake its own tail: its head then counts as arrived when the tail does. At
  // nodes it is always the tail that counts.
  const std::uint32_t spread = port.serial - port.crossing;
  const std::array<Cycle, 2> after = {parameters_.pipeline + spread, port.serial};
  const Cycle at = begin + end.latency + after[std::size_t{to_node}];
  leaving_[reach(end)].add_if(!to_node | last_unit, {at, out, {state_.queue(end.peer, queue.out_vc), id}});
}

inline void Simulator::deliver(PacketId id, Cycle at) {
  const Packet& packet = packets_[id];
  const std::uint32_t latency = at - packet.birth;
  ++counters_.packets;
  counters_.phits += parameters_.packet_phits;
  if (packet.source >= network_.num_hosts) counters_.phits_of_switches += parameters_.packet_phits;
  counters_.latency += latency;
  counters_.hops += packet.hops;
  counters_.misrouted += packet.misrouted ? 1 : 0;
  latencies_.add(latency);
  ++delivered_;
  last_delivery_ = std::max(last_delivery_, at);
  end(id, at);
}

// The packet is no more: it has arrived, or nobody knew a path for it.
void Simulator::end(PacketId id, Cycle at) {
  traffic_.delivered(packets_[id], at, woken_);
  give_unused(id);
  for (const Node node : woken_) {
    Sender& sender = senders_[node];
    if (sender.birth != kNever || sender.packet != kIdle) continue;  // it has not come to its end
    sender.birth = traffic_.next_birth(node, at + 1, random_of(router_of_node_[node]));
    if (sender.birth != kNever) region_->births.add(std::min(sender.birth, state_.now + horizon_), node);
  }
  woken_.clear();
}

}  // namespace espalier::packets
