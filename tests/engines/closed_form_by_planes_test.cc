// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form_by_planes.h"

#include <gtest/gtest.h>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/modulo/closed_form.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "tests/engines/steps.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::Steps;

Fabric shuffled(std::string_view spec, std::uint64_t seed, std::size_t lost_links = 0) {
  return *degrade(*change(test::pgft(spec, 1), {.guids = SiteChanges::Guids::kShuffled, .seed = seed}),
                  {.links = lost_links, .seed = seed});
}

double worst_shift(const Steps& steps, const ForwardingTables& tables) {
  return shift_risk(HostRoutes(steps.fabric, tables, steps.order.hosts)).max();
}

TEST(ClosedFormByPlanes, IsPerfectOnNonBlockingTreesWhateverTheGuids) {
  std::size_t imperfect = 0;  // of the closed form by GUIDs; with few switches chance may line them up
  for (const char* const spec : {"3;4,4,5;1,4,4;1,1,1", "3;2,3,4;1,2,3;1,1,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"})
    for (std::uint64_t seed = 1001; seed < 1005; ++seed) {
      const Steps steps(shuffled(spec, seed));
      EXPECT_EQ(worst_shift(steps, closed_form_by_planes(steps.problem, closed_form(steps.problem))), 1)
          << spec << " " << seed;
      imperfect += worst_shift(steps, steps.tables) > 1 ? 1 : 0;
    }
  EXPECT_GE(imperfect, 10U);
}

TEST(ClosedFormByPlanes, IsTheClosedFormWhereGuidsFollowPlanes) {
  for (const char* const spec : {"2;4,6;1,4;1,2", "3;4,3,5;1,4,2;1,1,1", "4;2,2,2,3;1,2,2,2;1,1,1,1"}) {
    const Steps steps(test::pgft(spec));
    EXPECT_EQ(closed_form_by_planes(steps.problem, closed_form(steps.problem)), steps.tables) << spec;
  }
}

// A slow look at every entry: it is one of those that lead closer, and there is one wherever there was one.
TEST(ClosedFormByPlanes, OnlyChoosesAmongPortsThatLeadCloser) {
  for (const char* const spec : {"3;3,3,4;1,3,2;1,1,2", "3;4,3,5;1,4,2;1,1,1"})
    for (std::uint64_t seed = 1001; seed < 1011; ++seed) {
      const Steps steps(shuffled(spec, seed, 1 + seed % 9));
      const ForwardingTables tables = closed_form_by_planes(steps.problem, closed_form(steps.problem));
      EXPECT_EQ(verify(steps.fabric, tables).ok(), verify(steps.fabric, steps.tables).ok());
      for (const SwitchId s : steps.fabric.switches())
        for (std::size_t lid = 0; lid <= index(steps.fabric.top_lid()); ++lid) {
          const PortNum port = tables.row(s)[lid];
          const PortNum before = steps.tables.row(s)[lid];
          ASSERT_EQ(port == kNoPort, before == kNoPort);
          if (port == before) continue;
          const SwitchId now = steps.fabric.peer(s, port).as_switch();
          const SwitchId then = steps.fabric.peer(s, before).as_switch();
          const SwitchId t = steps.fabric.destination_switch(id_at<Lid>(lid));
          EXPECT_EQ(steps.costs.cost(now, t), steps.costs.cost(then, t));
          EXPECT_EQ(steps.costs.down_cost(s, t), kUnreachable) << "paths down stay";
        }
    }
}

}  // namespace
}  // namespace espalier
