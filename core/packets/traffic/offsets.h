// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Traffic whose sources choose among the LIDs of a destination (LMC above 0): tables route each LID by a tree of its own.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

// The offset of the LID by which a packet goes from one node to another.
using OffsetChoice = std::function<std::uint8_t(Node from, Node to, Random& random)>;

class WithOffsets : public Traffic {
 public:
  // Other traffic, addressed so.
  WithOffsets(std::unique_ptr<Traffic> traffic, OffsetChoice choose)
      : traffic_(std::move(traffic)), choose_(std::move(choose)) {}

  [[nodiscard]] Cycle next_birth(Node node, Cycle earliest, Random& random) override {
    return traffic_->next_birth(node, earliest, random);
  }
  void address(Node node, Packet& packet, Random& random) override {
    traffic_->address(node, packet, random);
    packet.offset = choose_(node, packet.destination, random);
  }
  void delivered(const Packet& packet, Cycle at, std::vector<Node>& woken) override {
    traffic_->delivered(packet, at, woken);
  }
  [[nodiscard]] bool reacts() const override { return traffic_->reacts(); }
  [[nodiscard]] std::uint64_t total() const override { return traffic_->total(); }

 private:
  std::unique_ptr<Traffic> traffic_;
  OffsetChoice choose_;
};

}  // namespace espalier::packets
