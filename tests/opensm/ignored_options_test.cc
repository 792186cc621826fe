// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/ignored_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Options : test::HandBuiltSubnet {
  osm_subn_opt_t& opt = osm().subn.opt;
  std::vector<std::string> ignored(std::string_view engine = "dmodc") { return ignored_options(osm(), engine); }
};

// `char*` options of OpenSM.
char* text(const char* words) { return const_cast<char*>(words); }

TEST(IgnoredOptions, AreNoneByDefault) {
  Options options;
  EXPECT_THAT(options.ignored(), IsEmpty());
  options.opt.hop_weights_file = text("");
  options.opt.io_guid_file = text("");
  EXPECT_THAT(options.ignored(), IsEmpty());
}

TEST(IgnoredOptions, AreNamedEachInALine) {
  Options options;
  options.opt.max_reverse_hops = 1;
  options.opt.io_guid_file = text("/io");
  options.opt.ids_guid_file = text("/ids");
  options.opt.guid_routing_order_file = text("/order");
  options.opt.hop_weights_file = text("/weights");
  options.opt.avoid_throttled_links = TRUE;
  options.opt.port_search_ordering_file = text("/ports");
  options.opt.port_prof_ignore_file = text("/profiles");
  options.opt.scatter_ports = 8;
  EXPECT_THAT(
      options.ignored(),
      ElementsAre(StartsWith("max_reverse_hops has no effect here: "), StartsWith("io_guid_file "),
                  StartsWith("ids_guid_file "), StartsWith("guid_routing_order_file "), StartsWith("hop_weights_file "),
                  StartsWith("avoid_throttled_links "), StartsWith("port_search_ordering_file "),
                  StartsWith("port_prof_ignore_file "), StartsWith("scatter_ports ")));
}

TEST(IgnoredOptions, LeaveOutAListOfStorageHostsForEnginesThatUseIt) {
  Options options;
  options.opt.io_guid_file = text("/io");
  EXPECT_THAT(options.ignored("dmodc"), ElementsAre(StartsWith("io_guid_file ")));
  EXPECT_THAT(options.ignored("gxmodk"), IsEmpty());
  EXPECT_THAT(options.ignored("balanced"), IsEmpty());
}

TEST(IgnoredOptions, SayWhatBecomesOfSlowLinks) {
  Options options;
  options.opt.hop_weights_file = text("/weights");
  options.opt.avoid_throttled_links = TRUE;
  for (const std::string& line : options.ignored("dmodc")) EXPECT_THAT(line, HasSubstr("counts all links alike"));
  for (const std::string& line : options.ignored("balanced")) EXPECT_THAT(line, HasSubstr("by the rate"));
  EXPECT_EQ(options.ignored("balanced").size(), 2U);
}

TEST(IgnoredOptions, AreServiceLevelsOfOthersWhereTheEngineHasLanes) {
  Options options;
  options.opt.qos_options.sl2vl = text("0,1,2,3");
  options.opt.qos_ca_options.sl2vl = text("0,1,2,3");
  options.opt.qos_policy_file = text("/dev/null");
  osm_prtn_t partition{};
  partition.sl = 3;
  std::strcpy(partition.name, "storage");
  cl_qmap_insert(&options.osm().subn.prtn_pkey_tbl, 0x7001, &partition.map_item);
  EXPECT_THAT(options.ignored("dmodc"), IsEmpty()) << "which leaves them to OpenSM";
  EXPECT_THAT(options.ignored("layers"),
              ElementsAre(StartsWith("qos_sl2vl has no effect here: "), StartsWith("qos_ca_sl2vl has no effect here: "),
                          StartsWith("any service level in /dev/null has no effect here: "),
                          StartsWith("sl=3 of partition storage is for its multicast groups alone: ")));
  options.opt.qos_options.sl2vl = nullptr;
  options.opt.qos_ca_options.sl2vl = text("");
  options.opt.qos_policy_file = text("/nowhere");
  partition.sl = 0;
  EXPECT_THAT(options.ignored("layers"), IsEmpty());
}

}  // namespace
}  // namespace espalier
