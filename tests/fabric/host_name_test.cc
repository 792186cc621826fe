// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/rules/host_name.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(HostName, IsTheFirstWordWithoutItsDomain) {
  EXPECT_EQ(host_in_description("node01 HCA-1"), "node01");
  EXPECT_EQ(host_in_description("  node01.site.org\tmlx5_0"), "node01");
  for (const char* const name : {"a", "z", "A", "Z", "0", "9", "a-b", "z_9"})
    EXPECT_EQ(host_in_description(name), name);
}

TEST(HostName, IsNothingThatNoHostIsCalledBy) {
  for (const char* const description :
       {"", " ", "-node", "_node", ".site.org", "no:de", "@", "[", "`", "{", "/", "Mellanox Technologies", "HCA",
        "Voltaire HCA410", "MT25408 ConnectX Mellanox Technologies", "MT4123 ConnectX6", "localhost mlx5_0"})
    EXPECT_FALSE(host_in_description(description)) << description;
  EXPECT_EQ(host_in_description("MT123 hca"), "MT123") << "too short for a chip";
  EXPECT_EQ(host_in_description("MT4123a hca"), "MT4123a");
}

TEST(AdapterName, IsTheSecondWordOfAHost) {
  EXPECT_EQ(adapter_in_description("node01.site.org mlx5_0 port 1"), "mlx5_0");
  EXPECT_EQ(adapter_in_description("node01"), "");
  EXPECT_EQ(adapter_in_description("MT4123 ConnectX6"), "");
}

TEST(NaturalKey, SortsAsNaturalOrderDoes) {
  const char* const ascending[] = {"", "a", "a1", "a2", "a9b", "a10", "a10b2", "a10b10", "a200", "b", "b:1"};
  for (const char* const a : ascending)
    for (const char* const b : ascending)
      EXPECT_EQ(natural_key(a) < natural_key(b), natural_less(a, b)) << a << " " << b;
  EXPECT_EQ(natural_key("node01"), natural_key("node1"));
  EXPECT_TRUE(natural_less("a9999999999999999999999", "a10000000000000000000000"));
}

}  // namespace
}  // namespace espalier
