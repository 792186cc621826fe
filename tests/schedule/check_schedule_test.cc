// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/check_schedule.h"

#include <gmock/gmock.h>

#include "tests/support/drawing.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

// Two leaves of two hosts under one spine: LIDs 1 2 3 for L0 L1 S0, then h0 .. h3. Tables by hand.
class TwoLeaves : public ::testing::Test {
 protected:
  TwoLeaves() : fabric_(test::draw("L0:2 L1:2 L0-S0 L1-S0")), tables_(fabric_.num_switches(), fabric_.top_lid()) {
    for (const SwitchId s : fabric_.switches())
      for (const EndportId e : fabric_.endports()) tables_.set(s, fabric_.at(e).lid, toward(s, fabric_.at(e)));
    schedule_.phases = 5;
    for (const EndportId e : fabric_.endports()) schedule_.servers.push_back(fabric_.at(e).port_guid);
    schedule_.sends.resize(20);
    // The spine's links take one flow each way per phase: 0 <-> 2, 0 <-> 3, 1 <-> 2, 1 <-> 3, 0 <-> 1.
    pair(0, 0, 2), pair(1, 0, 3), pair(2, 1, 2), pair(3, 1, 3);
    pair(4, 0, 1);
  }

  [[nodiscard]] PortNum toward(SwitchId s, const Endport& e) const {
    if (e.leaf == s) return e.leaf_port;
    for (const PortNum p : fabric_.ports(s)) {
      const Peer& peer = fabric_.peer(s, p);
      if (peer.is_switch() && (peer.as_switch() == e.leaf || fabric_.at(s).description[0] == 'L')) return p;
    }
    return kNoPort;
  }
  void send(std::uint32_t phase, std::uint32_t from, std::uint32_t to) {
    schedule_.at(from, phase) = {to, fabric_.at(id_at<EndportId>(to)).lid};
  }
  void pair(std::uint32_t phase, std::uint32_t a, std::uint32_t b) {
    send(phase, a, b);
    send(phase, b, a);
  }
  [[nodiscard]] ScheduleReport report() const {
    return check_schedule(fabric_, tables_, schedule_, all_to_all_traffic(schedule_.servers.size()));
  }
  [[nodiscard]] static std::uint64_t count(const ScheduleReport& report, ScheduleFault fault) {
    return report.count[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] static std::string first(const ScheduleReport& report, ScheduleFault fault) {
    return report.first[static_cast<std::size_t>(fault)];
  }

  Fabric fabric_;
  ForwardingTables tables_;
  Schedule schedule_;
};

TEST_F(TwoLeaves, MissesThePairsThatNeverMeet) {
  const ScheduleReport r = report();
  EXPECT_EQ(count(r, ScheduleFault::kMissingPair), 2U);  // 2 -> 3 and 3 -> 2
  EXPECT_EQ(count(r, ScheduleFault::kSharedLink), 0U);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.longest_path, 2U);
}

TEST_F(TwoLeaves, AcceptsAScheduleInWhichAllMeet) {
  pair(4, 2, 3);
  const ScheduleReport r = report();
  EXPECT_TRUE(r.ok()) << first(r, ScheduleFault::kMissingPair);
  EXPECT_EQ(r.num_flows, 12U);
}

TEST_F(TwoLeaves, SeesASharedLinkAndSaysWhose) {
  send(0, 1, 3);
  const ScheduleReport r = report();
  EXPECT_EQ(count(r, ScheduleFault::kSharedLink), 2U);  // up and down
  EXPECT_THAT(first(r, ScheduleFault::kSharedLink), HasSubstr("phase 0"));
  EXPECT_THAT(first(r, ScheduleFault::kSharedLink), HasSubstr("(h0)"));
  EXPECT_EQ(count(r, ScheduleFault::kRepeatedPair), 1U);
}

TEST_F(TwoLeaves, SeesAServerThatReceivesTwice) {
  send(0, 1, 2);
  EXPECT_EQ(count(report(), ScheduleFault::kTwoReceived), 1U);
}

TEST_F(TwoLeaves, SeesALidOfSomebodyElse) {
  schedule_.at(0, 0).dlid = fabric_.at(EndportId{3}).lid;
  EXPECT_EQ(count(report(), ScheduleFault::kWrongDlid), 1U);
  schedule_.at(0, 0).dlid = Lid{4000};
  EXPECT_EQ(count(report(), ScheduleFault::kWrongDlid), 1U);
}

TEST_F(TwoLeaves, SeesTablesThatDoNotDeliver) {
  tables_.set(SwitchId{2}, fabric_.at(EndportId{2}).lid, kNoPort);
  EXPECT_EQ(count(report(), ScheduleFault::kNotDelivered), 2U);  // from both hosts of L0
}

TEST_F(TwoLeaves, SeesAServerThatIsNotThere) {
  schedule_.servers[3] = Guid{0xABC};
  const ScheduleReport r = report();
  EXPECT_EQ(count(r, ScheduleFault::kUnknownServer), 1U);
  EXPECT_THAT(first(r, ScheduleFault::kUnknownServer), HasSubstr("0x0000000000000abc"));
}

TEST_F(TwoLeaves, JudgesByTheTrafficThatIsAsked) {
  TrafficMatrix traffic(16, 0);
  for (std::uint32_t s = 0; s < 4; ++s)
    for (std::uint32_t p = 0; p < 5; ++p)
      if (const Send& x = schedule_.at(s, p); x.destination != Send::kIdle) ++traffic[s * 4 + x.destination];
  EXPECT_TRUE(check_schedule(fabric_, tables_, schedule_, traffic).ok());
}

}  // namespace
}  // namespace espalier
