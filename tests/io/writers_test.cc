// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What other tools read: dot, GraphML, JSON, CSV, Slurm's topology.conf, the order of the CAs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/fabric/fabric_builder.h"
#include "core/fabric/rules/host_name.h"
#include "core/io/export/csv_writer.h"
#include "core/io/export/dot_writer.h"
#include "core/io/export/graphml_writer.h"
#include "core/io/export/json_writer.h"
#include "core/io/export/slurm_writer.h"
#include "core/io/lists/ca_order.h"
#include "core/io/lists/host_list.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::Not;

// A leaf with a host and a router below a spine; LIDs 1 to 4 in this order: spine, leaf, host, router.
Fabric leaf_and_spine(const char* leaf_name = "leaf <1> & \"x\"") {
  FabricBuilder builder;
  Switch spine;
  spine.guid = Guid{0x10};
  spine.description = "spine";
  spine.num_ports = 4;
  Switch leaf = spine;
  leaf.guid = Guid{0x20};
  leaf.description = leaf_name;
  Endport host;
  host.node_guid = Guid{0x30};
  host.port_guid = Guid{0x31};
  host.description = "node1 HCA-1";
  Endport router = host;
  router.kind = EndportKind::kRouter;
  router.node_guid = Guid{0x40};
  router.port_guid = Guid{0x41};
  router.description = "router";
  const auto s = builder.add_switch(spine);
  const auto l = builder.add_switch(leaf);
  builder.connect(l, PortNum{4}, s, PortNum{1}, {4, LinkSpeed::kEdr});
  builder.connect(l, PortNum{1}, builder.add_endport(host), {4, LinkSpeed::kQdr});
  builder.connect(l, PortNum{2}, builder.add_endport(router));
  EXPECT_TRUE(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber));
  return std::move(builder).build().value();
}

ForwardingTables routed(const Fabric& fabric) {
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const auto set = [&](unsigned s, std::vector<unsigned> ports) {
    for (unsigned i = 0; i < ports.size(); ++i) tables.set(SwitchId{s}, id_at<Lid>(i + 1), id_at<PortNum>(ports[i]));
  };
  set(0, {0, 1, 1, 1});
  set(1, {4, 0, 1, 2});
  return tables;
}

const std::vector<std::uint8_t> kLevels{1, 0};

TEST(DotWriter, LinksGoUpFromTheLeaves) {
  const Fabric fabric = leaf_and_spine();
  const std::string dot = write_dot(fabric, {nullptr, kLevels});
  EXPECT_THAT(dot, HasSubstr("graph fabric {\n"));
  EXPECT_THAT(dot, HasSubstr("  \"S0000000000000020\" [label=\"leaf <1> & \\\"x\\\"\", lid=2];\n"));
  EXPECT_THAT(dot, HasSubstr("  { rank=same; \"S0000000000000020\"; }\n  { rank=same; \"S0000000000000010\"; }\n"));
  EXPECT_THAT(dot, HasSubstr("\"S0000000000000020\" -- \"S0000000000000010\" [taillabel=4, headlabel=1, "
                             "label=\"4xEDR\"];\n"));
  EXPECT_THAT(dot, HasSubstr("\"R0000000000000041\" -- \"S0000000000000020\" [headlabel=2, label=\"\"];\n"));
  EXPECT_THAT(dot, Not(HasSubstr("\"S0000000000000010\" --")));
}

TEST(DotWriter, WithTablesEachChannelNamesWhereItLeadsTo) {
  const Fabric fabric = leaf_and_spine();
  const ForwardingTables tables = routed(fabric);
  const std::string dot = write_dot(fabric, {&tables, {}});
  EXPECT_THAT(dot, HasSubstr("digraph fabric {\n"));
  EXPECT_THAT(dot, HasSubstr("\"S0000000000000010\" -> \"S0000000000000020\" [key=\"port 1\", "
                             "comment=\"H0000000000000031,R0000000000000041\"];\n"));
  EXPECT_THAT(dot, HasSubstr("\"S0000000000000020\" -> \"S0000000000000010\" [key=\"port 4\", comment=\"\"];\n"));
  EXPECT_THAT(dot, HasSubstr("\"H0000000000000031\" -> \"S0000000000000020\" [key=\"port 1\", comment=\"*\"];\n"));
}

