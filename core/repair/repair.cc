// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/repair.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/engines.h"
#include "core/repair/broken/lids_by_port.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/detours/rejoin.h"
#include "core/repair/new_equipment/arrivals.h"
#include "core/repair/new_equipment/extend_reference.h"
#include "core/repair/new_paths/full_shifts.h"
#include "core/repair/new_paths/path_chooser.h"
#include "core/repair/reference/surviving_rows.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

// LIDs whose end port has lost its own link: a packet may go as far as its switch, and ends there. Without that switch the
// column was not looked at, and nobody keeps it free of loops.
void unplug(WorkingState& state, const Fabric& now) {
  for (std::size_t lid = 1; lid < state.prepared.num_lids(); ++lid) {
    const Lid present = state.alive.lid_now[lid];
    if (present == kNoLid || now.destination_switch(present) != kNoSwitch) continue;
    const SwitchId t = state.prepared.destination(lid);
    const bool may_stay = t != kNoSwitch && state.is_alive(t);
    for (const SwitchId s : state.prepared.fabric().switches())
      if (state.is_alive(s) && (!may_stay || s == t || state.channel_of(s, lid) == kNoChannel))
        state.set(s, lid, kNoPort);
  }
}

// LIDs that nobody has keep their entries, but not those by ports that lead to another switch now: packets that somebody
// still sends there could come back.
void drop_strays(WorkingState& state, const Fabric& now) {
  if (!state.alive.has_new_links) return;
  const Fabric& fabric = state.prepared.fabric();
  for (const SwitchId s : fabric.switches()) {
    if (!state.is_alive(s)) continue;
    for (const PortNum port : fabric.ports(s)) {
      if (fabric.peer(s, port).kind == Peer::Kind::kNone || state.channel(s, port) != kNoChannel ||
          !now.peer(state.alive.now[s], port).is_switch())
        continue;
      for_each_lid_by(state.prepared.reference().tables.row(s), port, [&](std::size_t lid) {
        if (state.alive.lid_now[lid] == kNoLid) state.set(s, lid, kNoPort);
      });
    }
  }
}

