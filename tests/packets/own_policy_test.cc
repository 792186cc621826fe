// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The README says how a policy of one's own is added. Here is one, from outside: minimal routing that, while it waits
// at the source, takes the emptiest of the router's own global links instead.
#include <gtest/gtest.h>

#include "core/packets/policies/dragonfly_policy.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"

namespace espalier::packets::test {
namespace {

class Impatient : public DragonflyPolicy {
 public:
  using DragonflyPolicy::DragonflyPolicy;

  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    const Port minimal = toward_router(place.router, packet.target, random);
    Request request = plain(state, packet, minimal);
    if (packet.hops > 0 || dragonfly_.group(place.router) == dragonfly_.group(packet.target)) return request;
    request.rule = Rule::kLeastOccupied;
    request.offer(dragonfly_.global_ports(place.router) & ~bit(state, minimal), 0);
    return request;
  }
};

TEST(OwnPolicy, RunsAndCarriesMoreAdversarialTrafficThanMinimalRouting) {
  Bench bench(3);
  const Parameters parameters;
  Impatient policy(bench.dragonfly);
  Load load(*make_pattern(*parse_pattern("advg:1"), bench.network, &bench.dragonfly), 0.3, parameters.packet_phits);
  Simulator simulator(bench.network, parameters, policy, load, 1001);
  const RunResult own = run(simulator, {.warmup = 3000, .cycles = 3000}, 0);
  EXPECT_FALSE(own.deadlock);
  EXPECT_GT(own.throughput.mean,
            2 * bench.run("min", "advg:1", 0.3, {}, {.warmup = 3000, .cycles = 3000}).throughput.mean);
}

}  // namespace
}  // namespace espalier::packets::test
