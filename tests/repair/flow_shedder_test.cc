// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/flow_shedder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/fabric/faults.h"
#include "tests/repair/begun_repair.h"
#include "tests/repair/placed_flows.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// Open entries get the first port that leads closer, so that flows herd onto few channels. Returns these flows.
BrokenFlows herd(test::BegunRepair& repair) {
  test::fill_open_entries(repair, [](const std::vector<ChannelId>& closer, std::size_t) { return closer.front(); });
  return {repair.state, repair.open};
}

// Flows of all hosts by channel and shift by whole leaves, counted from the tables.
class SlowCounts {
 public:
  explicit SlowCounts(const test::BegunRepair& repair)
      : state_(repair.state),
        reference_(repair.state.prepared),
        counts_(reference_.fabric().num_channels(), std::vector<int>(reference_.leaves().size())) {
    std::vector<ChannelId> path;
    for (std::size_t lid = 1; lid < reference_.num_lids(); ++lid)
      for (std::uint32_t leaf = 0; reference_.is_host_lid(lid) && leaf < reference_.leaves().size(); ++leaf)
        if (state_.find_path(reference_.leaves()[leaf], lid, path)) add(path, shift(leaf, lid), 1);
  }

  void add(std::span<const ChannelId> path, std::size_t shift, int flows) {
    for (const ChannelId c : path) counts_[index(c)][shift] += flows;
  }
  [[nodiscard]] std::size_t shift(std::uint32_t leaf, std::size_t lid) const {
    const std::size_t num_leaves = reference_.leaves().size();
    return (reference_.leaf(reference_.destination(lid)) + num_leaves - leaf) % num_leaves;
  }
  [[nodiscard]] bool is_above(std::span<const ChannelId> path, std::size_t shift) const {
    return std::ranges::any_of(path, [&](ChannelId c) { return counts_[index(c)][shift] > state_.limit(c); });
  }
  // Whether one more stays within all limits, and no more are there under the shifts beside its own.
  [[nodiscard]] bool has_room(std::span<const ChannelId> path, std::size_t shift) const {
    return std::ranges::all_of(path, [&](ChannelId c) {
      const std::vector<int>& of = counts_[index(c)];
      const int limit = state_.limit(c);
      return of[shift] < limit && of[(shift + 1) % of.size()] <= limit &&
             of[(shift + of.size() - 1) % of.size()] <= limit;
    });
  }
  // What one more costs: with loads to the sixth power, its own shift four times those beside it.
  [[nodiscard]] double price(std::span<const ChannelId> path, std::size_t shift) const {
    double sum = 0;
    const auto marginal = [](int flows) { return std::pow(flows + 1, 6) - std::pow(flows, 6); };
    for (const ChannelId c : path) {
      const std::vector<int>& of = counts_[index(c)];
      sum += 4 * marginal(of[shift]) + marginal(of[(shift + 1) % of.size()]) +
             marginal(of[(shift + of.size() - 1) % of.size()]);
    }
    return sum;
  }

 private:
  const WorkingState& state_;
  const PreparedReference& reference_;
  std::vector<std::vector<int>> counts_;
};

bool differs_somewhere(const WorkingState& state, SwitchId s, std::size_t lid) {
  const std::size_t first = lid / kLidsPerBlock * kLidsPerBlock;
  for (std::size_t i = first; i < std::min(first + kLidsPerBlock, state.prepared.num_lids()); ++i)
    if (state.entry(s, i) != state.reference_entry(s, i)) return true;
  return false;
}

// Whether behind some other link upward there is room, all the way.
bool has_another_path(const WorkingState& state, const SlowCounts& counts, SwitchId x, std::size_t lid,
                      std::span<const ChannelId> now, std::size_t shift) {
  std::vector<ChannelId> path;
  for (const ChannelId c : state.prepared.channels(x)) {
    if (c == now.front() || !state.is_left(c)) continue;
    path.assign(1, c);
    if (state.append_path(state.far_left(c), lid, path) && path.size() == now.size() && counts.has_room(path, shift))
      return true;
  }
  return false;
}

// A repair that has herded its flows, and what one of these finds there.
struct HerdedRepair {
  HerdedRepair(const PreparedReference& reference, const Fabric& now)
      : repair(reference, now), flows(herd(repair)), loads(test::loads_of(repair, flows)), counts(repair) {}

