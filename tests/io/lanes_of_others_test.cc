// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// SL2VL tables and path records as OpenSM and saquery print them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/lanes/path_records.h"
#include "core/io/lanes/sl2vl_dump.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead =
    "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n#-----------------------------\n";

std::string row(unsigned in, unsigned out, std::string_view vls) {
  return fmt::format("{:<3} {:<3} : {}\n", in, out, vls);
}

// Of all switches.
std::string heads(const Fabric& fabric) {
  std::string text;
  for (const SwitchId s : fabric.switches())
    text += fmt::format("Switch 0x{:016x}, base LID 1, \"x\"\n", index(fabric.at(s).guid));
  return text;
}

std::string record(unsigned from, unsigned to, std::string_view sl) {
  return fmt::format(
      "PathRecord dump:\n\t\tservice_id..............0x0000000000000000\n\t\tdgid....................fe80::1\n"
      "\t\tdlid....................{}\n\t\tslid....................{}\n\t\tnum_path_revers.........0x80\n"
      "\t\tsl......................{}\n\t\tmtu.....................0x83\n",
      to, from, sl);
}

TEST(Sl2vlDump, says_the_lane_of_each_service_level_between_two_ports) {
  const Fabric fabric = test::two_level_tree();
  const Guid guid = fabric.at(SwitchId{0}).guid;
  const std::string text =
      fmt::format("Switch 0x{:016x}, base LID 1, \"leaf, 0\"\n{}", index(guid), kHead) +
      row(1, 2, "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 15 ") + row(0, 1, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1") +
      "Switch 0x0000000000000bad, base LID 9, \"gone\"\n" + row(200, 1, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0") +
      "Channel Adapter 0x1, base LID 3, \"h\"\n" + row(0, 1, "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3") + heads(fabric);
  const auto tables = read_sl2vl_dump(text, "dump", fabric);
  ASSERT_TRUE(tables) << tables.error().text();
  const LaneMaps maps = tables->maps();
  EXPECT_EQ(maps.vls(SwitchId{0}, PortNum{1}, PortNum{2})[3], 3);
  EXPECT_EQ(maps.vls(SwitchId{0}, PortNum{1}, PortNum{2})[15], kDiscardVl);
  EXPECT_EQ(maps.vls(SwitchId{0}, PortNum{0}, PortNum{1})[0], 1);
  EXPECT_EQ(maps.vls(SwitchId{0}, PortNum{2}, PortNum{1})[7], 0);
  EXPECT_EQ(maps.vls(SwitchId{1}, PortNum{1}, PortNum{2})[7], 0);
}

TEST(Sl2vlDump, is_refused_with_the_line_of_the_mistake) {
  const Fabric fabric = test::two_level_tree();
  const std::string head = fmt::format("Switch 0x{:016x}, base LID 1, \"leaf\"\n", index(fabric.at(SwitchId{0}).guid));
  const auto error = [&](const std::string& text) { return read_sl2vl_dump(text, "dump", fabric).error().text(); };
  EXPECT_THAT(error(row(1, 2, "0")), HasSubstr("dump:1: a table before its switch"));
  EXPECT_THAT(error(head + row(1, 2, "0 1 2")), HasSubstr("dump:2: 16 lanes"));
  EXPECT_THAT(error(head + row(1, 2, "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 16")), HasSubstr("dump:2: 16 lanes"));
  EXPECT_THAT(error(head + row(1, 2, "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 8")), HasSubstr("dump:2: more than 16"));
  EXPECT_THAT(error(head + row(99, 2, "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7")), HasSubstr("has no port 99"));
  EXPECT_THAT(error("hello\n"), HasSubstr("dump:1: "));
  EXPECT_THAT(error(""), HasSubstr("no table of a switch of this fabric"));
  EXPECT_THAT(error(head), HasSubstr("dump:1: no table of switch 0x"));
  EXPECT_TRUE(read_sl2vl_dump(heads(fabric), "dump", fabric));
}

TEST(PathRecords, of_saquery_and_of_triples_say_service_levels) {
  const Fabric fabric = test::two_level_tree();
  const auto lid = [&](std::uint32_t e) { return static_cast<unsigned>(index(fabric.at(EndportId{e}).lid)); };
  const std::string text = record(lid(0), lid(1), "0x2") + record(0, 0, "0x0") + record(lid(1), lid(0), "0x3") +
                           fmt::format("# more\n{} {} 4\n", lid(0), lid(2));
  auto levels = read_path_records(text, "records", fabric);
  ASSERT_TRUE(levels) << levels.error().text();
  EXPECT_GT(levels->num_unknown(), 0);
  const ServiceLevels sls = levels->take();
  const auto sl = [&](std::uint32_t from, std::uint32_t to) {
    return sls.at(fabric.at(EndportId{from}).lid, fabric.at(EndportId{to}).lid);
  };
  EXPECT_EQ(sl(0, 1), 2);
  EXPECT_EQ(sl(1, 0), 3);
  EXPECT_EQ(sl(0, 2), 4);
  EXPECT_EQ(sl(2, 0), 0);
}

TEST(PathRecords, count_what_they_do_not_say) {
  const Fabric fabric = test::two_level_tree();
  std::string text;
  std::vector<std::size_t> owned;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid)
    if (fabric.is_in_use(id_at<Lid>(lid))) owned.push_back(lid);
  for (const std::size_t from : owned)
    for (const std::size_t to : owned)
      if (from != to) text += fmt::format("{} {} 1\n", from, to);
  EXPECT_EQ(read_path_records(text, "records", fabric)->num_unknown(), 0);
  text.erase(0, text.find('\n') + 1);
  EXPECT_EQ(read_path_records(text, "records", fabric)->num_unknown(), 1);
}

TEST(PathRecords, are_refused_with_the_line_of_the_mistake) {
  const Fabric fabric = test::two_level_tree();
  const auto error = [&](const std::string& text) { return read_path_records(text, "records", fabric).error().text(); };
  EXPECT_THAT(error("PathRecord dump:\n\tdlid....1\n\tslid....2\n"), HasSubstr("records:1: a path record without"));
  EXPECT_THAT(error("PathRecord dump:\n\tdlid....x\n"), HasSubstr("records:2: a number is expected"));
  EXPECT_THAT(error("1 2 16\n"), HasSubstr("records:1: service level 16"));
  EXPECT_THAT(error("\n1 2\n"), HasSubstr("records:2: a line is SLID DLID SL"));
  EXPECT_THAT(error("sl......1\n"), HasSubstr("records:1: neither"));
  EXPECT_THAT(error(""), HasSubstr("no path record"));
}

}  // namespace
}  // namespace espalier
