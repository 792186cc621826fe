// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_paths/closed_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/site_changes.h"
#include "core/repair/new_paths/path_chooser.h"
#include "core/repair/repair.h"
#include "core/tree/order/host_order.h"
#include "core/tree/rank.h"
#include "tests/repair/begun_repair.h"
#include "tests/repair/placed_flows.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

LargeVector<StrainedFlow> strained_flows(const test::BegunRepair& repair, const BrokenFlows& flows,
                                         const ClassLoads& loads) {
  return test::flows_over(
      repair, flows, [&](ChannelId c, ClassLoads::Flow flow) { return is_strained(repair.state, loads, c, flow); });
}

std::vector<PortNum> ports_of_open_entries(const test::BegunRepair& repair) {
  std::vector<PortNum> ports;
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const SwitchId s : repair.open.at(i)) ports.push_back(repair.state.entry(s, repair.open.columns[i]));
  return ports;
}

// The same if all of them had those of the closed form.
std::vector<PortNum> ports_in_rotation(const test::BegunRepair& repair) {
  const PreparedReference& reference = repair.state.prepared;
  std::vector<PortNum> ports;
  std::vector<std::uint8_t> places;
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const SwitchId s : repair.open.at(i)) {
      const std::size_t lid = repair.open.columns[i];
      find_closer(repair.state, s, reference.destination(lid), places);
      const CloserChannels closer(reference, s, places);
      ports.push_back(reference.fabric().port(closer[closer.first_in_rotation(repair.state.old_channel(s, lid), lid)]));
    }
  return ports;
}

std::uint64_t changed_entries(const test::BegunRepair& repair) {
  std::uint64_t count = 0;
  for (const SwitchId s : repair.state.prepared.fabric().switches())
    for (std::size_t lid = 1; repair.state.is_alive(s) && lid < repair.state.prepared.num_lids(); ++lid)
      count += repair.state.entry(s, lid) != repair.state.reference_entry(s, lid) ? 1 : 0;
  return count;
}

// What all broken flows cost where they are.
double price(const test::BegunRepair& repair, const BrokenFlows& flows, const ClassLoads& loads) {
  const PreparedReference& reference = repair.state.prepared;
  double sum = 0;
  std::vector<ChannelId> path;
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const std::uint32_t leaf : flows.to(i)) {
      const std::size_t lid = repair.open.columns[i];
      repair.state.find_path(reference.leaves()[leaf], lid, path);
      for (const ChannelId c : path) sum += static_cast<double>(loads.price(c, reference.flow(leaf, lid)));
    }
  return sum;
}

struct Sums {
  double price_before = 0, price_after = 0;
};

// Open entries get any of the ports that lead closer, whatever these carry.
void deal_anew(const PreparedReference& reference, const Fabric& now, Sums& sums) {
  test::BegunRepair repair(reference, now);
  test::fill_open_entries(repair, [](const std::vector<ChannelId>& closer, std::size_t lid) {
    return closer[lid * lid / 7 % closer.size()];
  });
  const BrokenFlows flows(repair.state, repair.open);
  ClassLoads loads = test::loads_of(repair, flows);
  LargeVector<StrainedFlow> strained = strained_flows(repair, flows, loads);
  sums.price_before += price(repair, flows, loads);
  const std::vector<PortNum> ports_before = ports_of_open_entries(repair);
  const std::uint64_t changed_before = changed_entries(repair);

  ClosedForm(repair.state, repair.open, flows, loads).run(strained);

  // Open entries have the ports of before or those of the closed form; no other entry changes.
  const std::vector<PortNum> ports_after = ports_of_open_entries(repair);
  const std::vector<PortNum> in_rotation = ports_in_rotation(repair);
  for (std::size_t i = 0; i < ports_after.size(); ++i)
    EXPECT_TRUE(ports_after[i] == ports_before[i] || ports_after[i] == in_rotation[i]);
  EXPECT_EQ(changed_entries(repair), changed_before);
  for (std::size_t i = 0; i < repair.open.columns.size(); ++i)
    for (const SwitchId s : repair.open.at(i)) {
      const std::size_t lid = repair.open.columns[i];
      bool leads_closer = false;
      for_each_closer_channel(repair.state, s, reference.destination(lid), [&](ChannelId c) {
        leads_closer = leads_closer || reference.fabric().port(c) == repair.state.entry(s, lid);
      });
      EXPECT_TRUE(leads_closer) << reference.fabric().label(s) << " to LID " << lid;
    }
  // The loads are those of the tables, and all that are strained still are told of.
  const ClassLoads recounted = test::loads_of(repair, flows);
  for (std::size_t i = 0; i < reference.fabric().num_channels(); ++i) {
    const ChannelId c = id_at<ChannelId>(i);
    if (reference.far(c) != kNoSwitch && repair.state.is_left(c)) {
      EXPECT_EQ(loads.most(c), recounted.most(c));
    }
  }
  for (const StrainedFlow& still : strained_flows(repair, flows, recounted))
    EXPECT_TRUE(std::ranges::any_of(
        strained, [&](const StrainedFlow& told) { return told.column == still.column && told.leaf == still.leaf; }));
  sums.price_after += price(repair, flows, recounted);
}

