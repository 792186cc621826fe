// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/flow_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

TEST(FlowFile, takes_guids_lids_and_descriptions) {
  const Fabric fabric = test::two_level_tree();
  const Endport& a = fabric.at(EndportId{0});
  const Endport& b = fabric.at(EndportId{3});
  const std::string text = fmt::format("# known\n{} 0x{:016x} 2.5\n\"{}\" {}\n", index(a.lid), index(b.port_guid),
                                       b.description, index(a.lid));
  const FlowFile file = read_flow_file(text, "flows", fabric);
  ASSERT_TRUE(file.ok()) << file.complaints.front().text();
  EXPECT_EQ(file.flows, (std::vector<KnownFlow>{{EndportId{0}, EndportId{3}, 2.5}, {EndportId{3}, EndportId{0}, 1}}));
}

TEST(FlowFile, complains_about_each_bad_line_and_keeps_the_good_ones) {
  const Fabric fabric = test::two_level_tree();
  const auto lid = [&](std::uint32_t i) { return index(fabric.at(EndportId{i}).lid); };
  const std::string text = fmt::format(
      "{0} {1}\nnobody {1}\n{0} {1} -3\n{0} {0}\n{0} {1} 7\n{0}\n{0} {1} 1 2\n{1} {0} 0\n"
      "{1} {0} nan\n{1} {0} 4\n\"unended {0}\n",
      lid(0), lid(3));
  const FlowFile file = read_flow_file(text, "flows", fabric);
  EXPECT_EQ(file.flows, (std::vector<KnownFlow>{{EndportId{0}, EndportId{3}, 1}, {EndportId{3}, EndportId{0}, 4}}));
  std::vector<int> lines;
  for (const Error& error : file.complaints) {
    EXPECT_EQ(error.file, "flows");
    lines.push_back(error.line);
  }
  EXPECT_EQ(lines, (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9, 11}));
  EXPECT_EQ(file.num_complaints, lines.size());
  EXPECT_THAT(file.complaints[0].text(), HasSubstr("flows:2: there is no host named \"nobody\""));
  EXPECT_THAT(file.complaints[3].text(), HasSubstr("already in line 1"));
}

TEST(FlowFile, of_many_bad_lines_names_the_first_and_counts_all) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "x y\n";
  const FlowFile file = read_flow_file(text, "flows", test::two_level_tree());
  EXPECT_EQ(file.complaints.size(), FlowFile::kMostComplaints);
  EXPECT_EQ(file.num_complaints, 100'000);
  EXPECT_THAT(file.complaints[0].text(), HasSubstr("no host named \"x\", and there is no host named \"y\""));
}

TEST(FlowFile, says_of_every_complaint_what_to_do_and_repeats_no_endless_line) {
  const Fabric fabric = test::two_level_tree();
  const auto lid = [&](std::uint32_t i) { return index(fabric.at(EndportId{i}).lid); };
  const std::string pair = fmt::format("{} {}", lid(0), lid(3));
  std::vector<std::string> all = {pair + "\n" + pair, "\"a b", "a \"b", "\"\" b", "\"a\"b c", "a", "a b"};
  for (const char* weight : {"-1", "nan", "inf", "1e400", "1e31", "1e-31", "0x10", "1,5", "1 2", "0"})
    all.push_back(pair + ' ' + weight);
  all.push_back(fmt::format("{0} {0}", lid(0)));
  all.emplace_back("\0\x01\xff \x1b[31m", 9);
  all.emplace_back(std::size_t{1} << 20, 'x').append(" y");
  for (const std::string& bad : all) {
    const FlowFile file = read_flow_file(bad, "flows", fabric);
    ASSERT_EQ(file.num_complaints, 1) << bad.substr(0, 80);
    EXPECT_FALSE(file.complaints[0].advice.empty()) << file.complaints[0].text();
    EXPECT_LT(file.complaints[0].text().size(), 300) << file.complaints[0].text();
    EXPECT_EQ(file.complaints[0].line, bad.find('\n') == std::string::npos ? 1 : 2);
  }
}

TEST(FlowFile, says_what_no_host_has_and_repeats_no_endless_name) {
  const Fabric fabric = test::two_level_tree();
  const std::string host = fmt::format("{}", index(fabric.at(EndportId{0}).lid));
  const auto complaint = [&](const std::string& name) {
    const FlowFile file = read_flow_file(host + " \"" + name + "\"", "flows", fabric);
    return file.ok() ? std::string("none") : file.complaints.front().text();
  };
  EXPECT_THAT(complaint("0x123456"), HasSubstr("no host has GUID 0x123456;"));
  EXPECT_THAT(complaint(fmt::format("{}", index(fabric.at(SwitchId{0}).lid))), HasSubstr("no host has LID"));
  EXPECT_THAT(complaint("999999"), HasSubstr("no host has LID 999999"));
  EXPECT_THAT(complaint(std::string(65, 'x')), HasSubstr("named \"" + std::string(64, 'x') + "...\""));
}

TEST(FlowFile, of_a_matrix_has_a_diagonal_zeros_and_flows_in_several_lines) {
  const Fabric fabric = test::two_level_tree();
  const auto lid = [&](std::uint32_t i) { return index(fabric.at(EndportId{i}).lid); };
  const std::string text = fmt::format("\xEF\xBB\xBF{0} {0}\r\n\r\n{0} {1} 0 # none\r\n{0} {1} 3", lid(0), lid(3));
  const FlowFile matrix = read_flow_file(text, "flows", fabric, FlowRules::kMatrix);
  EXPECT_TRUE(matrix.ok());
  EXPECT_EQ(matrix.flows.back(), (KnownFlow{EndportId{0}, EndportId{3}, 3}));
  EXPECT_EQ(matrix.lines, (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(read_flow_file(text, "flows", fabric).num_complaints, 2);
}

}  // namespace
}  // namespace espalier
