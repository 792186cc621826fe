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
  const OpensmOptions before = opensm_options(subnet.osm());
  EXPECT_EQ(before, opensm_options(subnet.osm()));
  roots.assign(roots.size(), 'x');
  EXPECT_EQ(before.root_guid_file, "/a/list/of/root/guids/in/a/file");
  EXPECT_EQ(before.cn_guid_file, "");
  EXPECT_TRUE(before.qos);
  EXPECT_NE(before, opensm_options(subnet.osm()));
}

}  // namespace
}  // namespace espalier
