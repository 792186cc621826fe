// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/repair.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/try.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/engines.h"
#include "core/fabric/table_delta.h"
#include "core/repair/arrivals.h"
#include "core/repair/extend_reference.h"
#include "core/repair/open_entries.h"
#include "core/repair/path_chooser.h"
#include "core/repair/rejoin.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

// Whether the present switches are those of the reference, with the same numbers.
bool has_same_rows(const Reference& reference, const Survivors& alive, std::size_t num_switches) {
  return num_switches == reference.tables.num_switches() && alive.new_switches.empty();
}

ForwardingTables restored(const ForwardingTables& reference, UsedTables used) {
  parallel_blocks(used.written.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::ranges::copy(reference.row(used.written[i]), used.tables.row(used.written[i]).begin());
  });
  return std::move(used.tables);
}

// The reference's rows of the switches that are left, in their present order.
ForwardingTables rows_left(const Reference& reference, const Survivors& alive, std::size_t num_switches,
                           std::optional<UsedTables> used) {
  if (has_same_rows(reference, alive, num_switches))
    return used ? restored(reference.tables, *std::move(used)) : reference.tables;
  ForwardingTables tables = ForwardingTables::unwritten(num_switches, reference.fabric.top_lid());
  parallel_blocks(num_switches, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SwitchId was = alive.before[id_at<SwitchId>(i)];
      if (was == kNoSwitch) {
        std::ranges::fill(tables.row(id_at<SwitchId>(i)), kNoPort);
        continue;
      }
      const auto row = reference.tables.row(was);
      std::memcpy(tables.row(id_at<SwitchId>(i)).data(), row.data(), row.size());
    }
  });
  return tables;
}

// LIDs whose end port has lost its own link: a packet may go as far as its switch, and ends there.
void unplug(WorkingState& state, const Fabric& now) {
  for (std::size_t lid = 1; lid < state.prepared.num_lids(); ++lid) {
    const Lid present = state.alive.lid_now[lid];
    if (present == kNoLid || now.destination_switch(present) != kNoSwitch) continue;
    const SwitchId t = state.prepared.destination(lid);
    for (const SwitchId s : state.prepared.fabric().switches())
      if (state.is_alive(s) && (s == t || state.channel(s, state.entry(s, lid)) == WorkingState::kNoChannelLeft))
        state.set(s, lid, kNoPort);
  }
}

// From the reference's LIDs to the present ones.
ForwardingTables renumbered(const ForwardingTables& tables, const Survivors& alive, const Fabric& now) {
  if (alive.lids_are_the_same && tables.width() == index(now.top_lid()) + 1) return tables;
  ForwardingTables result(tables.num_switches(), now.top_lid());
  for (const SwitchId s : now.switches()) {
    if (alive.lids_are_the_same) {
      std::copy_n(tables.row(s).begin(), std::min(tables.width(), result.width()), result.row(s).begin());
      continue;
    }
    for (std::size_t lid = 1; lid < alive.lid_now.size(); ++lid)
      if (alive.lid_now[lid] != kNoLid) result.set(s, alive.lid_now[lid], tables.at(s, id_at<Lid>(lid)));
  }
  return result;
}

std::uint64_t count_changes(const WorkingState& state) {
  std::uint64_t count = 0;
  for (const SwitchId s : state.prepared.fabric().switches()) {
    if (state.is_written[index(s)] == 0) continue;
    const auto was = state.prepared.reference().tables.row(s);
    const PortNum* const is = state.rows[index(s)];
    for (std::size_t lid = 0; lid < was.size(); lid += kLidsPerBlock) {
      const std::size_t size = std::min(kLidsPerBlock, was.size() - lid);
      if (std::memcmp(&is[lid], &was[lid], size) == 0) continue;
      for (std::size_t i = lid; i < lid + size; ++i) count += is[i] != was[i] ? 1 : 0;
    }
  }
  return count;
}

// The same where the tables are of the present switches and LIDs.
std::uint64_t count_changes(const Reference& reference, const Survivors& alive, const ForwardingTables& tables) {
  std::uint64_t count = 0;
  for (const SwitchId s : alive.before.ids()) {
    if (alive.before[s] == kNoSwitch) continue;
    const auto was = reference.tables.row(alive.before[s]);
    const auto is = tables.row(s);
    for (std::size_t lid = 1; lid < alive.lid_now.size(); ++lid)
      if (alive.lid_now[lid] != kNoLid) count += is[index(alive.lid_now[lid])] != was[lid] ? 1 : 0;
  }
  return count;
}

// The tree of `now` under the reference's orientation; what is set aside there is set aside here.
FatTree oriented(const PreparedReference& prepared, const Survivors& alive, const Fabric& now) {
  const Reference& reference = prepared.reference();
  IdVector<SwitchId, Level> level(now.num_switches());
  IdVector<SwitchId, std::uint32_t> position(now.num_switches());
  for (const SwitchId s : now.switches()) {
    level[s] = reference.level[alive.before[s]];
    position[s] = reference.position[alive.before[s]];
  }
  TreeContext context;
  for (const ChannelId c : prepared.tree().context().set_aside)
    if (alive.channel[index(c)] != 0)
      context.set_aside.push_back(now.channel(alive.now[reference.fabric.source(c)], reference.fabric.port(c)));
  std::sort(context.set_aside.begin(), context.set_aside.end());
  return FatTree(now, std::move(level), position, std::move(context));
}

