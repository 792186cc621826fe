// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Verification of a change says what verification from scratch says, right or wrong, to the last number.
#include <gtest/gtest.h>

#include <random>

#include "core/analysis/soundness/changes/sound_tables.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/faults.h"
#include "core/repair/repair.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::reference_by;

void expect_same(const VerifyReport& changed, const VerifyReport& whole) {
  ASSERT_EQ(changed.violations.size(), whole.violations.size());
  for (std::size_t i = 0; i < whole.violations.size(); ++i) {
    EXPECT_EQ(changed.violations[i].kind, whole.violations[i].kind);
    EXPECT_EQ(changed.violations[i].text, whole.violations[i].text);
  }
  EXPECT_EQ(changed.num_violations, whole.num_violations);
  EXPECT_EQ(changed.num_entries, whole.num_entries);
  EXPECT_EQ(changed.num_dependencies, whole.num_dependencies);
  EXPECT_EQ(changed.credit_loop, whole.credit_loop);
}

// A leaf and its hosts are gone; of odd halves of the seed it is that of the highest LID.
Fabric without_a_leaf(const Fabric& whole, std::uint64_t seed) {
  EndportId host = id_at<EndportId>(seed * 7 % whole.num_endports());
  if (seed / 4 % 2 == 1)
    for (const EndportId e : whole.endports())
      if (whole.at(e).lid > whole.at(host).lid) host = e;
  return without_switch(whole, whole.at(host).leaf);
}

TEST(VerifyChange, agrees_with_verification_from_scratch) {
  std::size_t sound = 0, unsound = 0;
  for (const char* engine : {"dmodc", "balanced", "bfs-dmodc"})
    for (const char* spec : {"2;4,6;1,4;1,1", "2;3,5;1,2;1,2", "3;3,3,4;1,3,2;1,1,1", "2;12,30;1,6;1,1"}) {
      const Fabric whole = test::pgft(spec);
      const PreparedReference reference(reference_by(whole, engine));
      const Damage most = most_damage(whole);
      for (std::uint64_t seed = 1001; seed < 1031; ++seed) {
        SCOPED_TRACE(testing::Message() << engine << ' ' << spec << " seed " << seed);
        const Fabric now =
            degrade(seed % 4 == 1 ? without_a_leaf(whole, seed) : whole, {.links = seed % 5 * most.links / 16,
                                                                          .switches = seed % 3 == 0 ? 1 + seed % 2 : 0,
                                                                          .endports = seed % 3,
                                                                          .seed = seed})
                .value();
        PatchedTables patched = patch(reference, now).value().tables;
        ForwardingTables tables = patched.whole();
        expect_same(reference.verify_change(now, tables), verify(now, tables));
        expect_same(reference.verify_change(now, patched), verify(now, tables));
        // Tables of before the faults, and random entries.
        if (reference.reference().tables.num_switches() == tables.num_switches())
          expect_same(reference.verify_change(now, reference.reference().tables),
                      verify(now, reference.reference().tables));
        std::mt19937_64 random(seed);
        for (std::size_t n = random() % 4; n > 0; --n) {
          const SwitchId s = id_at<SwitchId>(random() % now.num_switches());
          const std::size_t lid = 1 + random() % (tables.width() - 1);
          const PortNum port = id_at<PortNum>(random() % 12);
          tables.set(s, id_at<Lid>(lid), port);
          patched.set(s, id_at<Lid>(lid), port);
        }
        const VerifyReport report = verify(now, tables);
        expect_same(reference.verify_change(now, tables), report);
        expect_same(reference.verify_change(now, patched), report);
        ++(report.ok() ? sound : unsound);
        if (HasFatalFailure()) return;
      }
    }
  EXPECT_GT(sound, 60U);
  EXPECT_GT(unsound, 100U);
}

// Lost links, end ports and switches take the short cut, whoever made the tables; anything new does not.
TEST(VerifyChange, looks_at_the_change_alone_where_something_is_lost) {
  const Fabric whole = test::pgft("3;3,3,4;1,3,2;1,1,1");
  const PreparedReference reference(reference_by(whole, "balanced"));
  const auto sound = SoundTables::prove(whole, reference.reference().tables);
  ASSERT_TRUE(sound);
  for (std::uint64_t seed = 2001; seed < 2021; ++seed) {
    const Fabric fewer_links = degrade(whole, {.links = 1 + seed % 6, .seed = seed}).value();
    const ForwardingTables repaired = patch(reference, fewer_links).value().tables.whole();
    EXPECT_TRUE(sound->verify_losses(fewer_links, TableRows(repaired))) << "seed " << seed;
    EXPECT_TRUE(sound->verify_losses(fewer_links, TableRows(reference_by(fewer_links, "dmodc").tables)))
        << "seed " << seed;
    EXPECT_FALSE(sound->verify_losses(fewer_links, TableRows(reference.reference().tables))) << "entries on lost links";
    const Fabric fewer_switches = degrade(whole, {.switches = 1, .seed = seed}).value();
    const ForwardingTables around = patch(reference, fewer_switches).value().tables.whole();
    EXPECT_TRUE(sound->verify_losses(fewer_switches, TableRows(around)));
    const Fabric fewer_leaves = without_a_leaf(whole, seed);
    EXPECT_TRUE(sound->verify_losses(fewer_leaves, TableRows(patch(reference, fewer_leaves).value().tables.whole())));
    const auto of_fewer = SoundTables::prove(fewer_switches, around);
    ASSERT_TRUE(of_fewer);
    EXPECT_FALSE(of_fewer->verify_losses(whole, TableRows(reference.reference().tables))) << "the switch is back";
  }
}

// Whose LID nobody had, so that its entries counted for nothing: a host that has no link yet.
TEST(VerifyChange, counts_entries_for_a_lid_that_was_nobodys) {
  const Fabric whole = test::pgft("2;4,6;1,4;1,1");
  const EndportId host{5};
  const Lid lid = whole.at(host).lid;
  const ForwardingTables before = reference_by(whole, "dmodc").tables;
  const Fabric fewer = without_endport(whole, host);
  const auto sound = SoundTables::prove(fewer, before);
  ASSERT_TRUE(sound);
  const Fabric now = without_link(whole, whole.at(host).leaf, whole.at(host).leaf_port);
  ForwardingTables tables = before;
  for (const SwitchId s : now.switches()) tables.set(s, lid, kNoPort);
  if (const auto report = sound->verify_losses(now, TableRows(tables))) expect_same(*report, verify(now, tables));
}

TEST(VerifyChange, proves_nothing_of_unsound_tables) {
  const Fabric whole = test::pgft("2;4,6;1,4;1,1");
  ForwardingTables tables = reference_by(whole, "dmodc").tables;
  ASSERT_TRUE(SoundTables::prove(whole, tables));
  tables.set(SwitchId{0}, whole.top_lid(), id_at<PortNum>(200));
  EXPECT_FALSE(SoundTables::prove(whole, tables));
}

}  // namespace
}  // namespace espalier
