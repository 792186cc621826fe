// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/orientation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Switches S0 .. Sn-1 one behind the other, a host at each.
Fabric line(int n) {
  std::string nodes, links;
  for (int i = 0; i < n; ++i) nodes += fmt::format("S{}:1 ", i);
  for (int i = 1; i < n; ++i) links += fmt::format(" S{}-S{}", i - 1, i);
  return test::draw(nodes + ";" + links);
}

TEST(Orientation, HasItsRootInTheMiddle) {
  const Fabric fabric = line(31);
  const Orientation best = best_orientation(SwitchGraph(fabric, {}));
  EXPECT_EQ(fabric.at(best.descending.front()).description, "S15");
}

TEST(Orientation, IsByDistanceFromItsRootAndHoldsEverySwitchOnce) {
  const Fabric fabric = test::draw("A:1 B:1 C:1 D:1 E:1 X:1 Y:1; A-B B-C C-D D-A D-E X-Y");
  const Orientation o = orient(SwitchGraph(fabric, {}), test::switch_named(fabric, "C"));
  ASSERT_EQ(o.descending.size(), fabric.num_switches());
  for (std::uint32_t i = 0; i < o.descending.size(); ++i) EXPECT_EQ(o.place[o.descending[i]], i);
  const auto place = [&](std::string_view name) { return o.place[test::switch_named(fabric, name)]; };
  EXPECT_EQ(place("C"), 0U);
  EXPECT_LT(std::max(place("B"), place("D")), std::min(place("A"), place("E")));
  EXPECT_LT(std::max(place("A"), place("E")), std::min(place("X"), place("Y"))) << "another part comes behind";
}

TEST(Orientation, InRowsFillsOneRingAfterTheOther) {
  const Fabric fabric = test::generated("torus", "6,5,1");
  const SwitchGraph graph(fabric, {});
  for (const AmongEquals among_equals : {AmongEquals::kStraightOn, AmongEquals::kHighestPort}) {
    const Orientation o = orient_in_rows(graph, id_at<SwitchId>(7), among_equals);
    ASSERT_EQ(o.descending.size(), fabric.num_switches());
    EXPECT_EQ(o.descending.front(), id_at<SwitchId>(7));
    for (std::uint32_t i = 0; i < o.descending.size(); ++i) EXPECT_EQ(o.place[o.descending[i]], i);
  }
  // Of the second row on, all but the first of each row have a neighbor in it and one in the row before.
  const Orientation o = orient_in_rows(graph, id_at<SwitchId>(7), AmongEquals::kStraightOn);
  std::size_t with_two = 0;
  for (const SwitchId s : fabric.switches()) {
    const auto before = [&](const Hop& hop) { return o.place[hop.far] < o.place[s]; };
    with_two += std::count_if(graph.out(s).begin(), graph.out(s).end(), before) >= 2 ? 1 : 0;
  }
  EXPECT_GE(with_two, 20U);
}

TEST(Orientation, InRowsHoldsSwitchesOfOtherPartsToo) {
  const Fabric fabric = test::draw("A:1 B:1 C:1 X:1 Y:1; A-B B-C C-A X-Y");
  const Orientation o =
      orient_in_rows(SwitchGraph(fabric, {}), test::switch_named(fabric, "B"), AmongEquals::kStraightOn);
  ASSERT_EQ(o.descending.size(), 5U);
  EXPECT_GE(o.place[test::switch_named(fabric, "X")], 3U);
}

// Up is toward the root: numbers ascend along up and up, up and down, down and down, never along down and up.
TEST(Orientation, NumbersChannelsSoThatTheyAscendUpAndThenDown) {
  const Fabric fabric = test::draw("A:1 B:1 C:1 D:1 E:1; A-B B-C C-D D-A D-E A-C");
  const SwitchGraph graph(fabric, {});
  const Orientation o = orient(graph, test::switch_named(fabric, "A"));
  const std::vector<std::uint32_t> number = numbers_of(graph, o);
  for (const SwitchId s : fabric.switches())
    for (const Hop& first : graph.out(s))
      for (const Hop& second : graph.out(first.far)) {
        if (second.far == s) continue;
        const bool down = o.place[first.far] > o.place[s], then_up = o.place[second.far] < o.place[first.far];
        EXPECT_EQ(number[index(first.channel)] < number[index(second.channel)], !(down && then_up));
      }
}

}  // namespace
}  // namespace espalier
