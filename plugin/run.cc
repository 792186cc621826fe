// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/tree/order/host_order.h"
#include "core/tree/rank.h"
#include "plugin/fabric_shape.h"
#include "plugin/inputs/engine_inputs.h"
#include "plugin/inputs/ignored_options.h"
#include "plugin/lanes/adopt_lanes.h"
#include "plugin/laps.h"
#include "plugin/opensm.h"
#include "plugin/publish.h"
#include "plugin/repair/policy.h"
#include "plugin/repair/repair_or_route.h"
#include "plugin/snapshot.h"
#include "plugin/thread_priority.h"
#include "plugin/upload/apply.h"
#include "plugin/upload/hop_counts.h"
#include "plugin/upload/slices.h"
#include "plugin/upload/upload_ahead.h"

namespace espalier {
namespace {

void log_irregularities(const Log& log, const FabricShape& shape, PluginState& state) {
  std::string listed;
  unsigned left = state.config.log_irregularities;
  for (const std::string& irregularity : shape.irregularities) {
    if (left-- == 0) break;
    listed += irregularity + '\n';
  }
  if (listed == state.last_irregularities) return;
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = listed.find('\n', at);
    log.verbose(std::string_view(listed).substr(at, end - at));
    at = end + 1;
  }
  state.last_irregularities = std::move(listed);
}

// What a run has found and done, for the log and the record.
struct RunFigures {
  const FatTree& tree;
  const FabricShape& shape;
  std::size_t num_lids;
  const ApplyReport& applied;
  const Laps& laps;
};

std::string summary(std::string_view engine, const RunFigures& run) {
  const Fabric& fabric = run.tree.fabric();
  const auto is_leaf = [&](SwitchId s) { return run.tree.level(s) == Level{0}; };
  std::size_t leaves = 0;
  for (const SwitchId s : fabric.switches()) leaves += is_leaf(s);
  return fmt::format(
      "{}: {}, {}, {}, {}, {}, {}; ms: snapshot {:.1f}, rank {:.1f}, route {:.1f}, verify {:.1f}, apply {:.1f}; {} "
      "changed in {}",
      engine, run.shape.text, counted(fabric.num_switches(), "switch", "switches"), counted(leaves, "leaf", "leaves"),
      counted(fabric.num_endports(), "end port"), counted(run.num_lids, "LID"),
      counted(run.shape.irregularities.size(), "irregularity", "irregularities"), run.laps.snapshot, run.laps.rank,
      run.laps.route, run.laps.verify, run.laps.apply, counted(run.applied.changed_entries, "entry", "entries"),
      counted(run.applied.changed_blocks, "block"));
}

std::size_t count_lids(const Fabric& fabric) {
  std::size_t count = 0;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid) count += fabric.is_in_use(id_at<Lid>(lid));
  return count;
}

// Each of them, when any is new.
void log_warnings(const Log& log, std::string_view engine_name, std::vector<std::string> warnings, PluginState& state) {
  if (warnings == state.last_warnings) return;
  for (const std::string& warning : warnings) log.info(fmt::format("{}: {}", engine_name, warning));
  state.last_warnings = std::move(warnings);
}

constexpr std::chrono::seconds kBetweenSlices{1};

// Where tables are sent in slices, the one that comes next; nothing: all are sent at once.
Result<std::optional<Slice>> slice_to_send(osm_opensm_t& osm, const RoutingTask& task, const SoundRouting& sound,
                                           PluginState& state) {
  const std::uint64_t most = state.config.max_blocks_per_sweep;
  if (most == 0 || sound.routing.lanes || osm.subn.need_update != 0 || !may_mix_tables(state.config, task.engine))
    return std::nullopt;
  ESPALIER_TRY(const ForwardingTables current, tables_in_switches(osm, *task.fabric));
  Slice slice = next_slice(*task.fabric, current, sound.tables(), most);
  if (slice.proof == Slice::Proof::kNone)
    Log(osm).info(
        fmt::format("{}: max_blocks_per_sweep: old and new routes cannot be used side by side; all {} are "
                    "sent at once",
                    task.engine, counted(slice.blocks, "block")));
  if (slice.blocks_left == 0) return std::nullopt;
  Log(osm).info(
      fmt::format("{}: max_blocks_per_sweep: {} now, {} left for later sweeps; proven sound {}", task.engine,
                  counted(slice.blocks, "block"), slice.blocks_left,
                  slice.proof == Slice::Proof::kUnderway ? "in whichever order they arrive" : "when all have arrived"));
  state.next_sweep = std::min(state.next_sweep.value_or(std::chrono::steady_clock::time_point::max()),
                              std::chrono::steady_clock::now() + kBetweenSlices);
  return slice;
}

