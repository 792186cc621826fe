// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/flap_hold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/faults.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr seconds kHold{60};

// Two leaves with two spines; time passes by hand.
class FlapHoldTest : public ::testing::Test {
 protected:
  [[nodiscard]] Fabric without_links(const std::vector<ChannelId>& links) const {
    return without(whole_, {.switches = {}, .endports = {}, .links = links});
  }
  // Ten seconds later.
  FlapHold::Held see(const Fabric& fabric) { return hold_.update(fabric, now_ += seconds(10), kHold); }
  FlapHold::Held flap(const std::vector<ChannelId>& links, int times) {
    FlapHold::Held held;
    for (int i = 0; i < times; ++i) {
      see(without_links(links));
      held = see(whole_);
    }
    return held;
  }

  const Fabric whole_ = test::pgft("2;2,2;1,2;1,1");
  const SwitchId leaf_{0};
  const ChannelId first_ = whole_.channel(leaf_, PortNum{3}), second_ = whole_.channel(leaf_, PortNum{4});
  FlapHold hold_;
  FlapHold::Time now_ = FlapHold::Time() + std::chrono::hours(1);
};

TEST_F(FlapHoldTest, BelievesWhatComesBackOnceOrTwice) {
  see(whole_);
  EXPECT_TRUE(flap({first_}, 2).names.empty());
}

TEST_F(FlapHoldTest, HoldsWhatFlapsUntilItHasBeenQuiet) {
  see(whole_);
  const FlapHold::Held held = flap({first_}, 3);
  ASSERT_EQ(held.links.size(), 1U);
  EXPECT_EQ(whole_.source(held.links[0]), leaf_);
  EXPECT_EQ(whole_.port(held.links[0]), PortNum{3});
  EXPECT_THAT(held.names.at(0), HasSubstr("port 3 - "));
  EXPECT_EQ(held.look_again, now_ + kHold);
  now_ += seconds(40);
  EXPECT_EQ(see(whole_).links.size(), 1U) << "50 s after it came back";
  EXPECT_TRUE(see(whole_).names.empty()) << "60 s after";
  EXPECT_TRUE(flap({first_}, 2).names.empty()) << "it counts from 0 again";
}

TEST_F(FlapHoldTest, ForgetsFlapsThatAreFarApart) {
  see(whole_);
  for (int i = 0; i < 5; ++i) {
    now_ += kHold;
    EXPECT_TRUE(flap({first_}, 1).names.empty());
  }
}

TEST_F(FlapHoldTest, UsesWhatFlapsWhereItIsTheLastWay) {
  see(whole_);
  const FlapHold::Held both = flap({first_, second_}, 3);
  EXPECT_EQ(both.names.size(), 2U);
  EXPECT_EQ(both.needed.size(), 1U);
  ASSERT_EQ(both.absent().size(), 1U);
  EXPECT_FALSE(both.is_needed(both.absent().front()));
  ASSERT_EQ(both.links.size(), 1U);
  for (const std::uint32_t part : connected_components(without_links(both.links))) EXPECT_EQ(part, 0U);
}

TEST_F(FlapHoldTest, DoesNotHoldWhatIsAbsent) {
  see(whole_);
  flap({first_}, 4);
  const FlapHold::Held held = see(without_links({first_}));
  EXPECT_TRUE(held.names.empty());
  EXPECT_EQ(held.num_gone, 1U);
}

// The subnet manager's leaf comes and goes: of all other links it knows nothing.
TEST_F(FlapHoldTest, DoesNotCountWhatIsOutOfSight) {
  const SwitchId other_leaf{1};
  const Fabric alone =
      without(whole_, {.switches = {SwitchId{2}, SwitchId{3}, other_leaf}, .endports = {}, .links = {}});
  ASSERT_EQ(alone.num_switches(), 1U);
  see(whole_);
  FlapHold::Held held;
  for (int i = 0; i < 3; ++i) {
    see(alone);
    held = see(whole_);
  }
  EXPECT_EQ(held.names.size(), 2U) << "its own two";
  EXPECT_EQ(held.needed.size(), 1U);
  for (const ChannelId c : held.links) EXPECT_EQ(whole_.source(c), leaf_);
}

}  // namespace
}  // namespace espalier
