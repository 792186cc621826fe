// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/memory/patched_tables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <utility>

namespace espalier {
namespace {

constexpr std::size_t kSwitches = 5;
constexpr std::size_t kWidth = 40 * kLidsPerBlock + 7;

std::size_t blocks_apart(const PatchedTables& tables, SwitchId s, const ForwardingTables& from) {
  std::size_t count = 0;
  tables.rows().row(s).for_each_block_apart(from.row(s).data(),
                                            [&](std::size_t, const PortNum*, std::size_t) { ++count; });
  return count;
}

void expect_same(const PatchedTables& patched, const ForwardingTables& plain) {
  EXPECT_EQ(patched.whole(), plain);
  std::vector<PortNum> buffer;
  for (const SwitchId s : IdRange<SwitchId>(kSwitches)) {
    for (std::size_t lid = 0; lid < kWidth; ++lid)
      ASSERT_EQ(patched.rows().at(s, id_at<Lid>(lid)), plain.at(s, id_at<Lid>(lid)));
    EXPECT_EQ(std::memcmp(patched.rows().row(s).in_one_piece(buffer), plain.row(s).data(), kWidth), 0);
  }
}

// One more change each time, so that rows go from shared to a few blocks of their own to a whole one.
TEST(PatchedTables, AreThePlainTablesHoweverMuchDiffers) {
  std::mt19937_64 random(1001);
  const auto any_port = [&] { return id_at<PortNum>(random() % 37); };
  ForwardingTables base(kSwitches, id_at<Lid>(kWidth - 1));
  for (const SwitchId s : IdRange<SwitchId>(kSwitches))
    for (PortNum& port : base.row(s)) port = any_port();
  const ForwardingTables as_it_was = base;
  ForwardingTables plain = base;
  PatchedTables patched{TableRows(base)};
  for (std::size_t change = 0; change < 60; ++change) {
    const SwitchId s = id_at<SwitchId>(random() % (kSwitches - 1));  // the last one's row stays shared
    const Lid lid = id_at<Lid>(random() % kWidth);
    const PortNum port = any_port();
    plain.set(s, lid, port);
    patched.set(s, lid, port);
    if (change % 10 == 0) {
      PatchedTables moved = std::move(patched);
      expect_same(moved, plain);
      patched = std::move(moved);
    }
  }
  expect_same(patched, plain);
  EXPECT_EQ(base, as_it_was);
  EXPECT_EQ(blocks_apart(patched, id_at<SwitchId>(kSwitches - 1), base), 0U);
}

// With rows that are shared, that have a few blocks of their own, and that are stored whole.
TEST(PatchedTables, ShrinkToFewerEntries) {
  const ForwardingTables base(3, id_at<Lid>(kWidth - 1));
  PatchedTables patched{TableRows(base)};
  patched.set(SwitchId{1}, id_at<Lid>(2 * kLidsPerBlock), PortNum{5});
  for (std::size_t lid = 0; lid < kWidth; lid += kLidsPerBlock) patched.set(SwitchId{2}, id_at<Lid>(lid), PortNum{6});
  const ForwardingTables before = patched.whole();
  const std::size_t width = 2 * kLidsPerBlock + 3;
  patched.shrink(width);
  EXPECT_EQ(patched.rows().width(), width);
  const ForwardingTables after = patched.whole();
  ASSERT_EQ(after.width(), width);
  for (const SwitchId s : IdRange<SwitchId>(3)) {
    EXPECT_EQ(std::memcmp(after.row(s).data(), before.row(s).data(), width), 0);
    patched.rows().row(s).for_each_block_apart(
        base.row(s).data(),
        [&](std::size_t first, const PortNum*, std::size_t size) { EXPECT_LE(first + size, width); });
  }
}

TEST(PatchedTables, StoreOneBlockForOneEntry) {
  const ForwardingTables base(kSwitches, id_at<Lid>(kWidth - 1));
  PatchedTables patched{TableRows(base)};
  patched.set(SwitchId{2}, id_at<Lid>(kWidth - 1), PortNum{3});
  patched.set(SwitchId{2}, id_at<Lid>(kWidth - 2), PortNum{4});
  EXPECT_EQ(blocks_apart(patched, SwitchId{1}, base), 0U);
  EXPECT_EQ(blocks_apart(patched, SwitchId{2}, base), 1U);
}

}  // namespace
}  // namespace espalier