TEST(GraphmlWriter, NodesAndLinksAreThereOnceAndEscaped) {
  const std::string xml = write_graphml(leaf_and_spine(), {nullptr, kLevels});
  EXPECT_THAT(xml, HasSubstr("<node id=\"S0000000000000020\"><data key=\"kind\">switch</data><data key=\"label\">leaf "
                             "&lt;1&gt; &amp; &quot;x&quot;</data><data key=\"guid\">0x0000000000000020</data><data "
                             "key=\"lid\">2</data><data key=\"level\">0</data></node>\n"));
  EXPECT_THAT(xml, HasSubstr("<edge source=\"S0000000000000010\" target=\"S0000000000000020\"><data "
                             "key=\"source_port\">1</data><data key=\"target_port\">4</data><data "
                             "key=\"rate\">4xEDR</data><data key=\"mbps\">103124</data></edge>\n"));
  EXPECT_THAT(xml, Not(HasSubstr("<edge source=\"S0000000000000020\" target=\"S0000000000000010\"")));
  EXPECT_THAT(xml, HasSubstr("<data key=\"kind\">router</data>"));
}

TEST(JsonWriter, FabricLevelsAndTablesParse) {
  const Fabric fabric = leaf_and_spine("caf\xC3\xA9 \xFF");
  const ForwardingTables tables = routed(fabric);
  const nlohmann::json json = nlohmann::json::parse(write_json(fabric, {&tables, kLevels}));
  EXPECT_EQ(json["switches"][1]["description"], "caf\xC3\xA9 \xEF\xBF\xBD");
  EXPECT_EQ(json["switches"][0]["level"], 1);
  EXPECT_EQ(json["end_ports"][0]["switch"], "0x0000000000000020");
  EXPECT_EQ(json["end_ports"][1]["kind"], "router");
  ASSERT_EQ(json["links"].size(), 1U);
  EXPECT_EQ(json["links"][0]["b_port"], 4);
  EXPECT_EQ(json["tables"][1]["ports"], nlohmann::json({nullptr, 4, 0, 1, 2}));
}

TEST(JsonWriter, WithoutTablesAndSwitchesTheListsAreEmpty) {
  const nlohmann::json json = nlohmann::json::parse(write_json(FabricBuilder().build().value()));
  EXPECT_TRUE(json["switches"].empty());
  EXPECT_FALSE(json.contains("tables"));
}

TEST(CsvWriter, EachTableHasItsTitles) {
  const Fabric fabric = leaf_and_spine();
  EXPECT_EQ(write_links_csv(fabric),
            "a_guid,a_port,a_description,b_kind,b_guid,b_port,b_description,rate,mbps\n"
            "0x0000000000000010,1,\"spine\",switch,0x0000000000000020,4,\"leaf <1> & \"\"x\"\"\",4xEDR,103124\n"
            "0x0000000000000020,1,\"leaf <1> & \"\"x\"\"\",ca,0x0000000000000031,1,\"node1 HCA-1\",4xQDR,40000\n"
            "0x0000000000000020,2,\"leaf <1> & \"\"x\"\"\",router,0x0000000000000041,1,\"router\",,0\n");
  EXPECT_EQ(write_switches_csv(fabric),
            "guid,description,lid,ports,cabled_to_switches,cabled_to_end_ports\n"
            "0x0000000000000010,\"spine\",1,4,1,0\n"
            "0x0000000000000020,\"leaf <1> & \"\"x\"\"\",2,4,1,2\n");
  EXPECT_THAT(write_endports_csv(fabric),
              HasSubstr("0x0000000000000031,0x0000000000000030,1,ca,\"node1 HCA-1\",3,0,0x0000000000000020,1,\"leaf "));
}

TEST(SlurmWriter, LeavesHaveNodesAndSpinesHaveSwitches) {
  const Fabric fabric = leaf_and_spine("MF0;leaf 1:X/U1");
  const SlurmTree tree = slurm_tree(fabric, kLevels, std::vector<SlurmHost>{{EndportId{0}, "node1"}}).value();
  EXPECT_EQ(write_slurm_conf(tree),
            "# Slurm topology/tree, levels from the leaves up.\n"
            "SwitchName=MF0_leaf_1_X_U1 Nodes=node1\n"
            "SwitchName=spine Switches=MF0_leaf_1_X_U1\n");
  EXPECT_THAT(write_slurm_yaml(tree), HasSubstr("      - switch: \"spine\"\n        children: \"MF0_leaf_1_X_U1\"\n"));
}