  struct Place {
    std::vector<ChannelId> path;
    std::size_t shift = 0;
    bool is_written = false, is_crowded = false, is_strained = false, has_another = false;
  };
  // Where this flow is, and, once its counts have gone, whether it could be elsewhere.
  Place take_out(const StrainedFlow& flow) {
    const WorkingState& state = repair.state;
    const std::size_t lid = repair.open.columns[flow.column];
    const SwitchId x = state.prepared.leaves()[flow.leaf];
    const ClassLoads::Flow class_flow = state.prepared.flow(flow.leaf, lid);
    Place place;
    place.path = path(flow);
    place.shift = counts.shift(flow.leaf, lid);
    place.is_written = differs_somewhere(state, x, lid);
    place.is_crowded = counts.is_above(place.path, place.shift);
    place.is_strained =
        std::ranges::any_of(place.path, [&](ChannelId c) { return is_strained(state, loads, c, class_flow); });
    counts.add(place.path, place.shift, -1);
    place.has_another = has_another_path(state, counts, x, lid, place.path, place.shift);
    return place;
  }
  [[nodiscard]] std::vector<ChannelId> path(const StrainedFlow& flow) const {
    std::vector<ChannelId> found;
    repair.state.find_path(repair.state.prepared.leaves()[flow.leaf], repair.open.columns[flow.column], found);
    return found;
  }
  void expect_loads_of_tables() const {
    const ClassLoads recounted = test::loads_of(repair, flows);
    for (const ChannelId c : IdRange<ChannelId>(repair.state.prepared.fabric().num_channels()))
      if (repair.state.prepared.far(c) != kNoSwitch && repair.state.is_left(c)) {
        ASSERT_EQ(loads.most(c), recounted.most(c)) << "channel " << index(c);
      }
  }

  test::BegunRepair repair;
  BrokenFlows flows;
  ClassLoads loads;
  SlowCounts counts;
};

struct FlowShedderTest : testing::Test {
  Fabric whole = test::pgft("3;12,12,12;1,12,3;1,1,1");
  PreparedReference reference{test::reference_by(whole, "dmodc")};
  std::size_t moved = 0, left = 0, unwritten = 0;

  // visit(repair) after many links are lost, some draws.
  template <class Visit>
  void for_each_draw(Visit visit) const {
    for (const std::uint64_t seed : {7301, 7302, 7303}) {
      HerdedRepair herded(reference, degrade(whole, {.links = 40, .seed = seed}).value());
      visit(herded);
      herded.expect_loads_of_tables();
    }
  }
};

TEST_F(FlowShedderTest, CrowdedFlowsMoveWhereThereIsRoomAndTheBlockIsWrittenAnyway) {
  for_each_draw([&](HerdedRepair& herded) {
    WorkingState& state = herded.repair.state;
    FlowShedder shedder(state, herded.repair.open, herded.loads);
    const std::size_t moved_before = moved;
    std::set<std::pair<std::size_t, std::uint32_t>> shed;  // column, leaf
    const auto is_above = [&](ChannelId c, ClassLoads::Flow flow) {
      return herded.loads.is_above(c, flow, state.limit(c));
    };
    for (const StrainedFlow& flow : test::flows_over(herded.repair, herded.flows, is_above)) {
      const HerdedRepair::Place before = herded.take_out(flow);
      shedder.shed_crowded(std::span(&flow, 1));
      const std::vector<ChannelId> now = herded.path(flow);
      const bool has_moved = now != before.path;
      ASSERT_EQ(has_moved, before.is_written && before.is_crowded && before.has_another);
      EXPECT_TRUE(!has_moved || herded.counts.has_room(now, before.shift));
      herded.counts.add(now, before.shift, 1);
      moved += has_moved ? 1 : 0;
      left += before.is_crowded && !before.has_another ? 1 : 0;
      unwritten += before.is_crowded && before.has_another && !before.is_written ? 1 : 0;
      if (has_moved) shed.emplace(flow.column, flow.leaf);
    }
    const FlatLists<std::uint32_t> told = shedder.shed();
    EXPECT_EQ(told.num_items(), moved - moved_before);
    for (std::size_t column = 0; column < told.num_lists(); ++column)
      for (const std::uint32_t leaf : told.at(column)) EXPECT_TRUE(shed.contains({column, leaf}));
  });
  EXPECT_GT(moved, 100U);
  EXPECT_GT(left, 0U);
  EXPECT_GT(unwritten, 100U);
}

TEST_F(FlowShedderTest, StrainedFlowsMoveToWhereThereIsRoomOrElseToTheCheapest) {
  for_each_draw([&](HerdedRepair& herded) {
    FlowShedder shedder(herded.repair.state, herded.repair.open, herded.loads);
    const auto is_over = [&](ChannelId c, ClassLoads::Flow flow) {
      return is_strained(herded.repair.state, herded.loads, c, flow);
    };
    for (const StrainedFlow& flow : test::flows_over(herded.repair, herded.flows, is_over)) {
      const HerdedRepair::Place before = herded.take_out(flow);
      shedder.shed_strained(flow);
      const std::vector<ChannelId> now = herded.path(flow);
      const bool has_moved = now != before.path;
      EXPECT_TRUE(before.is_strained || !has_moved);
      EXPECT_TRUE(has_moved || !before.is_strained || !before.has_another);
      if (before.has_another && has_moved) {
        EXPECT_TRUE(herded.counts.has_room(now, before.shift));
      } else if (has_moved) {
        EXPECT_LT(herded.counts.price(now, before.shift), herded.counts.price(before.path, before.shift));
      }
      herded.counts.add(now, before.shift, 1);
      moved += has_moved ? 1 : 0;
      left += has_moved && !before.has_another ? 1 : 0;
      unwritten += has_moved && !before.is_written ? 1 : 0;
    }
  });
  EXPECT_GT(moved, 100U);
  EXPECT_GT(left, 0U);  // to the cheapest
  EXPECT_GT(unwritten, 0U);
}

}  // namespace
}  // namespace espalier
