// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every single link, switch and end port of small fabrics, one after the other: sound, and back to the reference.
#include <gtest/gtest.h>

#include "core/repair/repair.h"
#include "tests/repair/each_fault.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_by;

void break_everything_once(const Fabric& whole, std::string_view engine) {
  const PreparedReference reference(reference_by(whole, engine));
  const auto check = [&](const Fabric& now, const std::string& what) {
    const Result<PatchedRepair> repaired = patch(reference, now);
    ASSERT_TRUE(repaired) << repaired.error().text();
    EXPECT_EQ(complaint(now, repaired->tables.whole()), "") << engine << ": " << what;
  };
  test::break_each_once(whole, check);
}

TEST(SingleFaults, of_drawn_fabrics_are_repaired_soundly) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) break_everything_once(fabric, "dmodc");
}

TEST(SingleFaults, of_small_trees_are_repaired_soundly) {
  for (const char* spec : {"2;2,3;1,3;1,1", "2;3,3;1,2;1,2", "3;2,2,3;1,2,2;1,1,1", "3;2,3,2;1,2,3;1,2,1"})
    for (const char* engine : {"balanced", "sftree", "bfs-ftree"}) break_everything_once(test::pgft(spec), engine);
}

}  // namespace
}  // namespace espalier