TEST(SlurmWriter, EqualNamesGetTheirGuids) {
  const Fabric fabric = leaf_and_spine("spine");  // two switches of one name
  const std::vector<SlurmHost> hosts{{EndportId{0}, "node1"}};
  EXPECT_EQ(write_slurm_conf(slurm_tree(fabric, std::vector<std::uint8_t>{0, 1}, hosts).value()),
            "# Slurm topology/tree, levels from the leaves up.\n"
            "SwitchName=spine_0000000000000020 Nodes=node1\n")
      << "a switch without a node below it is left out";
}

TEST(SlurmWriter, RefusesWhatSlurmWould) {
  const Fabric tree = test::two_level_tree();
  const std::vector<std::uint8_t> levels{0, 0, 0, 1, 1};
  EXPECT_THAT(slurm_tree(tree, levels, {}).error().text(),
              HasSubstr("no end port has a description that names a host"));
  const EndportId first = test::endport_named(tree, "h0"), last = test::endport_named(tree, "h5");
  EXPECT_THAT(slurm_tree(tree, levels, std::vector<SlurmHost>{{first, "n"}, {last, "n"}}).error().text(),
              HasSubstr("node n is on "));
}

TEST(SlurmWriter, OneSwitchIsAboveAllNodes) {
  const Fabric fabric = test::two_subnets();
  const std::vector<std::uint8_t> levels(fabric.num_switches(), 0);  // nobody above anybody
  std::vector<SlurmHost> hosts;
  for (const EndportId e : fabric.endports()) hosts.push_back({e, "n" + std::to_string(index(e))});
  EXPECT_THAT(write_slurm_conf(slurm_tree(fabric, levels, hosts).value()), HasSubstr("SwitchName=all_nodes Switches="));
}

TEST(HostList, NumbersAreJoinedWhenTheyHaveTheSameWidth) {
  EXPECT_EQ(io::host_list({"n3", "n1", "n2", "x", "n1", "n10"}), "n[1-3],n10,x");
  EXPECT_EQ(io::host_list({"r1-n01", "r1-n02", "r2-n02"}), "r1-n[01-02],r2-n02");
  EXPECT_EQ(io::host_list({"n0001", "n0003"}), "n[0001,0003]");
  EXPECT_EQ(io::host_list({"7"}), "7");
  EXPECT_EQ(io::host_list({}), "");
  EXPECT_EQ(io::host_list({"n12345678901234567890"}), "n12345678901234567890");
}

TEST(HostList, TheHostIsTheFirstWordOfADescription) {
  EXPECT_EQ(host_in_description("node1 HCA-1"), "node1");
  EXPECT_EQ(host_in_description("  node1.site.org mlx5_0"), "node1");
  for (const char* const text : {"", "MT4129 ConnectX7 Mellanox Technologies", "QLogic Infiniband HCA",
                                 "localhost mlx5_0", "(none) HCA-1", "a,b HCA-1", "n[1-2]"})
    EXPECT_EQ(host_in_description(text), std::nullopt) << text;
}

TEST(CaOrder, LeavesAreFilledUpWithDummies) {
  FabricBuilder builder(leaf_and_spine());
  Endport more;
  more.node_guid = Guid{0x50};
  more.port_guid = Guid{0x51};
  more.description = "node2";
  more.lid = Lid{9};
  builder.connect(FabricBuilder::SwitchHandle{0}, PortNum{3}, builder.add_endport(more));
  const Fabric fabric = std::move(builder).build().value();
  EXPECT_EQ(write_ca_order(fabric, std::vector{EndportId{0}, EndportId{1}, EndportId{2}}),
            "0x0003\tnode1 HCA-1\n0x0004\trouter\n0x0009\tnode2\n0xFFFF\tDUMMY\n");
  EXPECT_EQ(write_ca_order(fabric, std::vector{EndportId{0}, EndportId{2}, EndportId{1}}),
            "0x0003\tnode1 HCA-1\n0x0009\tnode2\n0x0004\trouter\n")
      << "in pieces there is no place for them";
}

}  // namespace
}  // namespace espalier
