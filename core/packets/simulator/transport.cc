// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Units that have won an output leave: for the next router, or to their node. Where they came from is told that there
// will be room.
#include <algorithm>
#include <array>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::transport() {
  for (std::size_t i = 0; i < winners_.size(); ++i) {
    if (ahead_ && i + kFar < winners_.size()) {
      prefetch(queues_[winners_[i + kFar].queue]);
      prefetch(ports_[port_of(winners_[i + kFar].queue)]);
    }
    if (ahead_ && i + 4 < winners_.size() &&
        (policy_follows_departures_ || ports_[port_of(winners_[i + 4].output)].kind == PortClass::kNode))
      prefetch(packets_[queues_[winners_[i + 4].queue].head]);
    move(winners_[i]);
  }
  winners_.clear();
  arrive();
  tell_of_room();
}

inline void Simulator::move(const Winner& winner) {
  const Port out = port_of(winner.output);
  const PortState& port = ports_[out];
  const Queue& queue = queues_[winner.queue];
  const PacketId id = queue.head;
  const bool to_node = port.kind == PortClass::kNode;
  const bool first_of_hop = !to_node & (queue.sent == 0);
  const bool last_unit = queue.sent + 1U == units_of_packet_;
  ++counters_.units_sent[static_cast<std::size_t>(port.kind)];
  packet_hops_ += static_cast<std::uint64_t>(first_of_hop);
  if (policy_follows_departures_ && first_of_hop) [[unlikely]]
    policy_.sent(state_, packets_[id], out);
  // Behind a faster crossbar a unit may overtake its own tail: its head then counts as arrived when the tail does. At
  // nodes it is always the tail that counts.
  const Cycle tail = port.link_free + port.latency;
  const Cycle at = tail - std::uint32_t{!to_node} * (port.crossing - parameters_.pipeline);
  leaving_[port.reach].add_if(!to_node | last_unit, {at, out, {port.peer + vc_of(winner.output), id}});
  if (one_input_) region_->inputs.add(state_.now + port.crossing, port_of(winner.queue));
  if (state_.unit > 1 && ports_[port_of(winner.queue)].kind != PortClass::kNode)
    for (std::uint32_t phit = 1; phit < state_.unit; ++phit)
      free_room(winner.queue, state_.now + (phit * port.crossing + state_.unit - 1) / state_.unit);
  free_room(winner.queue, state_.now + port.crossing);
  pop(winner.queue, state_.now + port.crossing);
}

// What is on its way becomes known where it goes.
inline void Simulator::arrive() {
  for (const Leaving& leaving : leaving_[kInside]) region_->arrivals.add(leaving.at, leaving.unit);
  for (const Leaving& leaving : leaving_[kOutside]) {
    const PortState& port = ports_[leaving.out];
    parts_[part_of_[port.router]].arrivals.push({leaving.at, port.region_behind, leaving.unit});
  }
  for (const Leaving& leaving : leaving_[kToNode]) deliver(leaving.unit.packet, leaving.at);
  for (List<Leaving>& units : leaving_) units.clear();
}

// Routers learn of it by credits, nodes at once.
inline void Simulator::tell_of_room() {
  for (const Room& room : room_[kInside]) region_->credits.add(room.at, room.output);
  for (const Room& room : room_[kOutside]) {
    const PortState& port = ports_[room.in];
    parts_[part_of_[port.router]].credits.push({room.at, port.region_behind, room.output});
  }
  if (num_blocked_ > 0)
    for (const Room& room : room_[kToNode]) unblock(room);
  for (List<Room>& rooms : room_) rooms.clear();
}

// The node that waits for it, if it does.
inline void Simulator::unblock(const Room& room) {
  const PortState& port = ports_[room.in];
  if (!senders_[port.peer].blocked) return;
  senders_[port.peer].blocked = false;
  --num_blocked_;
  region_->births.add(room.at - port.latency, port.peer);
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
  give_unused(id);
  if (!traffic_reacts_) return;
  traffic_.delivered(packets_[id], at, woken_);
  for (const Node node : woken_) {
    Sender& sender = senders_[node];
    if (sender.birth != kNever || sender.packet != kIdle) continue;  // it has not come to its end
    sender.birth = traffic_.next_birth(node, at + 1, random_of(router_of_node_[node]));
    if (sender.birth != kNever) region_->births.add(std::min(sender.birth, state_.now + horizon_), node);
  }
  woken_.clear();
}

}  // namespace espalier::packets
