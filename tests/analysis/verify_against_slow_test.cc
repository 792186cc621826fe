// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// verify() must agree with the blackboard version on thousands of small odd fabrics, in everything that it reports.
#include <gtest/gtest.h>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/analysis/soundness/dependencies/sibling_switches.h"
#include "tests/analysis/fill_tables.h"
#include "tests/analysis/random_fabric.h"
#include "tests/analysis/slow_verify.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using Kind = Violation::Kind;

Place place(const Fabric& fabric, ChannelId c) { return {index(fabric.source(c)), index(fabric.port(c))}; }

void expect_same(const VerifyReport& fast, const SlowReport& slow) {
  std::map<Kind, Place> first;
  for (const Violation& v : fast.violations) {
    EXPECT_FALSE(v.text.empty());
    if (v.kind != Kind::kCreditLoop) first[v.kind] = {index(v.at), index(v.lid)};
  }
  EXPECT_EQ(first, slow.first);
  EXPECT_EQ(fast.num_violations, slow.num_violations + (slow.has_cycle ? 1 : 0));
  EXPECT_EQ(!fast.credit_loop.empty(), slow.has_cycle);
  // The theorem of verify.h.
  EXPECT_EQ(fast.ok(), slow.all_delivered && slow.elsewhere_sound && !slow.has_cycle);
}

// Everything that can be compared.
void expect_agreement(const Fabric& fabric, const ForwardingTables& tables) {
  const SlowReport slow = slow_verify(fabric, tables);
  const VerifyReport fast = verify(fabric, tables);
  expect_same(fast, slow);

  const ChannelDependencies graph(fabric, tables);
  std::map<Place, std::set<Place>> dependencies;
  std::uint64_t num_dependencies = 0;
  for (std::size_t c = 0; c < graph.num_virtual_channels(); ++c)
    graph.for_each_next(id_at<VirtualChannelId>(c), [&](VirtualChannelId next) {
      dependencies[place(fabric, id_at<ChannelId>(c))].insert(place(fabric, graph.channel(next)));
      ++num_dependencies;
    });
  EXPECT_EQ(dependencies, slow.dependencies);
  EXPECT_EQ(fast.num_dependencies, num_dependencies);

  // The cycle is one, and has an example for each of its links.
  for (std::size_t i = 0; i < fast.credit_loop.size(); ++i) {
    const ChannelId from = fast.credit_loop[i];
    const ChannelId to = fast.credit_loop[(i + 1) % fast.credit_loop.size()];
    EXPECT_EQ(slow.dependencies.at(place(fabric, from)).count(place(fabric, to)), 1U);
    EXPECT_NE(example_lid(fabric, tables, from, to), kNoLid);
  }
}

// Along one spanning tree: so all LIDs of a switch and its hosts go alike.
ForwardingTables tables_on_a_tree(const Fabric& fabric) {
  IdVector<SwitchId, PortNum> up(fabric.num_switches(), kNoPort);
  std::vector<SwitchId> reached{SwitchId{0}};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const PortNum p : fabric.ports(reached[i]))
      if (const Peer& peer = fabric.peer(reached[i], p);
          peer.is_switch() && peer.as_switch() != reached.front() && up[peer.as_switch()] == kNoPort) {
        up[peer.as_switch()] = peer.port;
        reached.push_back(peer.as_switch());
      }
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i) {
    const Lid lid = id_at<Lid>(i);
    const SwitchId t = fabric.destination_switch(lid);
    if (t == kNoSwitch) continue;
    for (const SwitchId s : fabric.switches()) tables.set(s, lid, up[s]);
    const EndportId e = fabric.endport_of(lid);
    tables.set(t, lid, e == kNoEndport ? kManagementPort : fabric.at(e).leaf_port);
    for (SwitchId s = t; up[s] != kNoPort; s = fabric.peer(s, up[s]).as_switch())
      tables.set(fabric.peer(s, up[s]).as_switch(), lid, fabric.peer(s, up[s]).port);
  }
  return tables;
}

// They are counted at once, but for a few entries that are wrong.
TEST(VerifyAgainstSlow, AgreesWhereLidsAreAlike) {
  std::size_t sound = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = generated("jellyfish", "12,3,3", static_cast<std::uint8_t>(seed % 3), seed);
    ForwardingTables tables = tables_on_a_tree(fabric);
    for (std::size_t wrong = seed % 4; wrong > 0; --wrong)
      tables.set(id_at<SwitchId>(below(random, fabric.num_switches())),
                 id_at<Lid>(1 + below(random, index(fabric.top_lid()))), id_at<PortNum>(below(random, 8)));
    expect_agreement(fabric, tables);
    EXPECT_EQ(verify(fabric, tables, one_lane(fabric)).ok(), verify(fabric, tables).ok());
    sound += verify(fabric, tables).ok() ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(sound, 50U);
  EXPECT_LT(sound, 150U);
}

