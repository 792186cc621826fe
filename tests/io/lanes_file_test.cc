// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/lanes_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

using ::testing::HasSubstr;

// Two source classes, three destination classes, and a map for one switch.
Lanes sample(const Fabric& fabric) {
  ServiceLevels levels(fabric.top_lid(), 2, 3);
  levels.set_source_class(Lid{2}, 1);
  levels.set_destination_class(Lid{1}, 1);
  for (const Lid lid : {Lid{3}, Lid{4}, Lid{5}, Lid{7}}) levels.set_destination_class(lid, 2);  // "3-5 7"
  levels.set(0, 2, 4);
  levels.set(1, 1, 5);
  LaneMaps maps(fabric);
  maps.add_map(1);
  const std::size_t map = maps.add_map(2);
  maps.entry(map, 0, 1) = {0, 0, 0, 0, 3, 1, kDiscardVl};
  maps.use_map(SwitchId{1}, map);
  maps.set_port_class(SwitchId{1}, PortNum{1}, 1);
  return Lanes(std::move(levels), std::move(maps));
}

TEST(LanesFile, ComesBackAsItWasWritten) {
  const Fabric fabric = two_level_tree();
  const Lanes lanes = sample(fabric);
  const std::string text = write_lanes(fabric, lanes);
  const Lanes read = read_lanes(text, "lanes", fabric).value();
  EXPECT_EQ(write_lanes(fabric, read), text);
  EXPECT_EQ(read.num_vls(), 4U);
  EXPECT_EQ(read.num_sls(), 3U);
  for (std::size_t from = 0; from <= index(fabric.top_lid()) + 3; ++from)
    for (std::size_t to = 0; to <= index(fabric.top_lid()) + 3; ++to)
      EXPECT_EQ(read.sl(id_at<Lid>(from), id_at<Lid>(to)), lanes.sl(id_at<Lid>(from), id_at<Lid>(to)));
  for (const SwitchId s : fabric.switches())
    for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in)
      for (std::size_t out = 0; out <= fabric.at(s).num_ports; ++out)
        for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
          EXPECT_EQ(read.vl(s, id_at<PortNum>(in), id_at<PortNum>(out), sl),
                    lanes.vl(s, id_at<PortNum>(in), id_at<PortNum>(out), sl));
}

TEST(LanesFile, OfOneLaneIsShort) {
  const Fabric fabric = two_level_tree();
  const Lanes lanes = read_lanes("levels 1 1\nsl 0: 0\n", "lanes", fabric).value();
  EXPECT_EQ(lanes.num_vls(), 1U);
  EXPECT_EQ(lanes.num_sls(), 1U);
  EXPECT_EQ(lanes.sl(Lid{1}, Lid{2}), 0);
}

TEST(LanesFile, NamesTheLineThatIsWrong) {
  const Fabric fabric = two_level_tree();
  const auto error = [&](const char* text) {
    const Result<Lanes> lanes = read_lanes(text, "lanes", fabric);
    return lanes ? "no error" : lanes.error().text();
  };
  EXPECT_THAT(error(""), HasSubstr("no line `levels`"));
  EXPECT_THAT(error("sl 0: 0\n"), HasSubstr("lanes:1: \"sl\" before the line `levels`"));
  EXPECT_THAT(error("levels 1 1\nlevels 1 1\n"), HasSubstr("lanes:2: a second line"));
  EXPECT_THAT(error("levels 1 1\n"), HasSubstr("no line `sl 0`"));
  EXPECT_THAT(error("levels 0 1\n"), HasSubstr("from 1 to"));
  EXPECT_THAT(error("levels 49152 49152\n"), HasSubstr("too many"));
  EXPECT_THAT(error("levels 1 2\nsl 0: 0\n"), HasSubstr("lanes:2: 1 service levels are given for 2"));
  EXPECT_THAT(error("levels 1 2\nsl 0: 0*999999999999\n"), HasSubstr("lanes:2: more than 2"));
  EXPECT_THAT(error("levels 1 1\nsl 0: 16\n"), HasSubstr("numbers below 16"));
  EXPECT_THAT(error("levels 1 1\nsl 0: 0\nsl 0: 0\n"), HasSubstr("lanes:3: a second line `sl 0`"));
  EXPECT_THAT(error("levels 1 1\nsource 0: 5-3\n"), HasSubstr("LIDs must be numbers"));
  EXPECT_THAT(error("levels 1 1\nmap 1: 2\n"), HasSubstr("map 1 where map 0 should follow"));
  EXPECT_THAT(error("levels 1 1\nmap 0: 1\nvl 0 0 0: 1\n"),
              HasSubstr("there must be 16 lanes, one for each service level, not 1"));
  EXPECT_THAT(error("levels 1 1\nmap 0: 1\nvl 0 1 0: 1*16\n"), HasSubstr("class of the in-port"));
  EXPECT_THAT(error("levels 1 1\nvl 0 0 0: 1*16\n"), HasSubstr("the map must be a number"));
  EXPECT_THAT(error("levels 1 1\nmap 0: 1\nswitch nobody: 0 0\n"), HasSubstr("by its GUID"));
  EXPECT_THAT(error("levels 1 1\nhello\n"), HasSubstr("\"hello\" is not a word of lanes files"));
}

}  // namespace
}  // namespace espalier::test