std::uint64_t count_changes(const WorkingState& state) {
  std::uint64_t count = 0;
  for (const SwitchId s : state.prepared.fabric().switches()) {
    if (!state.is_alive(s)) continue;
    const PortNum* const was = state.prepared.reference().tables.row(s).data();
    state.tables.rows()
        .row(state.alive.now[s])
        .for_each_block_apart(was, [&](std::size_t first, const PortNum* is, std::size_t size) {
          std::uint8_t of_block = 0;  // of 64 at most, so that compilers count 16 at once
          for (std::size_t i = 0; i < size; ++i)
            of_block = static_cast<std::uint8_t>(of_block + (is[i] != was[first + i] ? 1 : 0));
          count += of_block;
        });
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
    if (alive.channel[c] != 0)
      context.set_aside.push_back(now.channel(alive.now[reference.fabric.source(c)], reference.fabric.port(c)));
  std::sort(context.set_aside.begin(), context.set_aside.end());
  return FatTree(now, std::move(level), position, std::move(context));
}

// Tables that have no row in common with the reference's.
PatchedRepair all_new(ForwardingTables tables, std::vector<std::string> warnings, RepairReach reach,
                      const std::string& why) {
  PatchedRepair result;
  result.tables = PatchedTables(std::move(tables));
  result.warnings = std::move(warnings);
  result.warnings.insert(result.warnings.begin(), why);
  result.reach = reach;
  return result;
}

Result<PatchedRepair> route_all(const Fabric& now, const SwitchPathOptions& switch_paths) {
  ESPALIER_TRY(const FatTree tree, rank(now));
  EngineOptions options;
  options.switch_paths = switch_paths;
  ESPALIER_TRY(Routing routing, make_engine("dmodc", options)->route(tree));
  return all_new(std::move(routing.tables), std::move(routing.warnings), RepairReach::kAll,
                 "the fault is too large for a repair: everything was rerouted");
}

// Entries of pairs with an up-down path that lead along none of the shortest, as those of leaves that turn packets for a
// switch over another plane (leaf_turns.h): these rest on detours of the reference. LIDs in turn over what leads closer.
void straighten(WorkingState& state) {
  const PreparedReference& prepared = state.prepared;
  std::vector<PortNum> closer;
  for (const SwitchId s : prepared.fabric().switches()) {
    if (!state.is_alive(s)) continue;
    for (std::size_t lid = 1; lid < prepared.num_lids(); ++lid) {
      const SwitchId t = prepared.destination(lid);
      if (t == kNoSwitch || t == s || !state.is_alive(t) || !state.reaches(s, t)) continue;
      closer.clear();
      for_each_closer_channel(state, s, t, [&](ChannelId c) { closer.push_back(prepared.fabric().port(c)); });
      if (std::find(closer.begin(), closer.end(), state.entry(s, lid)) == closer.end())
        state.set(s, lid, closer[lid % closer.size()]);
    }
  }
}

// All pairs without an up-down path anew, between host routes that are repaired.
// REQUIRES: entries of all others lead one hop closer.
Result<PatchedRepair> route_detours(const PreparedReference& prepared, const Survivors& alive, const TableRows& rows,
                                    const Fabric& now, const SwitchPathOptions& switch_paths) {
  if (!prepared.is_oriented() || alive.has_new_links) return route_all(now, switch_paths);
  const FatTree tree = oriented(prepared, alive, now);
  const RoutingProblem problem(tree);
  ForwardingTables tables = renumbered(rows, alive, now);
  route_arrivals(alive, now, tables);  // detours lead on by what there is for every LID
  // Nobody has to reach an end port without a link, by whatever path it had.
  for (std::size_t lid = 1; lid <= index(now.top_lid()); ++lid)
    if (now.destination_switch(id_at<Lid>(lid)) == kNoSwitch)
      for (const SwitchId s : now.switches()) tables.set(s, id_at<Lid>(lid), kNoPort);
  for (const SwitchId s : now.switches())
    for (const SwitchId t : now.switches())
      if (problem.costs.cost(s, t) == kUnreachable)
        problem.targets.for_each_lid(t, [&, s](Lid lid, PortNum) { tables.set(s, lid, kNoPort); });
  auto warnings = complete_tables(problem, switch_paths, tables);
  if (!warnings) return route_all(now, switch_paths);
  return all_new(std::move(tables), std::move(*warnings), RepairReach::kDetours,
                 "all paths between switches that are not up-down paths are new");
}

// Entries for what the reference does not know, in tables in one piece.
PatchedTables with_news(const Survivors& alive, const Fabric& now, ForwardingTables tables) {
  route_new_switches(alive, now, tables);
  route_arrivals(alive, now, tables);
  return PatchedTables(std::move(tables));
}

Result<PatchedRepair> repair_known(const PreparedReference& prepared, const Survivors& alive, const Fabric& now,
                                   const SwitchPathOptions& switch_paths) {
  const SurvivorCosts costs(prepared.tree(), prepared.costs(), alive);
  const std::vector<PortNum> blank(prepared.num_lids(), kNoPort);
  PatchedTables tables = rows_left(prepared.reference(), alive, blank);
  WorkingState state(prepared, alive, costs, tables);
  OpenEntries open = find_open_entries(state);
  // Whatever stays of an up-down pair leads one hop closer.
  PathChooser chooser(state, open);
  chooser.run();
  const bool has_arrivals = !alive.arrived.empty() || !alive.new_switches.empty();
  // Every pair with an up-down path has one.
  Result<PatchedRepair> result;
  if (const Status joined = rejoin(state, open, chooser.loads()); !joined) {
    if (!alive.new_switches.empty()) return tl::unexpected(joined.error());
    if (prepared.is_oriented()) straighten(state);
    result = route_detours(prepared, alive, tables.rows(), now, switch_paths);
    if (!result) return result;
    result->warnings.push_back(joined.error().message);
    result->entries = count_changes(prepared.reference(), alive, result->tables.rows());
  } else {
    // Every connected pair has a path, and no channel depends on itself.
    FullShifts(state, open.columns, chooser.loads()).run();
    unplug(state, now);
    result->entries = count_changes(state);
    drop_strays(state, now);
    const std::size_t width = index(now.top_lid()) + 1;
    if (!alive.lids_are_the_same || width > prepared.num_lids() || has_arrivals) {
      result->tables = with_news(alive, now, renumbered(tables.rows(), alive, now));
    } else {
      result->tables = std::move(tables);
      result->tables.shrink(width);
    }
  }
  result->repaired_routes = chooser.num_routes();
  result->num_following = alive.arrived.size() + alive.new_switches.size();
  return result;
}

}  // namespace

Result<PatchedRepair> patch(const PreparedReference& reference, const Fabric& now,
                            const SwitchPathOptions& switch_paths) {
  const Survivors alive = find_survivors(reference.fabric(), now);
  const auto note_growth = [&](PatchedRepair result) {
    result.has_new_equipment = has_news(alive);
    return result;
  };
  if (covers(alive, now) && can_follow_others(alive, now)) {
    Result<PatchedRepair> result = repair_known(reference, alive, now, switch_paths);
    if (result || alive.new_switches.empty()) return std::move(result).map(note_growth);
  }
  ESPALIER_TRY(Reference extended, extend(reference.reference(), now));
  const PreparedReference known(std::move(extended));
  const Survivors all = find_survivors(known.fabric(), now);
  if (!covers(all, now) || !all.new_switches.empty())
    return fail("the reference cannot be extended to the current fabric");
  ESPALIER_TRY(PatchedRepair result, repair_known(known, all, now, switch_paths));
  result.tables = PatchedTables(result.tables.whole());  // its rows would go with `known`
  return note_growth(std::move(result));
}

}  // namespace espalier
