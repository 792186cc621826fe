// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/host_parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/fabric/fabric_builder.h"
#include "tests/support/drawing.h"

namespace espalier {
namespace {

using testing::HasSubstr;

const Fabric& fabric() {
  static const Fabric drawn = test::draw("L0:2 L1:2 S; L0-S L1-S");
  return drawn;
}

std::vector<HostPart> parts(const char* text, UnknownHosts unknown = UnknownHosts::kRefuse) {
  return read_host_parts(text, "jobs", fabric(), unknown).value();
}

std::string hosts(const HostPart& part) {
  std::string text = part.name + ":";
  for (const EndportId e : part.hosts) text += " " + fabric().at(e).description;
  return text;
}

TEST(HostOrderOption, IsAWordOrFilesWithWeights) {
  EXPECT_EQ(parse_host_order("names")->by, HostOrderWish::By::kNames);
  EXPECT_EQ(parse_host_order("topology")->by, HostOrderWish::By::kTopology);
  const HostOrderWish files = parse_host_order("/etc/jobs:2.5,./names").value();
  EXPECT_EQ(files.by, HostOrderWish::By::kFiles);
  EXPECT_EQ(files.files, (std::vector<HostOrderWish::File>{{"/etc/jobs", 2.5}, {"./names", 1}}));
  EXPECT_THAT(parse_host_order("jobs:much").error().text(), HasSubstr("\"much\" is not a valid weight"));
  EXPECT_FALSE(parse_host_order("jobs:0"));
  EXPECT_FALSE(parse_host_order("jobs:-1"));
  EXPECT_FALSE(parse_host_order("jobs:nan"));
  EXPECT_FALSE(parse_host_order("a,,b"));
  EXPECT_FALSE(parse_host_order(":3"));
}

TEST(HostParts, AreTheHostsOfAFile) {
  ASSERT_EQ(parts("h3\nh0\n").size(), 1U);
  EXPECT_EQ(hosts(parts("h3\nh0\n")[0]), "jobs: h3 h0");
  EXPECT_EQ(hosts(parts("h[0-1],h3\n")[0]), "jobs: h0 h1 h3");
}

TEST(HostParts, AreThePartitionsOfSinfo) {
  const auto read = parts(
      "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nlong*        up   infinite      2   idle h[2-3]\n"
      "long*        up   infinite      1  alloc h0\nshort        up    1:00:00      1   idle h1\n");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(hosts(read[0]), "long: h0 h2 h3");
  EXPECT_EQ(hosts(read[1]), "short: h1");
}

// As in a guid_routing_order_file: a GUID and, if one likes, what it is.
TEST(HostParts, AreThePortGuidsOfAFile) {
  std::string text = "\n  ";
  for (const char* name : {"h2", "h0", "h3"})
    text += fmt::format("0x{:016x} {}\n", index(fabric().at(test::endport_named(fabric(), name)).port_guid), name);
  ASSERT_EQ(parts(text.c_str()).size(), 1U);
  EXPECT_EQ(hosts(parts(text.c_str())[0]), "jobs: h2 h0 h3");
}

TEST(HostParts, OfAFileWithoutWordsAreNone) {
  for (const char* text : {"", "\n", " \t\n"})
    EXPECT_FALSE(read_host_parts(text, "jobs", fabric(), UnknownHosts::kSkip)) << '"' << text << '"';
}

TEST(HostParts, SkipOrRefuseWhoIsNotThere) {
  EXPECT_EQ(hosts(parts("h3\nh9\nh0\n", UnknownHosts::kSkip)[0]), "jobs: h3 h0");
  const auto refusal = [](const char* text, UnknownHosts unknown) {
    return read_host_parts(text, "jobs", fabric(), unknown).error().text();
  };
  EXPECT_THAT(refusal("h3\nh9\n", UnknownHosts::kRefuse), HasSubstr("jobs:2: \"h9\" is not an end port of the fabric"));
  EXPECT_THAT(refusal("h8\nh9\n", UnknownHosts::kSkip), HasSubstr("it names no host of this fabric"));
  EXPECT_THAT(refusal("PARTITION NODELIST\nlong\n", UnknownHosts::kSkip), HasSubstr("jobs:2: "));
  EXPECT_THAT(refusal("PARTITION NODELIST\nlong h[1-\n", UnknownHosts::kSkip), HasSubstr("jobs:2: "));
}

Fabric one_switch(const std::vector<std::string>& descriptions) {
  FabricBuilder builder;
  const auto middle = builder.add_switch({.guid = Guid{1}, .description = "S", .num_ports = 8});
  for (std::size_t i = 0; i < descriptions.size(); ++i)
    builder.connect(middle, id_at<PortNum>(i + 1),
                    builder.add_endport({.node_guid = Guid{0x10 * (i + 1)},
                                         .port_guid = Guid{0x10 * (i + 1) + 1},
                                         .description = descriptions[i]}));
  EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return *std::move(builder).build();
}

// As those of adapters, whose first word says nothing.
TEST(HostParts, AreNamedByWholeDescriptionsInQuotes) {
  const Fabric named = one_switch({"node 01 HCA-1", "node 02 HCA-1", "solo mlx5_0", "node 02 HCA-2"});
  const auto read = [&](const char* text, UnknownHosts unknown) {
    return read_host_parts(text, "jobs", named, unknown);
  };
  const auto in_order = [&](const char* text) {
    const std::vector<HostPart> all_parts = read(text, UnknownHosts::kSkip).value();
    std::string all;
    for (const EndportId e : all_parts.front().hosts) all += named.at(e).description + ";";
    return all;
  };
  EXPECT_EQ(in_order("\"node 02 HCA-1\"\nsolo\n\"node 01 HCA-1\""), "node 02 HCA-1;solo mlx5_0;node 01 HCA-1;");
  EXPECT_EQ(in_order("node02HCA-2 \"solo HCA-1\""), "node 02 HCA-2;solo mlx5_0;");  // only one begins with solo
  EXPECT_EQ(in_order("\"node 03 HCA-1\" \"node 01 HCA-1\""), "node 01 HCA-1;");     // it is down
  EXPECT_THAT(read("\"node 03 HCA-1\"", UnknownHosts::kRefuse).error().text(),
              HasSubstr("jobs:1: there is no host named \"node 03 HCA-1\", only 3 ports with the same first word"));
  EXPECT_THAT(read("node 01 HCA-1", UnknownHosts::kRefuse).error().text(), HasSubstr("in double quotes"));
  EXPECT_THAT(read("\"node 01", UnknownHosts::kSkip).error().text(), HasSubstr("jobs:1: a closing quote is missing"));
}

}  // namespace
}  // namespace espalier
