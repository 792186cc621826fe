// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Patterns become traffic: at an offered load for ever, or so many packets from each node at once.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/packets/geometric.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

// Bernoulli: in each cycle each node that sends has a new packet with probability load / packet_phits.
// load: phits for each node and cycle, 0 .. 1 (0: nobody sends). Nodes from `num_hosts` on, which are switches, have a
// load of their own.
class Load : public Traffic {
 public:
  Load(std::shared_ptr<const Pattern> pattern, double load, std::uint32_t packet_phits)
      : Load(std::move(pattern), load, packet_phits, kNone, 0) {}
  Load(std::shared_ptr<const Pattern> pattern, double load, std::uint32_t packet_phits, Node num_hosts,
       double switch_load)
      : pattern_(std::move(pattern)),
        num_hosts_(num_hosts),
        gaps_(load / packet_phits),
        gaps_of_switches_(switch_load / packet_phits) {}

  [[nodiscard]] Cycle next_birth(Node node, Cycle earliest, Random& random) override {
    const Geometric& gaps = node < num_hosts_ ? gaps_ : gaps_of_switches_;
    if (gaps.never() || !pattern_->sends(node)) return kNever;
    return earliest + gaps.draw(random) - 1;
  }
  void address(Node node, Packet& packet, Random& random) override {
    packet.destination = pattern_->destination(node, random);
  }

 private:
  std::shared_ptr<const Pattern> pattern_;
  Node num_hosts_;
  Geometric gaps_;  // between packets
  Geometric gaps_of_switches_;
};

// Each node that sends has this many packets at cycle 0.
class Burst : public Traffic {
 public:
  Burst(std::shared_ptr<const Pattern> pattern, Node num_nodes, std::uint32_t packets)
      : pattern_(std::move(pattern)), left_(num_nodes, packets) {
    for (Node n = 0; n < num_nodes; ++n)
      if (pattern_->sends(n)) total_ += packets;
  }

  [[nodiscard]] Cycle next_birth(Node node, Cycle /*earliest*/, Random& /*random*/) override {
    return left_[node] == 0 || !pattern_->sends(node) ? kNever : 0;
  }
  void address(Node node, Packet& packet, Random& random) override {
    --left_[node];
    packet.destination = pattern_->destination(node, random);
  }
  [[nodiscard]] std::uint64_t total() const override { return total_; }

 private:
  std::shared_ptr<const Pattern> pattern_;
  std::vector<std::uint32_t> left_;
  std::uint64_t total_ = 0;
};

}  // namespace espalier::packets
