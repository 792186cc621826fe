// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/detect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/faults.h"
#include "tests/dragonfly/group_name.h"
#include "tests/support/fabrics.h"
#include "tests/support/shuffled_guids.h"

namespace espalier {
namespace {

using test::generated;
using test::group_name;
using test::with_shuffled_guids;
using ::testing::HasSubstr;

void expect_groups_by_name(const Fabric& fabric) {
  const Result<Dragonfly> dragonfly = detect_dragonfly(fabric);
  ASSERT_TRUE(dragonfly.has_value()) << dragonfly.error().text();
  for (const SwitchId a : fabric.switches())
    for (const SwitchId b : fabric.switches())
      ASSERT_EQ(dragonfly->group(a) == dragonfly->group(b), group_name(fabric, a) == group_name(fabric, b))
          << fabric.label(a) << " " << fabric.label(b);
}

TEST(DetectDragonfly, FindsTheGroupsOfWholeOnes) {
  for (const char* spec : {"2,4,2,9", "3,6,3,19", "4,8,4,33", "2,4,2,4", "1,3,1,4", "2,8,1,9", "2,24,2,6;4,6,1,2"}) {
    SCOPED_TRACE(spec);
    expect_groups_by_name(generated("dragonfly", spec));
    expect_groups_by_name(with_shuffled_guids(generated("dragonfly", spec), 1234));
  }
}

TEST(DetectDragonfly, TellsWholeFromDamaged) {
  const Fabric fabric = generated("dragonfly", "2,4,2,9");
  EXPECT_TRUE(detect_dragonfly(fabric)->is_whole());
  const Fabric broken = degrade(fabric, {.links = 1, .seed = 7}).value();
  EXPECT_FALSE(detect_dragonfly(broken)->is_whole());
}

TEST(DetectDragonfly, KnowsPortsByTheirClass) {
  const Fabric fabric = generated("dragonfly", "2,4,2,9");
  const Dragonfly dragonfly = detect_dragonfly(fabric).value();
  EXPECT_EQ(dragonfly.port_class(SwitchId{0}, PortNum{0}), PortClass::kTerminal);
  EXPECT_EQ(dragonfly.port_class(SwitchId{0}, PortNum{1}), PortClass::kTerminal);
  EXPECT_EQ(dragonfly.port_class(SwitchId{0}, PortNum{3}), PortClass::kLocal);
  EXPECT_EQ(dragonfly.port_class(SwitchId{0}, PortNum{6}), PortClass::kGlobal);
  EXPECT_EQ(dragonfly.exits(0, 1).size(), 1U);
}

TEST(DetectDragonfly, FindsTheGroupsUnderDamage) {
  std::size_t right = 0;
  for (std::uint64_t seed = 1001; seed <= 1020; ++seed) {
    const Fabric whole = generated("dragonfly", "3,6,3,19");
    const Fabric broken = degrade(whole, {.links = whole.num_switch_links() / 10, .switches = 0, .seed = seed}).value();
    const Result<Dragonfly> dragonfly = detect_dragonfly(broken);
    ASSERT_TRUE(dragonfly.has_value()) << seed << ": " << dragonfly.error().text();
    right += dragonfly->num_groups() == 19;
  }
  EXPECT_GE(right, 17U);
}

TEST(DetectDragonfly, FindsLeavesAndSpines) {
  const Fabric fabric = generated("megafly", "9;2,4,4;4");
  const Dragonfly dragonfly = detect_dragonfly(fabric).value();
  EXPECT_EQ(dragonfly.kind(), Dragonfly::Kind::kLeavesAndSpines);
  EXPECT_EQ(dragonfly.num_groups(), 9U);
  EXPECT_TRUE(dragonfly.is_whole());
}

TEST(DetectDragonfly, IsAskedOnceForOneFabric) {
  const Fabric fabric = generated("dragonfly", "2,4,2,9"), other = generated("dragonfly", "2,4,2,3");
  const auto groups = groups_of(fabric, nullptr);
  EXPECT_EQ(groups->dragonfly->num_groups(), 9U);
  EXPECT_EQ(groups_of(fabric, groups), groups);
  EXPECT_EQ(groups_of(other, groups)->dragonfly->num_groups(), 3U);
}

TEST(RecognizeDragonfly, KnowsWholeAndDamagedOnes) {
  for (const char* spec : {"2,4,2,9", "3,6,3,19", "4,8,4,2", "2,4,2,3", "2,24,2,6;4,6,1,2"})
    EXPECT_TRUE(recognize_dragonfly(generated("dragonfly", spec)).has_value()) << spec;
  EXPECT_TRUE(recognize_dragonfly(generated("megafly", "9;2,4,4;4")).has_value());
  const Fabric whole = generated("dragonfly", "3,6,3,19");
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed)
    EXPECT_TRUE(recognize_dragonfly(degrade(whole, {.links = whole.num_switch_links() / 4, .seed = seed}).value()))
        << seed;
}

// There are groups to be found in them, but no more than chance gives. (In one of ten with 20 switches they are complete.)
TEST(RecognizeDragonfly, TakesNoRandomGraphForOne) {
  std::size_t groups = 0;
  for (const char* spec : {"30,8,8", "40,8,5", "60,11,10", "100,20,10"})
    for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
      const Fabric fabric = generated("jellyfish", spec, 0, seed);
      groups += detect_dragonfly(fabric).has_value();
      EXPECT_FALSE(recognize_dragonfly(fabric).has_value()) << spec << ", seed " << seed;
    }
  EXPECT_GT(groups, 30U);
}

TEST(DetectDragonfly, SaysWhyATreeIsNone) {
  for (const auto& [kind, spec] :
       {std::pair{"pgft", "2;4,4;1,4;1,1"}, std::pair{"pgft", "3;4,4,4;1,4,4;1,1,1"}, std::pair{"kary", "4,2"}}) {
    const Result<Dragonfly> dragonfly = detect_dragonfly(generated(kind, spec));
    ASSERT_FALSE(dragonfly.has_value()) << spec;
    EXPECT_THAT(dragonfly.error().text(), HasSubstr("this is not a dragonfly: "));
  }
}

}  // namespace
}  // namespace espalier
