// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// UGAL: universal globally-adaptive load-balanced routing (Singh 2005; on dragonflies Kim et al. 2008; Faizian 2018,
// 2.1.2). The source router compares the minimal path with one random path of Valiant and keeps to what it chose.
//
//   UGAL-L   Q_min H_min <= Q_vlb H_vlb + T, queues Q of its own two outputs, hops H (Parameters::weight)
//   UGAL-G   the sums of the queues along the two paths: an ideal, as no router knows them; of the virtual channels that
//            the packet would take, or of all of the ports (Parameters::occupancy)
//
// PAR, piggybacking and TPR are the same frame with another rule.
#pragma once

#include "core/packets/policies/dragonfly_policy.h"
#include "core/packets/policies/policies.h"

namespace espalier::packets {

class Ugal : public DragonflyPolicy {
 public:
  explicit Ugal(const PolicyInputs& in) : Ugal(in, in.parameters->valiant) {}
  [[nodiscard]] bool diverts() const override { return false; }
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override;

 protected:
  Ugal(const PolicyInputs& in, ValiantLevel level)
      : DragonflyPolicy(*in.dragonfly, level),
        weight_(in.parameters->weight),
        compares_ports_(in.parameters->occupancy == Occupancy::kPort),
        offset_(in.parameters->ugal_offset),
        counts_(in.counts) {}

  // The two that are compared, from router r. The packet takes just that of the two which is chosen.
  struct CandidatePaths {
    Router r = kNone;
    CandidatePath minimal;
    CandidatePath valiant;
  };
  // Is the minimal path to be preferred? The rule of UGAL-L, unless overridden.
  [[nodiscard]] virtual bool minimal_is_better(const State& state, const Packet& packet,
                                               const CandidatePaths& candidates, Random& /*random*/) {
    return local_rule(state, packet, candidates, offset_);
  }
  // UGAL-L with an offset T.
  [[nodiscard]] bool local_rule(const State& state, const Packet& packet, const CandidatePaths& candidates,
                                double offset) const;
  // The packet goes by a random `via` unless the minimal path is better; by which port.
  [[nodiscard]] Port choose(const State& state, Router r, Packet& packet, Random& random);
  // Parameters::ugal_offset.
  [[nodiscard]] double offset() const { return offset_; }
  // The virtual channel of the packet's next hop by this port.
  [[nodiscard]] virtual std::uint32_t next_vc(const State& state, const Packet& packet, Port port) const {
    return plain_vc(state, packet, port);
  }

 private:
  [[nodiscard, gnu::noinline]] Request start(const State& state, const Place& place, Packet& packet, Random& random);
  void write_down(const State& state, Router r, const Packet& chosen, Port first);

  PathWeight weight_;
  bool compares_ports_;
  double offset_;
  PathCounts* counts_;  // nullptr: nobody wants to know
  Random own_{1001};    // for what is written down alone, so that it changes nothing
};

}  // namespace espalier::packets
