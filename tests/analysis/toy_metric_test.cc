// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What "Add a metric" in core/analysis/README.md promises: a pure function over HostRoutes, checked by hand and by a
// law.
#include "tests/analysis/toy_metric.h"

#include <gtest/gtest.h>

#include "tests/analysis/fill_tables.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier::test {
namespace {

TEST(ToyMetric, OfTablesOverOneSpineIsAllThatLeadsToTheOther) {
  const Fabric fabric = draw("L0:4 L1:4 ; L0-S0 L1-S0 L0-S1 L1-S1");
  const HostRoutes over_one(fabric, route_tree(fabric), all_endports(fabric));
  EXPECT_EQ(idle_channels(fabric, over_one), 4U);
}

TEST(ToyMetric, OfDmodkOnAWholeTreeIsNone) {
  const Fabric fabric = pgft("2;4,4;1,4;1,1");
  const HostRoutes routes(fabric, route_dmodk(fabric, PgftSpec::parse("2;4,4;1,4;1,1").value()), all_endports(fabric));
  EXPECT_EQ(idle_channels(fabric, routes), 0U);
}

}  // namespace
}  // namespace espalier::test