TEST(ClosedForm, makes_flows_cheaper_and_changes_nothing_else) {
  // Loads by hosts, and by whole leaves.
  for (const char* spec : {"3;6,8,8;1,6,3;1,1,1", "3;12,12,12;1,12,3;1,1,1"}) {
    const Fabric whole = test::pgft(spec);
    const PreparedReference reference(test::reference_by(whole, "dmodc"));
    Sums sums;
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      deal_anew(reference, degrade(whole, {.links = 1, .seed = seed}).value(), sums);
    EXPECT_LT(sums.price_after, 0.99 * sums.price_before) << spec;
  }
}

// Without one of three tops each pod has to send six of twelve flows over either of the others, under every shift. Leaves
// are in the order of host names, whatever the GUIDs of switches are.
TEST(ClosedForm, no_leaf_sheds_a_flow_where_GUIDs_are_shuffled) {
  const Fabric regular = test::pgft("3;24,12,12;1,24,3;1,1,1");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Fabric whole = change(regular, {.guids = SiteChanges::Guids::kShuffled, .seed = seed}).value();
    const FatTree tree = rank(whole).value();
    EngineOptions options;
    options.host_order = order_by_names(tree, descriptions(whole));
    const PreparedReference reference(
        make_reference("dmodc", tree, make_engine("dmodc", options)->route(tree).value().tables));
    const Fabric now = degrade(whole, {.spines = 1, .seed = seed}).value();
    const ForwardingTables tables = patch(reference, now).value().tables.whole();
    std::size_t changed = 0;
    for (const SwitchId s : now.switches()) {
      const SwitchId before = whole.find_switch(now.at(s).guid);
      if (tree.hosts(before).empty()) continue;
      for (std::size_t lid = 1; lid < tables.width(); ++lid) {
        const bool is_host = now.owner(id_at<Lid>(lid)).kind == LidOwner::Kind::kEndport;
        const PortNum port = reference.reference().tables.at(before, id_at<Lid>(lid));
        changed += is_host && tables.at(s, id_at<Lid>(lid)) != port ? 1 : 0;
      }
    }
    EXPECT_EQ(changed, 0U) << "seed " << seed;
  }
}

// Also of flows that no chosen port led to their destination when theirs was chosen. Nobody asks for loads of lost links.
void expect_loads_of_tables(const PreparedReference& reference, const Fabric& now) {
  test::BegunRepair repair(reference, now);
  PathChooser chooser(repair.state, repair.open);
  chooser.run();
  ClassLoads recounted = reference.living_loads(repair.alive);
  std::vector<ChannelId> path;
  for (std::size_t lid = 1; lid < reference.num_lids(); ++lid) {
    if (!reference.is_host_lid(lid) || repair.alive.lid_now[lid] == kNoLid) continue;
    for (std::uint32_t leaf = 0; leaf < reference.leaves().size(); ++leaf) {
      const SwitchId from = reference.leaves()[leaf];
      if (from == reference.destination(lid) || !repair.state.is_alive(from)) continue;
      const ClassLoads::Flow flow = reference.flow(leaf, lid);
      if (reference.path(from, lid, path))
        for (const ChannelId c : path) recounted.remove(c, flow);
      if (repair.state.find_path(from, lid, path))
        for (const ChannelId c : path) recounted.add(c, flow);
    }
  }
  for (const ChannelId c : IdRange<ChannelId>(reference.fabric().num_channels()))
    if (repair.state.is_left(c) && reference.far(c) != kNoSwitch) {
      ASSERT_EQ(chooser.loads().most(c), recounted.most(c)) << "channel " << index(c);
    }
}

TEST(PathChooser, HasTheLoadsOfItsTablesWhateverWasChosenFirst) {
  for (const char* spec : {"3;2,3,4;1,2,2;1,2,2", "3;3,2,6;1,2,2;1,2,2"}) {
    const Fabric whole = test::pgft(spec);
    const PreparedReference reference(test::reference_by(whole, "dmodc"));
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
      expect_loads_of_tables(reference, degrade(whole, {.links = 1 + seed % 8, .seed = seed}).value());
  }
}

}  // namespace
}  // namespace espalier
