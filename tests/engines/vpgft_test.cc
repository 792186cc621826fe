// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the tables are good for is in tests/golden/vpgft_test.cc.
#include "core/engines/ftree/vpgft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::HasSubstr;

Fabric qft(const char* spec) { return test::generated("qft", spec); }

TEST(Vpgft, IsFtreeWhereNothingIsSplit) {
  for (const char* spec : {"2;2,3;1,2;1,1", "3;2,3,2;1,2,3;1,1,2"}) {
    const Fabric fabric = test::pgft(spec);
    const FatTree tree = *rank(fabric);
    EXPECT_EQ(Vpgft().route(tree)->tables, make_engine("ftree")->route(tree)->tables) << spec;
  }
}

TEST(Vpgft, RoutesEveryLidOfARangeSoundly) {
  for (const char* spec : {"3;2,1,4;1,1,2;1,2,1", "3;4,2,4;1,2,2;1,2,1", "3;3,2,6;1,2,3;1,3,1"})
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
      const Fabric fabric = test::with_lmc(qft(spec), lmc);
      const FatTree tree = *rank(fabric);
      const Result<Routing> routing = Vpgft().route(tree);
      ASSERT_TRUE(routing) << spec << ": " << routing.error().text();
      EXPECT_TRUE(verify(fabric, routing->tables).ok()) << spec;
    }
}

// Missing hosts leave parts alike; a missing link of a top does not.
TEST(Vpgft, DeclinesWhereAPartWouldReachFewerLeaves) {
  const Fabric whole = qft("3;4,2,4;1,2,2;1,2,1");
  for (const SwitchId s : whole.switches())
    for (const PortNum p : whole.ports(s)) {
      const Peer& peer = whole.peer(s, p);
      const Fabric hurt = without_link(whole, s, p);
      const FatTree tree = *rank(hurt);
      const Result<Routing> routing = Vpgft().route(tree);
      if (peer.is_endport()) {
        ASSERT_TRUE(routing) << routing.error().text();
        EXPECT_TRUE(verify(hurt, routing->tables).ok());
      } else if (routing) {
        EXPECT_TRUE(verify(hurt, routing->tables).ok());
      } else {
        EXPECT_THAT(routing.error().text(),
                    HasSubstr("vpgft has to split top switches into parts that reach the same leaves: "));
        EXPECT_THAT(routing.error().text(), HasSubstr("; use pqft or ftree"));
      }
    }
  const FatTree tree = *rank(whole);
  const SwitchId top = tree.ascending().back();
  const Fabric hurt = without_link(whole, top, id_at<PortNum>(1));
  EXPECT_FALSE(Vpgft().route(*rank(hurt)));
}

}  // namespace
}  // namespace espalier
