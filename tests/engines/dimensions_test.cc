// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dimensions.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::generated;

std::uint32_t dimensions_of(const Fabric& fabric) { return Dimensions(SwitchGraph(fabric)).count(); }

TEST(Dimensions, are_those_of_tori_and_grids) {
  EXPECT_EQ(dimensions_of(generated("torus", "5,6,1")), 2);
  EXPECT_EQ(dimensions_of(generated("torus", "3,7,5,2")), 3);
  EXPECT_EQ(dimensions_of(generated("torus", "8,8,4,1")), 4) << "a ring of four is a product of two pairs";
  EXPECT_EQ(dimensions_of(generated("hyperx", "4,3;2,1;2")), 2);
  EXPECT_EQ(dimensions_of(test::draw("A:1 B:1 C:1 D:1 E:1 F:1; A-B B-C D-E E-F A-D B-E C-F")), 2) << "a mesh";
}

TEST(Dimensions, do_not_hinge_on_numbers) {
  EXPECT_EQ(
      dimensions_of(*change(generated("torus", "5,6,3,1"), {.guids = SiteChanges::Guids::kShuffled, .seed = 9301})), 3);
}

TEST(Dimensions, are_one_where_the_graph_is_no_product) {
  EXPECT_EQ(dimensions_of(generated("jellyfish", "50,7,4")), 1);
  EXPECT_EQ(dimensions_of(generated("slimfly", "5,4")), 1);
  EXPECT_EQ(dimensions_of(generated("pgft", "2;6,6;1,6;1,1")), 1);
  EXPECT_EQ(dimensions_of(generated("dragonfly", "2,4,2,9")), 1);
  EXPECT_EQ(dimensions_of(degrade(generated("torus", "5,6,1"), {.links = 1}).value()), 1);
}

TEST(Dimensions, have_opposite_sides_of_squares_and_both_directions_of_links) {
  const Fabric fabric = generated("hyperx", "4,5;1,1;2");
  const SwitchGraph graph(fabric);
  const Dimensions dimensions(graph);
  ASSERT_EQ(dimensions.count(), 2);
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s)) {
      // Switches are numbered along the second side, of five; ports of the first come first.
      const bool first = index(s) / 5 != index(hop.far) / 5;
      EXPECT_EQ(dimensions.of(hop.channel) == dimensions.of(graph.out(SwitchId{0}).front().channel), first);
      EXPECT_EQ(dimensions.of(hop.channel), dimensions.of(fabric.channel(hop.far, fabric.peer(hop.channel).port)));
    }
}

// Damage leaves all dimensions but the numbers that they have, and links that no square is left of.
TEST(Dimensions, of_a_hyperx_outlive_missing_links) {
  for (const auto& [spec, links] :
       {std::pair("7,7;1,1;4", 14), std::pair("4,5;1,1;4", 4), std::pair("4,4,4;1,1,1;2", 14)}) {
    const Fabric whole = generated("hyperx", spec);
    const Fabric fabric = *change(degrade(whole, {.links = static_cast<std::size_t>(links), .seed = 9501}).value(),
                                  {.guids = SiteChanges::Guids::kShuffled, .seed = 9501});
    const SwitchGraph graph(fabric);
    const Dimensions dimensions = Dimensions::of_damaged(graph);
    EXPECT_EQ(dimensions.count(), dimensions_of(whole)) << spec;
    std::size_t in_none = 0;
    for (const SwitchId s : fabric.switches())
      for (const Hop& hop : graph.out(s)) in_none += dimensions.of(hop.channel) == dimensions.count() ? 1 : 0;
    EXPECT_EQ(in_none, 0) << spec;
  }
}

TEST(Dimensions, of_what_is_damaged_are_one_where_it_was_no_product_of_complete_graphs) {
  for (const auto& [kind, spec] :
       {std::pair("jellyfish", "50,7,4"), std::pair("slimfly", "5,4"), std::pair("gdbg", "50,4,4"),
        std::pair("pgft", "2;6,6;1,6;1,1"), std::pair("dragonfly", "2,4,2,9"), std::pair("torus", "8,8,4,1")})
    for (const std::size_t links : {0, 5}) {
      const Fabric fabric = degrade(generated(kind, spec), {.links = links, .seed = 9502}).value();
      EXPECT_EQ(Dimensions::of_damaged(SwitchGraph(fabric)).count(), 1) << kind << " without " << links;
    }
}

}  // namespace
}  // namespace espalier
