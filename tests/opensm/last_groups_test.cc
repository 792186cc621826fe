// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/last_groups.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "core/fabric/faults.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

std::shared_ptr<const Fabric> owned(Fabric fabric) { return std::make_shared<const Fabric>(std::move(fabric)); }

TEST(LastGroups, are_looked_for_in_each_dragonfly) {
  LastGroups last;
  const auto whole = owned(test::generated("dragonfly", "2,4,2,9"));
  const auto damaged = owned(degrade(*whole, {.links = 2, .seed = 1}).value());
  const auto found = last.find(whole);
  EXPECT_EQ(last.find(whole), found);
  EXPECT_EQ(last.find(damaged)->fabric, damaged.get());
  EXPECT_EQ(last.find(whole)->fabric, whole.get());
}

TEST(LastGroups, are_not_looked_for_in_what_is_left_of_a_fabric_without_any) {
  LastGroups last;
  const auto whole = owned(test::generated("jellyfish", "40,8,5", 0, 1001));
  const auto found = last.find(whole);
  EXPECT_EQ(last.find(owned(degrade(*whole, {.links = 3, .endports = 2, .seed = 1}).value())), found);
  EXPECT_EQ(last.find(whole), found);
}

TEST(LastGroups, are_looked_for_where_anything_is_new) {
  const auto whole = owned(test::generated("jellyfish", "40,8,5", 0, 1001));
  LastGroups last;
  const auto fewer_links = owned(degrade(*whole, {.links = 1, .seed = 1}).value());
  static_cast<void>(last.find(fewer_links));
  EXPECT_EQ(last.find(whole)->fabric, whole.get());
  LastGroups other;
  const auto fewer_hosts = owned(degrade(*whole, {.endports = 1, .seed = 1}).value());
  static_cast<void>(other.find(fewer_hosts));
  EXPECT_EQ(other.find(whole)->fabric, whole.get());
}

}  // namespace
}  // namespace espalier
