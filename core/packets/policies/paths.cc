// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Source routing: each packet takes one of its flow's paths, by their weights, whatever queues say. So SDN-single,
// SDN-ugal, SDN-optimal and SDN-model (Faizian 2018, 5.2) and all kinds of path sets (KSP, ALLPATH) run packet by packet.
// A virtual channel for each hop, so that no path set has a cycle (Guenther 1981).
#include "core/packets/policies/policies.h"
#include "core/packets/source_paths.h"

namespace espalier::packets {
namespace {

class Paths : public Policy {
 public:
  explicit Paths(const PolicyInputs& in) : paths_(*in.paths) {}

  [[nodiscard]] bool diverts() const override { return false; }
  [[nodiscard]] VcCounts vcs() const override { return {.local = paths_.longest(), .global = paths_.longest()}; }

  [[nodiscard]] Request request(const State& state, const Place& /*place*/, Packet& packet, Random& random) override {
    if (packet.hops == 0) packet.via = paths_.choose(packet.source, packet.destination, random);
    Request request;
    request.position = Request::kNowhere;
    if (packet.via == kNone) return request;
    request.position = state.network->ports[paths_.port(packet.via, packet.hops)].position;
    request.vc = packet.hops;
    return request;
  }

 private:
  const SourcePaths& paths_;
};

}  // namespace

std::unique_ptr<Policy> make_paths(const PolicyInputs& in) { return std::make_unique<Paths>(in); }

}  // namespace espalier::packets
