// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Bogdanski et al. 2012, 7.2.3: LASH takes 1 lane on 648 ports, 6 on 3 456, 8 like JuRoPA. Which shortest paths it takes
// follows from the GUIDs. Those of our generator give 1, 6 and 7 (9 like Ranger, which the paper could not run). On the
// third, of which the paper gives no cabling, shuffled GUIDs give 6 to 8.
#include "tests/support/lash_lanes.h"

#include <gtest/gtest.h>

#include "core/fabric/generators/site_changes.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::generated;

TEST(LashLanes, AreThePublishedOnesOnTwoAndThreeStages) {
  EXPECT_EQ(lash_lanes(generated("mport", "36,2")), 1U);
  EXPECT_EQ(lash_lanes(generated("mport", "24,3")), 6U);
}

TEST(LashLanes, AreThePublishedOnesLikeJuropaWithSomeGuids) {
  const Fabric juropa = generated("directors", "432,12,12;8,36;12,2");
  EXPECT_EQ(lash_lanes(*change(juropa, {.guids = SiteChanges::Guids::kShuffled, .seed = 1002})), 8U);
}

// What OpenSM's own lash takes on fabrics that it is done with in seconds (docs/measured/switch_traffic.md).
TEST(LashLanes, AreThoseOfOpenSm) {
  EXPECT_EQ(lash_lanes(generated("dragonfly", "2,4,2,9")), 2U);
  EXPECT_EQ(lash_lanes(generated("hyperx", "6,6;3")), 1U);
  EXPECT_EQ(lash_lanes(generated("slimfly", "5,4")), 2U);
  EXPECT_EQ(lash_lanes(generated("gdbg", "50,4,4")), 3U);
  EXPECT_EQ(lash_lanes(generated("torus", "8,8,4,1")), 6U);
  EXPECT_EQ(lash_lanes(generated("megafly", "17;6,5,4;4")), 7U);
}

}  // namespace
}  // namespace espalier
