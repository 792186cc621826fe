// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/leiserson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/modulo/dmodk.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"
#include "tests/support/host_pair_router.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using testing::HasSubstr;

struct Tree {
  const char* spec;
  std::uint8_t enough;  // LMC that has an offset for each link below the top
};
std::ostream& operator<<(std::ostream& out, const Tree& tree) { return out << tree.spec; }

Fabric leiserson(const char* spec, std::uint8_t lmc) { return test::generated("leiserson", spec, lmc); }

std::string refusal(const Fabric& fabric) {
  const FatTree tree = *rank(fabric);
  const Result<Routing> routing = Leiserson().route(tree);
  return routing ? "" : routing.error().text();
}

class LeisersonTrees : public testing::TestWithParam<Tree> {};

// Algorithm 13 to the letter, host by host: each packet takes the path that its input ports say.
TEST_P(LeisersonTrees, ComeByInputPortWhereThereAreLidsEnough) {
  const Fabric fabric = leiserson(GetParam().spec, GetParam().enough);
  const FatTree tree = *rank(fabric);
  const Result<Routing> routing = Leiserson().route(tree);
  ASSERT_TRUE(routing) << routing.error().text();
  EXPECT_TRUE(verify(fabric, routing->tables).ok());
  const SourceOffsets& offsets = *routing->source_offsets;
  const HostPairRouter router(tree);
  for (const EndportId from : fabric.endports())
    for (const EndportId to : fabric.endports()) {
      const Lid lid = lid_at_offset(fabric.at(to).lid, offsets.offset(from, to));
      EXPECT_EQ(walk(fabric, routing->tables, fabric.at(from).leaf, lid).channels, router.by_input_port(from, to));
    }
}

TEST_P(LeisersonTrees, GoDownOneWayWhateverTheOffset) {
  const Fabric fabric = leiserson(GetParam().spec, 2);
  const FatTree tree = *rank(fabric);
  const UpDownCosts costs(tree);
  const Routing routing = *Leiserson().route(tree);
  for (const EndportId e : fabric.endports())
    for (const SwitchId s : fabric.switches())
      for (std::size_t offset = 1; offset < 4; ++offset) {
        if (costs.down_cost(s, fabric.at(e).leaf) == kUnreachable) continue;
        const std::size_t base = index(fabric.at(e).lid);
        EXPECT_EQ(routing.tables.at(s, id_at<Lid>(base + offset)), routing.tables.at(s, id_at<Lid>(base)));
      }
}

TEST_P(LeisersonTrees, HaveTheTablesOfDmodkWithoutLmc) {
  const Fabric fabric = leiserson(GetParam().spec, 0);
  const FatTree tree = *rank(fabric);
  const Routing routing = *Leiserson().route(tree);
  EXPECT_EQ(routing.tables, Dmodk().route(tree)->tables);
  EXPECT_TRUE(routing.source_offsets->radices.empty());
}

INSTANTIATE_TEST_SUITE_P(Leiserson, LeisersonTrees,
                         testing::Values(Tree{"2,2", 1}, Tree{"2,3", 2}, Tree{"2,4", 3}, Tree{"3,2", 2},
                                         Tree{"3,3", 4}));

TEST(Leiserson, LetsSourcesChooseAsFarAsLidsReach) {
  const auto radices = [](const char* spec, std::uint8_t lmc) {
    const Fabric fabric = leiserson(spec, lmc);
    return Leiserson().route(*rank(fabric))->source_offsets->radices;
  };
  EXPECT_EQ(radices("2,4", 1), std::vector<std::uint32_t>{2});
  EXPECT_EQ(radices("2,4", 7), std::vector<std::uint32_t>{8});
  EXPECT_EQ(radices("3,3", 3), std::vector<std::uint32_t>{3});
}

TEST(Leiserson, DeclinesOtherTreesAndSaysWhy) {
  EXPECT_THAT(
      refusal(test::pgft("2;2,3;1,2;1,1")),
      HasSubstr("only for complete Leiserson trees: 0x0002c90001000000 (leaf 0) has 2 switches above it, not one"));
  EXPECT_THAT(refusal(test::pgft("2;4,3;1,1;1,2")), HasSubstr("has 2 uplinks for 4 ports below"));
  const Fabric whole = leiserson("2,3", 0);
  for (const SwitchId s : whole.switches())
    for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p)
      if (whole.peer(s, id_at<PortNum>(p)).kind != Peer::Kind::kNone) {
        EXPECT_THAT(refusal(without_link(whole, s, id_at<PortNum>(p))), HasSubstr("only for complete Leiserson trees"))
            << whole.label(s) << " port " << p;
      }
}

}  // namespace
}  // namespace espalier
