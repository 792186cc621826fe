// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/traffic/transfers.h"

namespace espalier::packets {

Transfers::Transfers(const std::vector<std::vector<PacketTransfer>>& phases, Node num_nodes, Order order)
    : order_(order), jobs_(num_nodes), next_(num_nodes, 0), waiting_(num_nodes, 0), missing_(phases.size(), 0) {
  for (std::uint32_t phase = 0; phase < phases.size(); ++phase)
    for (const PacketTransfer& transfer : phases[phase]) {
      jobs_[transfer.source].push_back({transfer, phase, transfer.packets, transfer.packets});
      missing_[phase] += transfer.packets;
      total_ += transfer.packets;
    }
  while (phase_ < missing_.size() && missing_[phase_] == 0) ++phase_;
}

bool Transfers::may_send(Node node) const {
  const std::vector<Job>& jobs = jobs_[node];
  if (next_[node] == jobs.size()) return false;
  const Job& job = jobs[next_[node]];
  return order_ == Order::kBarriers ? job.phase == phase_ : waiting_[node] == next_[node];
}

Cycle Transfers::next_birth(Node node, Cycle earliest, Random& /*random*/) {
  return may_send(node) ? earliest : kNever;
}

void Transfers::address(Node node, Packet& packet, Random& /*random*/) {
  Job& job = jobs_[node][next_[node]];
  packet.destination = job.transfer.destination;
  packet.offset = job.transfer.offset;
  if (--job.left == 0) ++next_[node];
}

void Transfers::delivered(const Packet& packet, Cycle /*at*/, std::vector<Node>& woken) {
  const Node node = packet.source;
  std::vector<Job>& jobs = jobs_[node];
  // Packets of a node may arrive in another order than they left; with barriers all that matters is the phase.
  if (order_ == Order::kBarriers) {
    if (--missing_[phase_] > 0) return;
    while (phase_ < missing_.size() && missing_[phase_] == 0) ++phase_;
    for (Node n = 0; n < jobs_.size(); ++n)
      if (may_send(n)) woken.push_back(n);
    return;
  }
  if (--jobs[waiting_[node]].missing > 0) return;
  ++waiting_[node];
  if (may_send(node)) woken.push_back(node);
}

}  // namespace espalier::packets