TEST(VerifyAgainstSlow, AgreesOnRandomFabricsWithRandomTables) {
  std::size_t sound = 0;
  std::size_t credit_loops_only = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = random_fabric(random);
    const ForwardingTables tables = random_tables(fabric, random);
    expect_agreement(fabric, tables);
    const VerifyReport report = verify(fabric, tables);
    sound += report.ok() ? 1 : 0;
    credit_loops_only += report.violations.size() == 1 && report.violations[0].kind == Kind::kCreditLoop ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(sound, 4000U);  // the cases are neither all good nor all bad
  EXPECT_LT(sound, 16000U);
  EXPECT_GT(credit_loops_only, 10U);
}

TEST(VerifyAgainstSlow, AgreesOnPacketsBetweenSomeOfTheEndPorts) {
  std::size_t sound = 0;
  std::size_t sound_with_all_packets = 0;
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Fabric fabric = random_fabric(random);
    const ForwardingTables tables = random_tables(fabric, random);
    std::vector<EndportId> endports;
    for (const EndportId e : fabric.endports())
      if (index(e) % 3 != 0 || seed % 2 == 0) endports.push_back(e);
    const VerifyReport report = verify_between(fabric, tables, endports);
    const std::set<Place> met = slow_met(fabric, tables, endports);
    expect_same(report, slow_verify(fabric, tables, &met));
    EXPECT_EQ(report.num_entries, met.size());
    sound += report.ok() ? 1 : 0;
    sound_with_all_packets += verify(fabric, tables).ok() ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(sound, sound_with_all_packets + 500);
  EXPECT_LT(sound, 9500U);
}

TEST(VerifyAgainstSlow, AgreesWhenOneEntryOfSoundTablesIsChangedToAnyOtherPort) {
  const Fabric fabric = pgft("2;2,3;1,2;1,1");
  const ForwardingTables sound = route_dmodk(fabric, PgftSpec::parse("2;2,3;1,2;1,1").value());
  ASSERT_TRUE(verify(fabric, sound).ok());
  std::size_t still_sound = 0;
  for (const SwitchId s : fabric.switches()) {
    for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) {
      for (std::size_t port = 0; port <= fabric.at(s).num_ports + 2U; ++port) {
        const bool none = port == fabric.at(s).num_ports + 2U;
        ForwardingTables mutant = sound;
        mutant.set(s, id_at<Lid>(lid), none ? kNoPort : id_at<PortNum>(port));
        if (mutant == sound) continue;
        SCOPED_TRACE(testing::Message() << "switch " << index(s) << " LID " << lid << " port " << port);
        expect_agreement(fabric, mutant);
        still_sound += verify(fabric, mutant).ok() ? 1 : 0;
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(still_sound, 0U);  // another parent is as good
}

// Large enough for siblings (sibling_switches.h): most rows are counted by how they differ from another.
TEST(VerifyAgainstSlow, AgreesWhereSwitchesAreAlikeAndSomeEntriesWrong) {
  constexpr const char* kSpec = "2;12,30;1,6;1,1";
  const Fabric fabric = pgft(kSpec);
  const ForwardingTables sound = route_dmodk(fabric, PgftSpec::parse(kSpec).value());
  const auto lids = owned_lids(fabric, sound.width());
  std::size_t siblings = 0;
  for (const SwitchId s : fabric.switches()) siblings += find_siblings(fabric, sound, lids)[s] != s ? 1 : 0;
  EXPECT_GE(siblings, 34U);  // all but a leaf and a top
  for (std::uint64_t seed = 1001; seed < 1031; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ForwardingTables tables = sound;
    for (std::size_t n = below(random, 60); n > 0; --n)
      tables.set(id_at<SwitchId>(below(random, fabric.num_switches())),
                 id_at<Lid>(1 + below(random, tables.width() - 1)), id_at<PortNum>(below(random, 22)));
    if (seed % 3 == 0)  // whole runs of one row
      for (std::size_t lid = 100; lid < 180; ++lid)
        tables.set(id_at<SwitchId>(seed % fabric.num_switches()), id_at<Lid>(lid), id_at<PortNum>(seed % 19));
    expect_agreement(fabric, tables);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace espalier::test