// The tables into OpenSM, and what goes with them.
Result<ApplyReport> upload(osm_opensm_t& osm, std::string_view engine_name, const Fabric& fabric,
                           const TableRows& tables, UploadAhead* ahead, PluginState& state) {
  ESPALIER_TRY(ApplyReport report, apply(osm, fabric, tables, ahead));
  const std::string resent = state.resend.mark(osm, fabric, state.config.full_upload_every, report);
  state.resend.remember_routes(osm);
  if (!resent.empty()) Log(osm).info(fmt::format("{}: {}", engine_name, resent));
  return report;
}

// When other links flap than before, or others of them are needed.
void log_holds(const Log& log, const FlapHold::Held& held, unsigned seconds) {
  for (const std::string& name : held.names)
    log.info(fmt::format("{}: {}",
                         held.is_needed(name) ? "used although it flaps, since nothing else joins what it joins"
                                              : "held, since it flaps",
                         name));
  if (!held.names.empty())
    log.info(fmt::format("links that flap: {}; {} of them carry nothing until they have been quiet for {} s",
                         held.names.size(), held.links.size(), seconds));
  else if (held.num_gone != 0)
    log.info(fmt::format("links that flap: {}; none of them is present now", held.num_gone));
  else
    log.info("no link flaps any more, and none is held");
}

// The fabric without links that flap; see flap_hold.h.
std::shared_ptr<const Fabric> without_flapping(const Log& log, std::shared_ptr<const Fabric> fabric,
                                               PluginState& state) {
  const unsigned seconds = state.config.flap_hold_seconds;
  if (seconds == 0) return fabric;
  const FlapHold::Held held =
      state.flap_hold.update(*fabric, std::chrono::steady_clock::now(), std::chrono::seconds(seconds));
  if (std::pair(held.names, held.needed) != state.last_flaps) {
    log_holds(log, held, seconds);
    state.last_flaps = {held.names, held.needed};
  }
  state.next_sweep = held.look_again;
  state.record.holds = held.absent();
  if (held.links.empty()) return fabric;
  return std::make_shared<const Fabric>(without(*fabric, {.switches = {}, .endports = {}, .links = held.links}));
}

void note_run(const RunFigures& run, const SoundRouting& sound, PluginState& state) {
  using How = SoundRouting::How;
  RunRecord& record = state.record;
  record.how = sound.how == How::kRepaired  ? RunRecord::How::kRepaired
               : sound.how == How::kStarted ? RunRecord::How::kStarted
                                            : RunRecord::How::kRouted;
  record.switches = run.tree.fabric().num_switches();
  record.endports = run.tree.fabric().num_endports();
  record.lids = run.num_lids;
  record.irregularities = run.shape.irregularities.size();
  record.laps = run.laps;
  record.changed_entries = run.applied.changed_entries;
  record.changed_blocks = run.applied.changed_blocks;
  record.reference_entries = sound.reference_entries;
  record.repaired_routes = sound.repaired_routes;
  record.reference_age_s = state.repairs.reference_age();
  record.rebalances = state.repairs.num_rebalances();
}

// Without a copy: the rows of a repair are mostly those of its reference.
TablesInUse tables_in_use(const RoutingTask& task, const std::shared_ptr<const SoundRouting>& sound,
                          std::optional<Slice> slice) {
  TablesInUse tables{task.fabric, sound->rows(), sound, hosts_in_order(*task.tree, task.options.host_order)};
  if (slice) {
    const auto sent = std::make_shared<const ForwardingTables>(std::move(slice->tables));
    tables.tables = TableRows(*sent);
    tables.owner = sent;
  }
  return tables;
}

