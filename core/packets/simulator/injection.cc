// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets are born at nodes and wait there for room in an injection queue of the router.
#include <algorithm>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::take_births() {
  auto& today = today_.births;
  region_->births.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kNear < today.size()) {
      prefetch(senders_[today[i + kNear]]);
      prefetch(queues_[state_.queue(network_.node_port[today[i + kNear]], 0)]);
    }
    inject(today[i]);
  }
  today.clear();
}

// A record of a packet that ended in this region, if there is one.
PacketId Simulator::take_unused() {
  std::vector<PacketId>& mine = region_->unused;
  if (mine.empty() && !unused_.empty()) {
    const std::size_t some = std::min(unused_.size(), kSomeUnused);
    mine.assign(unused_.end() - static_cast<std::ptrdiff_t>(some), unused_.end());
    unused_.resize(unused_.size() - some);
  }
  if (mine.empty()) {
    packets_.emplace_back();
    return static_cast<PacketId>(packets_.size() - 1);
  }
  const PacketId id = mine.back();
  mine.pop_back();
  if (!mine.empty()) prefetch(packets_[mine.back()]);
  return id;
}

// Regions that more packets end in than begin leave some to the others.
void Simulator::give_unused(PacketId id) {
  std::vector<PacketId>& mine = region_->unused;
  mine.push_back(id);
  if (mine.size() < 2 * kSomeUnused) return;
  unused_.insert(unused_.end(), mine.begin(), mine.begin() + kSomeUnused);
  mine.erase(mine.begin(), mine.begin() + kSomeUnused);
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

// The one that the policy says, or the emptiest.
inline std::uint8_t Simulator::injection_vc(const Sender& sender, std::uint32_t first_queue) {
  const std::uint32_t only = policy_.injection_vc(packets_[sender.packet]);
  if (only != kNone) return static_cast<std::uint8_t>(only);
  std::uint32_t best = 0;
  for (std::uint32_t vc = 1; vc < parameters_.injection_vcs; ++vc)
    if (queues_[first_queue + vc].count < queues_[first_queue + best].count) best = vc;
  return static_cast<std::uint8_t>(best);
}

// The node puts a unit into an injection queue of its router, or waits.
inline void Simulator::inject(Node node) {
  Sender& sender = senders_[node];
  const Port port = network_.node_port[node];
  Random& random = random_of(ports_[port].end.router);
  if (sender.packet == kIdle) {
    if (sender.birth > state_.now) return region_->births.add(std::min(sender.birth, state_.now + horizon_), node);
    sender.packet = make_packet(node, sender.birth, random);
    sender.units = static_cast<std::uint16_t>(units_of_packet_);
    sender.started = false;
  }
  const std::uint32_t first = state_.queue(port, 0);
  if (!sender.started) sender.vc = injection_vc(sender, first);
  const Queue& queue = queues_[first + sender.vc];
  if (queue.count == queue.capacity) {
    sender.blocked = true;
    return;
  }
  sender.started = true;
  push(first + sender.vc, sender.packet);
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
