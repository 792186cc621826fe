// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/opensm_options.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/opensm/hand_built_subnet.h"

namespace espalier {
namespace {

TEST(OpensmOptions, AreACopyThatOutlivesThoseOfOpenSm) {
  test::HandBuiltSubnet subnet;
  osm_subn_opt_t& opt = subnet.osm().subn.opt;
  std::string roots = "/a/list/of/root/guids/in/a/file";
  opt.root_guid_file = roots.data();
  opt.cn_guid_file = nullptr;
  opt.qos = 1;
  opt.max_op_vls = 3;
  std::string low = "0:1,1:2";
  opt.qos_options.vlarb_low = low.data();
  const OpensmOptions before = opensm_options(subnet.osm());
  EXPECT_EQ(before, opensm_options(subnet.osm()));
  roots.assign(roots.size(), 'x');
  EXPECT_EQ(before.root_guid_file, "/a/list/of/root/guids/in/a/file");
  EXPECT_EQ(before.cn_guid_file, "");
  EXPECT_TRUE(before.qos);
  EXPECT_EQ(before.max_op_vls, 3);
  EXPECT_EQ(before.vlarb_low, "0:1,1:2");
  EXPECT_EQ(before.vlarb_high, OSM_DEFAULT_QOS_VLARB_HIGH);
  EXPECT_NE(before, opensm_options(subnet.osm()));
  roots = before.root_guid_file;
  EXPECT_EQ(before, opensm_options(subnet.osm()));
  std::string of_switches = "0:4,1:4";
  opt.qos_swe_options.vlarb_low = of_switches.data();
  EXPECT_NE(before, opensm_options(subnet.osm())) << "which links between switches have";
}

}  // namespace
}  // namespace espalier
