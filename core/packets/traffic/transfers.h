// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Transfers in phases: schedules with barriers, and hosts that send message by message (closed loop).
#pragma once

#include <cstdint>
#include <vector>

#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

struct PacketTransfer {
  Node source = kNone;
  Node destination = kNone;
  std::uint8_t offset = 0;    // of the destination LID
  std::uint32_t packets = 1;  // above 0
};

// A node makes its transfers one after the other, in the order given.
class Transfers : public Traffic {
 public:
  enum class Order : std::uint8_t {
    kBarriers,  // a phase begins when all of the one before has arrived
    kMessages,  // a node begins a transfer when its own one before has arrived, whatever others do
  };

  // REQUIRES: sources are nodes 0 .. num_nodes-1.
  Transfers(const std::vector<std::vector<PacketTransfer>>& phases, Node num_nodes, Order order);

  [[nodiscard]] Cycle next_birth(Node node, Cycle earliest, Random& random) override;
  void address(Node node, Packet& packet, Random& random) override;
  void delivered(const Packet& packet, Cycle at, std::vector<Node>& woken) override;
  [[nodiscard]] bool reacts() const override { return true; }
  [[nodiscard]] std::uint64_t total() const override { return total_; }

 private:
  struct Job {
    PacketTransfer transfer;
    std::uint32_t phase = 0;
    std::uint32_t left = 0;     // packets that are not born
    std::uint32_t missing = 0;  // packets that have not arrived
  };
  // Whether its next packet may be born.
  [[nodiscard]] bool may_send(Node node) const;

  Order order_;
  std::vector<std::vector<Job>> jobs_;  // of each node
  std::vector<std::size_t> next_;       // of each node: the job that it sends
  std::vector<std::size_t> waiting_;    // of each node: the first job with packets missing
  std::vector<std::uint64_t> missing_;  // of each phase: packets that have not arrived
  std::uint32_t phase_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace espalier::packets
