// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The channel dependency graph of what policies ask for: from the channel and virtual channel that a packet came by to
// each that it may leave by. Without circles there is no deadlock (Dally and Seitz 1987); OLM has circles and needs
// virtual cut-through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "core/fabric/faults.h"
#include "core/packets/policies/policies.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "tests/packets/dragonfly_fabric.h"
#include "tests/support/fabrics.h"

namespace espalier::packets::test {
namespace {

// Asks another policy, and writes down who may follow whom.
class Recorder : public Policy {
 public:
  Recorder(Policy& inner, std::uint32_t num_queues) : inner_(inner), after_(num_queues) {}

  [[nodiscard]] VcCounts vcs() const override { return inner_.vcs(); }
  [[nodiscard]] bool follows_departures() const override { return inner_.follows_departures(); }
  void sent(const State& state, Packet& packet, Port out) override { inner_.sent(state, packet, out); }
  [[nodiscard]] bool follows_credits() const override { return inner_.follows_credits(); }
  void credited(const State& state, Port out, std::uint32_t vc) override { inner_.credited(state, out, vc); }
  [[nodiscard]] Cycle credit_delay(const State& state, Port in, Port out) const override {
    return inner_.credit_delay(state, in, out);
  }
  [[nodiscard]] Cycle most_credit_delay() const override { return inner_.most_credit_delay(); }
  void tick(const State& state, const Region& region) override { inner_.tick(state, region); }
  [[nodiscard]] Scope scope() const override { return inner_.scope(); }
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    const Request request = inner_.request(state, place, packet, random);
    const Network& network = *state.network;
    if (network.ports[place.in].kind == PortClass::kNode) return request;
    const std::uint32_t from = state.queue(network.ports[place.in].peer, place.vc);
    const auto add = [&](std::uint32_t position, std::uint32_t vc) {
      after_[from].insert(state.queue(network.first_port[place.router] + position, vc));
    };
    add(request.position, request.vc);
    for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
      for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
        for (BitWord bits = request.ports[i]; bits != 0; bits &= bits - 1) add(lowest_bit(bits), vc);
    return request;
  }

  // Takes away what nothing follows until all is gone, or a circle is left.
  [[nodiscard]] bool has_circle() const {
    std::vector<std::vector<std::uint32_t>> before(after_.size());
    std::vector<std::size_t> left(after_.size());
    std::vector<std::uint32_t> ends;
    for (std::uint32_t q = 0; q < after_.size(); ++q) {
      left[q] = after_[q].size();
      if (left[q] == 0) ends.push_back(q);
      for (const std::uint32_t next : after_[q]) before[next].push_back(q);
    }
    for (std::size_t i = 0; i < ends.size(); ++i)
      for (const std::uint32_t q : before[ends[i]])
        if (--left[q] == 0) ends.push_back(q);
    return ends.size() < after_.size();
  }

 private:
  Policy& inner_;
  std::vector<std::set<std::uint32_t>> after_;  // by channel and virtual channel
};

// Under all kinds of traffic at saturation.
bool has_circle(const std::string& name, Bench& bench) {
  const Parameters parameters;
  PolicyInputs inputs;
  inputs.network = &bench.network;
  inputs.dragonfly = &bench.dragonfly;
  inputs.parameters = &parameters;
  const auto policy = *make_policy(name, inputs);
  Recorder recorder(*policy, bench.network.num_ports() * 16);
  for (const char* traffic : {"un", "advg:1", "advl:1", "mixed:0.5"}) {
    Load load(*make_pattern(*parse_pattern(traffic), bench.network, &bench.dragonfly), 1, parameters.packet_phits);
    Simulator simulator(bench.network, parameters, recorder, load, 1007);
    for (int cycle = 0; cycle < 4000; ++cycle) simulator.step();
  }
  return recorder.has_circle();
}

constexpr std::array kSafe = {"min", "valiant", "pb", "crt", "ugal-l", "ugal-g", "tpr", "par", "par-6/2", "rlm"};

TEST(Dependencies, OfPoliciesThatAreSafeUnderAnySwitchingHaveNoCircle) {
  Bench bench(2);
  for (const char* name : kSafe) EXPECT_FALSE(has_circle(name, bench)) << name;
}

TEST(Dependencies, OfDamagedDragonfliesHaveNoCircle) {
  for (const std::uint64_t seed : {1001U, 1002U}) {
    Bench bench(*degrade(balanced_dragonfly(2), {.links = 12, .seed = seed}));
    ASSERT_FALSE(bench.dragonfly.is_whole());
    for (const char* name : kSafe) EXPECT_FALSE(has_circle(name, bench)) << name << " seed " << seed;
  }
}

TEST(Dependencies, OfDamagedCascadesHaveNoCircle) {
  const Fabric whole = espalier::test::generated("dragonfly", "2,9,2,10;3,3,1,1");
  for (const std::uint64_t seed : {1001U, 1002U}) {
    Bench bench(*degrade(whole, {.links = 27, .seed = seed}));
    ASSERT_TRUE(bench.dragonfly.has_grids());
    for (const char* name : {"min", "valiant", "pb", "crt", "ugal-l", "ugal-g", "tpr"})
      EXPECT_FALSE(has_circle(name, bench)) << name << " seed " << seed;
  }
}

TEST(Dependencies, OfOlmAndOfRlmWithoutItsTableHaveCircles) {
  Bench bench(2);
  EXPECT_TRUE(has_circle("olm", bench));
  EXPECT_TRUE(has_circle("rlm-no-table", bench));
}

}  // namespace
}  // namespace espalier::packets::test
