// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// UGAL: universal globally-adaptive load-balanced routing (Singh 2005; on dragonflies Kim et al. 2008; Faizian 2018,
// 2.1.2). The source router compares the minimal way with one random way of Valiant and keeps to what it chose.
//
//   UGAL-L   Q_min H_min <= Q_vlb H_vlb + T, queues Q of its own two outputs, hops H
//   UGAL-G   the sums of the queues along the two ways: an ideal, as no router knows them
#pragma once

#include "core/packets/policies/policies.h"

namespace espalier::packets {

// A choice at the source between the minimal way and one random way of Valiant; how, subclasses say.
class Ugal : public DragonflyPolicy {
 public:
  using DragonflyPolicy::DragonflyPolicy;
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override;

 protected:
  // At router r: is the minimal way to be preferred to that by `via`?
  [[nodiscard]] virtual bool minimal_is_better(const State& state, Router r, const Packet& packet, std::uint32_t via,
                                               Random& random) = 0;
  // That of UGAL-L with an offset T in phits.
  [[nodiscard]] bool local_rule(const State& state, Router r, const Packet& packet, std::uint32_t via, double offset,
                                Random& random) const;
  // Sends the packet by a random `via` unless the minimal way is better.
  void choose(const State& state, Router r, Packet& packet, Random& random);
};

}  // namespace espalier::packets