Result<RepairResult> route_all(const Fabric& now, const SwitchPathOptions& switch_paths) {
  ESPALIER_TRY(const FatTree tree, rank(now));
  EngineOptions options;
  options.switch_paths = switch_paths;
  ESPALIER_TRY(Routing routing, make_engine("dmodc", options)->route(tree));
  RepairResult result;
  result.tables = std::move(routing.tables);
  result.warnings = std::move(routing.warnings);
  result.warnings.insert(result.warnings.begin(), "the fault is too large for a repair: everything was rerouted");
  result.reach = RepairReach::kAll;
  return result;
}

// All pairs without an up-down path anew, between host routes that are repaired.
Result<RepairResult> route_detours(const PreparedReference& prepared, const Survivors& alive, ForwardingTables tables,
                                   const Fabric& now, const SwitchPathOptions& switch_paths) {
  if (!prepared.is_oriented() || alive.has_new_links) return route_all(now, switch_paths);
  const FatTree tree = oriented(prepared, alive, now);
  const RoutingProblem problem(tree);
  RepairResult result;
  result.tables = renumbered(tables, alive, now);
  for (const SwitchId s : now.switches())
    for (const SwitchId t : now.switches())
      if (problem.costs.cost(s, t) == kUnreachable)
        problem.targets.for_each_lid(t, [&, s](Lid lid, PortNum) { result.tables.set(s, lid, kNoPort); });
  auto warnings = complete_tables(problem, switch_paths, result.tables);
  if (!warnings) return route_all(now, switch_paths);
  result.warnings = std::move(*warnings);
  result.warnings.insert(result.warnings.begin(), "all paths between switches that are not up-down paths are new");
  result.reach = RepairReach::kDetours;
  return result;
}

Result<RepairResult> repair_known(const PreparedReference& prepared, const Survivors& alive, const Fabric& now,
                                  const SwitchPathOptions& switch_paths, std::optional<UsedTables> used = {}) {
  const SurvivorCosts costs(prepared.tree(), prepared.costs(), alive);
  ForwardingTables tables = rows_left(prepared.reference(), alive, now.num_switches(), std::move(used));
  WorkingState state(prepared, alive, costs, tables);
  OpenEntries open = find_open_entries(state);
  // Whatever stays of an up-down pair leads one hop closer.
  PathChooser chooser(state, open);
  chooser.run();
  // Every pair with an up-down path has one.
  Result<RepairResult> result;
  if (const Status joined = rejoin(state, open); !joined) {
    if (!alive.new_switches.empty()) return tl::unexpected(joined.error());
    result = route_detours(prepared, alive, std::move(tables), now, switch_paths);
    if (!result) return result;
    result->warnings.push_back(joined.error().message);
    result->entries = count_changes(prepared.reference(), alive, result->tables);
  } else {
    // Every connected pair has a path, and no channel depends on itself.
    unplug(state, now);
    result->entries = count_changes(state);
    const bool as_it_is = alive.lids_are_the_same && tables.width() == index(now.top_lid()) + 1;
    result->tables = as_it_is ? std::move(tables) : renumbered(tables, alive, now);
    if (as_it_is && alive.arrived.empty() && has_same_rows(prepared.reference(), alive, now.num_switches()))
      result->written = state.written();
  }
  if (result->reach != RepairReach::kAll) {
    route_new_switches(alive, now, result->tables);
    route_arrivals(alive, now, result->tables);
  }
  result->repaired_routes = chooser.num_routes();
  return result;
}

}  // namespace

Result<RepairResult> repair(const PreparedReference& reference, const Fabric& now,
                            const SwitchPathOptions& switch_paths, std::optional<UsedTables> used) {
  const Survivors alive = find_survivors(reference.fabric(), now);
  const auto note_growth = [&](RepairResult result) {
    result.has_new_equipment =
        alive.has_strangers || alive.has_new_links || !alive.arrived.empty() || !alive.new_switches.empty();
    return result;
  };
  if (covers(alive, now) && can_follow_others(alive, now)) {
    Result<RepairResult> result = repair_known(reference, alive, now, switch_paths, std::move(used));
    if (result || alive.new_switches.empty()) return std::move(result).map(note_growth);
  }
  ESPALIER_TRY(Reference extended, extend(reference.reference(), now));
  const PreparedReference known(std::move(extended));
  const Survivors all = find_survivors(known.fabric(), now);
  if (!covers(all, now) || !all.new_switches.empty())
    return fail("the reference cannot be extended to the current fabric");
  return repair_known(known, all, now, switch_paths).map(note_growth);
}

}  // namespace espalier