// Until upload() nothing of OpenSM's is touched: whatever is wrong before ends the run with the old tables in place.
Status run(osm_opensm_t& osm, std::string_view engine_name, PluginState& state) {
  const Log log(osm);
  Stopwatch clock;
  Laps laps;
  if (traits_of(engine_name).lanes)
    ESPALIER_TRY_STATUS(check_lanes_possible(state.opensm, engine_name, state.config.switch_sl));
  ESPALIER_TRY(RankOptions levels_from, rank_options(state));
  const std::uint64_t lists = lists_of(levels_from);

  ESPALIER_TRY(std::shared_ptr<const Fabric> snapshot, state.snapshots.take(osm));
  const std::shared_ptr<const Fabric> fabric = without_flapping(log, std::move(snapshot), state);
  laps.snapshot = clock.lap();

  ESPALIER_TRY(const Shape found, state.last_shape.find(engine_name, fabric, std::move(levels_from)));
  const std::shared_ptr<const FatTree>& tree = found.tree;
  const FabricShape& shape = *found.told;
  log_irregularities(log, shape, state);
  laps.rank = clock.lap();

  std::vector<std::string> warnings = ignored_options(osm, engine_name);
  for (std::string& warning : warnings_of_foreign_files(osm, state.config)) warnings.push_back(std::move(warning));
  ESPALIER_TRY(EngineInputs inputs, engine_inputs(osm, engine_name, found, fabric, state, warnings));
  RoutingTask task =
      make_task(state.config, engine_name, {lists, inputs.files_version}, fabric, tree, std::move(inputs.options));
  if (state.ahead && state.ahead->task.fabric == fabric) task.fabric_print = state.ahead->task.fabric_print;
  laps.rank += clock.lap();
  ESPALIER_TRY(const std::shared_ptr<const SoundRouting> sound,
               repair_or_route(log, state.config, task, {state.repairs, state.last_repaired, state.ahead}, laps));
  const Routing& routing = sound->routing;
  warnings.insert(warnings.end(), routing.warnings.begin(), routing.warnings.end());
  log_warnings(log, engine_name, std::move(warnings), state);

  static_cast<void>(clock.lap());
  ESPALIER_TRY(std::optional<Slice> slice, slice_to_send(osm, task, *sound, state));
  const TableRows to_send = slice ? TableRows(slice->tables) : sound->rows();
  const bool is_ahead = !slice && state.ahead && state.ahead->made(*sound);
  UploadAhead* const ahead = is_ahead ? state.ahead->upload.get() : nullptr;
  ESPALIER_TRY(const ApplyReport applied, upload(osm, engine_name, *fabric, to_send, ahead, state));
  if (state.hop_tables_filled) write_hop_counts(osm, *fabric, to_send);
  laps.apply = clock.lap();

  const RunFigures figures{*tree, shape, count_lids(*fabric), applied, laps};
  log.info(summary(engine_name, figures));
  note_run(figures, *sound, state);
  state.record.blocks_left = slice ? slice->blocks_left : 0;
  state.places.learn(*tree);
  publish(log, engine_name, state.config, *fabric, routing);
  if (wants_metrics(state.config)) state.tables_in_use = tables_in_use(task, sound, std::move(slice));
  remember(state.config, task, sound, state.repairs);
  adopt_lanes(osm, task, sound, inputs.links, state);
  return {};
}

void begin_record(std::string_view engine_name, PluginState& state) {
  state.record = {};
  state.record.when = std::chrono::system_clock::now();
  state.record.engine = engine_name;
  state.record.config_error = state.config_error;
}

}  // namespace

Status renew_config(osm_opensm& osm, PluginState& state) {
  state.opensm = opensm_options(osm);
  Result<PluginConfig> config = state.last_config.read(state.opensm.event_plugin_options);
  const std::string error = config ? "" : config.error().text();
  if (!config && state.has_config && error != state.config_error)
    Log(osm).error(fmt::format("{}; until it is corrected, the last valid options stay in force", error));
  state.config_error = error;
  if (!config) return state.has_config ? Status{} : tl::unexpected(config.error());
  state.config = *std::move(config);
  state.has_config = true;
  return {};
}

bool is_small(const osm_opensm& osm) {
  constexpr std::size_t kSmall = 1U << 15U;  // entries of all tables
  const std::size_t lids = cl_qmap_count(&osm.subn.port_guid_tbl) << osm.subn.opt.lmc;
  return cl_qmap_count(&osm.subn.sw_guid_tbl) * lids < kSmall;
}

int threads_of_run(const osm_opensm& osm, const PluginConfig& config) {
  if (is_small(osm)) return 1;  // to wake threads takes longer than what they would save
  return config.threads == 0 ? tbb::task_arena::automatic : static_cast<int>(config.threads);
}

Status route_subnet(osm_opensm& osm, std::string_view engine_name, PluginState& state) {
  tbb::task_arena arena(threads_of_run(osm, state.config));
  const RealtimeWorkers workers(arena, state.config.thread_priority == ThreadPriority::kRealtime);
  Stopwatch clock;
  begin_record(engine_name, state);
  state.outdated.clear();  // by now it has been, unless the run before came to nothing
  state.next_sweep.reset();
  Status done = arena.execute([&] { return run(osm, engine_name, state); });
  if (!done) {
    state.record.how = RunRecord::How::kDeclined;
    state.record.why_declined = done.error().text();
  }
  state.ahead.reset();
  state.repairs.sweep_at(state.next_sweep);
  state.record.under_lock_ms = clock.lap();
  state.metrics.note(state.config, state.record, std::exchange(state.tables_in_use, {}));
  return done;
}

}  // namespace espalier
