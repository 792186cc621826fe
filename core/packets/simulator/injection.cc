// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets are born at nodes and wait there for room in an injection queue of the router.
#include <algorithm>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::take_births() {
  auto& today = today_.numbers;
  region_->births.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kNear < today.size()) {
      prefetch(senders_[today[i + kNear]]);
      prefetch(queues_[state_.queue(node_port_[today[i + kNear]], 0)]);
    }
    inject(today[i]);
  }
  today.clear();
}

// A record of a packet that ended in this region, if there is one.
inline PacketId Simulator::take_unused() {
  Unused& mine = region_->unused;
  if (mine.count == 0) return make_unused();
  const PacketId id = mine.ids[--mine.count];
  if (mine.count > 0) prefetch(packets_[mine.ids[mine.count - 1]]);
  return id;
}

PacketId Simulator::make_unused() {
  if (unused_.empty()) {
    packets_.emplace_back();
    return static_cast<PacketId>(packets_.size() - 1);
  }
  Unused& mine = region_->unused;
  mine.count = static_cast<std::uint32_t>(std::min<std::size_t>(unused_.size(), Unused::kSome));
  std::copy_n(unused_.end() - mine.count, mine.count, mine.ids.begin());
  unused_.resize(unused_.size() - mine.count);
  return take_unused();
}

// Regions that more packets end in than begin leave some to the others.
void Simulator::share_unused() {
  Unused& mine = region_->unused;
  unused_.insert(unused_.end(), mine.ids.begin(), mine.ids.begin() + Unused::kSome);
  mine.count -= Unused::kSome;
  std::copy_n(mine.ids.begin() + Unused::kSome, mine.count, mine.ids.begin());
}

inline PacketId Simulator::make_packet(Node node, Cycle birth, Random& random) {
  const PacketId id = take_unused();
  Packet& packet = packets_[id];
  packet = {};
  packet.birth = birth;
  packet.source = node;
  traffic_.address(node, packet, random);
  packet.target = router_of_node_[packet.destination];
  return id;
}

// With that of a unit that still crosses.
inline std::uint32_t Simulator::places_taken(std::uint32_t index) const {
  return queues_[index].count + std::uint32_t{queues_[index].busy_until > state_.now};
}

// A unit that crosses will leave room, or one that goes later tells.
void Simulator::wait_for_room(Node node, std::uint32_t first_queue) {
  Cycle soonest = kNever;
  for (std::uint32_t vc = 0; vc < parameters_.injection_vcs; ++vc)
    if (const Cycle until = queues_[first_queue + vc].busy_until; until > state_.now)
      soonest = std::min(soonest, until);
  if (soonest != kNever) return region_->births.add(soonest, node);
  senders_[node].blocked = true;
  ++num_blocked_;
}

// The one that the policy says, or the emptiest.
inline std::uint8_t Simulator::injection_vc(const Sender& sender, std::uint32_t first_queue) {
  const std::uint32_t only = policy_.injection_vc(packets_[sender.packet]);
  if (only != kNone) return static_cast<std::uint8_t>(only);
  std::uint32_t best = 0;
  for (std::uint32_t vc = 1; vc < parameters_.injection_vcs && places_taken(first_queue + best) > 0; ++vc)
    if (places_taken(first_queue + vc) < places_taken(first_queue + best)) best = vc;
  return static_cast<std::uint8_t>(best);
}

// The node puts a unit into an injection queue of its router, or waits.
inline void Simulator::inject(Node node) {
  Sender& sender = senders_[node];
  const Port port = node_port_[node];
  Random& random = random_of(ports_[port].router);
  if (sender.packet == kIdle) {
    if (sender.birth > state_.now) return region_->births.add(std::min(sender.birth, state_.now + horizon_), node);
    sender.packet = make_packet(node, sender.birth, random);
    sender.units = static_cast<std::uint16_t>(units_of_packet_);
    sender.started = false;
  }
  const std::uint32_t first = state_.queue(port, 0);
  if (!sender.started) sender.vc = injection_vc(sender, first);
  if (places_taken(first + sender.vc) == injection_places_) return wait_for_room(node, first);
  sender.started = true;
  push({first + sender.vc, sender.packet});
  Cycle next = state_.now + ports_[port].serial;
  if (--sender.units == 0) {
    sender.packet = kIdle;
    sender.birth = traffic_.next_birth(node, sender.birth + 1, random);
    if (sender.birth == kNever) return;
    next = std::max(next, std::min(sender.birth, state_.now + horizon_));
  }
  region_->births.add(next, node);
}

double Simulator::source_delay() const {
  double sum = 0;
  std::size_t senders = 0;
  for (const Sender& sender : senders_) {
    if (sender.birth == kNever) continue;
    ++senders;
    if (sender.birth < state_.now) sum += state_.now - sender.birth;
  }
  return senders == 0 ? 0 : sum / static_cast<double>(senders);
}

}  // namespace espalier::packets
