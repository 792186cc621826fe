// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/rules/host_name.h"

#include <gtest/gtest.h>

#include <random>

namespace espalier {
namespace {

std::string natural_key(std::string_view name) {
  std::string key;
  append_natural_key(name, key);
  return key;
}

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

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(natural_less("node9", "node10"));
  EXPECT_TRUE(natural_less("node9 HCA-1", "node10 HCA-1"));
  EXPECT_FALSE(natural_less("node10", "node9"));
  EXPECT_TRUE(natural_less("node009", "node10"));
  EXPECT_TRUE(natural_less("a2b10", "a2b11"));
  EXPECT_TRUE(natural_less("node", "node1"));
  EXPECT_TRUE(natural_less("rack1-node20", "rack2-node3"));
  EXPECT_TRUE(natural_less("node01", "node1")) << "equal numbers: byte by byte";
  EXPECT_FALSE(natural_less("node1", "node01"));
  EXPECT_FALSE(natural_less("node1", "node1"));
  EXPECT_TRUE(natural_less("n99999999999999999999998", "n99999999999999999999999")) << "no overflow";
}

TEST(NaturalOrder, IsThatOfKeys) {
  std::mt19937 random(2026);
  const std::string_view letters = "01299aB-. ";
  const auto draw = [&] {
    std::string name(random() % 12, ' ');
    for (char& c : name) c = letters[random() % letters.size()];
    return name;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = draw();
    const std::string b = draw();
    const int order = natural_key(a).compare(natural_key(b));
    EXPECT_EQ(natural_less(a, b), order < 0 || (order == 0 && a < b)) << a << " against " << b;
  }
  EXPECT_EQ(natural_key("node01"), natural_key("node1"));
  EXPECT_LT(natural_key("n" + std::string(254, '9')), natural_key("n1" + std::string(254, '0')));
  EXPECT_LT(natural_key("n" + std::string(300, '8')), natural_key("n" + std::string(300, '9')));
}

}  // namespace
}  // namespace espalier
