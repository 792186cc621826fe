// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/run.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/base/hash.h"
#include "core/base/stopwatch.h"
#include "core/engines/engines.h"
#include "core/io/file.h"
#include "core/io/file_owner.h"
#include "core/io/lists/guid_file.h"
#include "core/io/lists/node_types_file.h"
#include "core/io/lists/source_offsets_file.h"
#include "core/io/schedule/schedule_directory.h"
#include "core/schedule/check_schedule.h"
#include "core/tree/node_types.h"
#include "core/tree/rank.h"
#include "plugin/apply.h"
#include "plugin/hop_counts.h"
#include "plugin/host_order.h"
#include "plugin/ignored_options.h"
#include "plugin/laps.h"
#include "plugin/opensm.h"
#include "plugin/repair/repair_or_route.h"
#include "plugin/snapshot.h"

namespace espalier {
namespace {

constexpr std::string_view kFlowsEngine = "flows";

// Tells of files that others than root and OpenSM's user may change: whoever may write them commands the routes.
void warn_of_foreign_files(const osm_opensm_t& osm, const PluginConfig& config, std::vector<std::string>& warnings) {
  const auto& opt = osm.subn.opt;
  const char* options = opt.event_plugin_options;
  const std::array<const char*, 7> paths{options == nullptr || *options == '\0' ? kDefaultPath : options,
                                         opt.root_guid_file,
                                         opt.cn_guid_file,
                                         opt.io_guid_file,
                                         config.node_types.c_str(),
                                         config.flows_file.c_str(),
                                         config.schedule_participants.c_str()};
  for (const char* path : paths) {
    if (path == nullptr || *path == '\0') continue;
    if (const std::string who = who_else_may_change(path); !who.empty())
      warnings.push_back(
          fmt::format("{} {}: whoever may write it commands the routes; see docs/security.md", path, who));
  }
}

// The GUIDs in the file that an option of opensm.conf names; none when it names none.
Result<std::vector<Guid>> guids_of(const char* path) {
  if (path == nullptr || *path == '\0') return std::vector<Guid>{};
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return read_guids(*text, path);
}

// What the levels come from besides the cables. OpenSM rereads its options at each sweep, we read the files.
Result<RankOptions> rank_options(const osm_opensm_t& osm, const PluginState& state) {
  auto roots = guids_of(osm.subn.opt.root_guid_file);
  if (!roots) return tl::unexpected(roots.error());
  auto compute_ports = guids_of(osm.subn.opt.cn_guid_file);
  if (!compute_ports) return tl::unexpected(compute_ports.error());
  return RankOptions{std::move(*roots), std::move(*compute_ports), state.places.places(), state.config.switches};
}

// All but the types of hosts, which need the snapshot.
EngineOptions options_of_engine(const osm_opensm_t& osm, const PluginConfig& config) {
  EngineOptions options;
  options.seed = config.seed;
  options.balance_ms = config.balance_ms;
  options.balance_wall_ms = config.balance_wall_ms;
  options.objective = config.objective;
  options.switch_paths = {config.switch_paths, Guid{cl_ntoh64(osm.subn.sm_port_guid)}};
  options.sftree_base = config.sftree_base;
  options.gxmodk_mode = config.gxmodk_mode;
  options.storage_share = config.storage_share;
  return options;
}

// Types of hosts from espalier.conf's file and OpenSM's lists. Warnings go to `warnings`.
Result<NodeTypes> node_types(const osm_opensm_t& osm, const Fabric& fabric, const std::string& path,
                             std::vector<std::string>& warnings) {
  NodeTypeRules rules;
  if (!path.empty()) {
    const auto text = read_file(path);
    if (!text) return tl::unexpected(text.error());
    auto read = read_node_types(*text, path);
    if (!read) return tl::unexpected(read.error());
    rules = std::move(*read);
  }
  auto io = guids_of(osm.subn.opt.io_guid_file);
  if (!io) return tl::unexpected(io.error());
  auto compute = guids_of(osm.subn.opt.cn_guid_file);
  if (!compute) return tl::unexpected(compute.error());
  const auto name = [](const char* file) { return std::string(file == nullptr ? "" : file); };
  add_guid_lists(rules, {std::move(*io), name(osm.subn.opt.io_guid_file)},
                 {std::move(*compute), name(osm.subn.opt.cn_guid_file)});
  auto assignment = assign_node_types(fabric, rules);
  if (!assignment) return tl::unexpected(assignment.error());
  warnings = assignment->warnings(fabric, rules);
  if (rules.rules.empty()) warnings.push_back("no node_types and no io_guid_file: all hosts are balanced alike");
  return std::move(assignment->types);
}

// A list of compute nodes alone, which is there for the levels, does not make an engine look at types that has a use for
// them but does without.
bool wants_types(const osm_opensm_t& osm, std::string_view engine_name, const PluginConfig& config) {
  const char* const io = osm.subn.opt.io_guid_file;
  return engine_name == kTypedEngine || (engine_name == kBalanced && config.objective.phases &&
                                         (!config.node_types.empty() || (io != nullptr && *io != '\0')));
}

void log_irregularities(const Log& log, const FatTree& tree, PluginState& state) {
  std::string listed;
  unsigned left = state.config.log_irregularities;
  for (const Irregularity& irregularity : tree.irregularities()) {
    if (left-- == 0) break;
    listed += fmt::format("{}: {}\n", name(irregularity.kind), irregularity.text);
  }
  if (listed == state.last_irregularities) return;
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = listed.find('\n', at);
    log.verbose(std::string_view(listed).substr(at, end - at));
    at = end + 1;
  }
  state.last_irregularities = std::move(listed);
}

std::string summary(std::string_view engine, const FatTree& tree, std::size_t num_lids, const ApplyReport& report,
                    const Laps& laps) {
  const Fabric& fabric = tree.fabric();
  const auto is_leaf = [&](SwitchId s) { return tree.level(s) == Level{0}; };
  std::size_t leaves = 0;
  for (const SwitchId s : fabric.switches()) leaves += is_leaf(s);
  return fmt::format(
      "{}: {} levels, {} switches, {} leaves, {} end ports, {} LIDs, {} irregularities; ms: snapshot {:.1f}, rank "
      "{:.1f}, route {:.1f}, verify {:.1f}, apply {:.1f}; {} entries changed in {} blocks",
      engine, tree.num_levels(), fabric.num_switches(), leaves, fabric.num_endports(), num_lids,
      tree.irregularities().size(), laps.snapshot, laps.rank, laps.route, laps.verify, laps.apply,
      report.changed_entries, report.changed_blocks);
}

// The schedule, once somebody else has judged it; returns a sentence for the log.
Result<std::string> publish(const std::string& directory, const Fabric& fabric, const Routing& routing) {
  const Schedule& schedule = *routing.schedule;
  const ScheduleReport report =
      check_schedule(fabric, routing.tables, schedule, all_to_all_traffic(schedule.servers.size()));
  for (const std::string& fault : report.first)
    if (!fault.empty()) return fail(fmt::format("the schedule is wrong and stays unpublished: {}", fault));
  const Result<std::uint64_t> epoch = publish_schedule(directory, schedule);
  if (!epoch) return tl::unexpected(epoch.error());
  return fmt::format("epoch {} in {}: {} servers, mode {}, LMC {}, {} phases, lower bound {}", *epoch, directory,
                     schedule.servers.size(), name(schedule.mode), schedule.lmc, schedule.phases, schedule.bound);
}

// The numbers by which hosts choose paths; returns a sentence for the log.
Result<std::string> publish_source_offsets(const std::string& path, const Fabric& fabric, const Routing& routing) {
  if (!routing.source_offsets)
    return fail(fmt::format("source_offsets_file {} stays as it is: offsets belong to other tables", path),
                "write gxmodk_mode grouped");
  const SourceOffsets& offsets = *routing.source_offsets;
  if (const Status ok = write_file(path, write_source_offsets(fabric, offsets), WriteTo::kRegularFile); !ok)
    return tl::unexpected(ok.error());
  std::size_t choices = 1;
  for (const std::uint32_t radix : offsets.radices) choices *= radix;
  return fmt::format("{}: sources choose among {} paths", path, choices);
}

void log_published(const Log& log, std::string_view engine_name, const Result<std::string>& published) {
  if (published)
    log.info(fmt::format("{}: {}", engine_name, *published));
  else
    log.error(fmt::format("{}: {}", engine_name, published.error().text()));
}

// What goes with the tables, which are good whatever becomes of it.
void publish_all(const Log& log, std::string_view engine_name, const PluginConfig& config, const Fabric& fabric,
                 const Routing& routing) {
  if (routing.schedule && !config.schedule_directory.empty())
    log_published(log, engine_name, publish(config.schedule_directory, fabric, routing));
  if (!config.source_offsets_file.empty() && (routing.source_offsets || engine_name == kTypedEngine))
    log_published(log, engine_name, publish_source_offsets(config.source_offsets_file, fabric, routing));
}

// OpenSM's lists that decide about levels.
std::uint64_t lists_of(const RankOptions& options) {
  std::uint64_t lists = 0;
  for (const auto* list : {&options.roots, &options.compute_ports})
    for (const Guid guid : *list) lists = mix(lists, index(guid));
  return lists;
}

std::size_t count_lids(const Fabric& fabric) {
  std::size_t count = 0;
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid)
    count += fabric.owner(id_at<Lid>(lid)).kind != LidOwner::Kind::kNone;
  return count;
}

Status run(osm_opensm_t& osm, std::string_view engine_name, PluginState& state) {
  const Log log(osm);
  Stopwatch clock;
  Laps laps;
  if (uses_lanes(engine_name))
    if (Status ok = check_lanes_possible(osm, engine_name, state.config.switch_sl); !ok) return ok;
  auto participants = guids_of(state.config.schedule_participants.c_str());
  if (!participants) return tl::unexpected(participants.error());
  const Result<RankOptions> options = rank_options(osm, state);
  if (!options) return tl::unexpected(options.error());

  Result<Fabric> snapshot = take_snapshot(osm);
  if (!snapshot) return tl::unexpected(snapshot.error());
  auto fabric = std::make_shared<const Fabric>(std::move(*snapshot));
  laps.snapshot = clock.lap();

  Result<FatTree> ranked = rank(*fabric, *options);
  if (!ranked) return tl::unexpected(ranked.error());
  auto tree = std::make_shared<const FatTree>(std::move(*ranked));
  log_irregularities(log, *tree, state);
  laps.rank = clock.lap();

  std::vector<std::string> warnings = ignored_options(osm, engine_name);
  warn_of_foreign_files(osm, state.config, warnings);
  EngineOptions engine_options = options_of_engine(osm, state.config);
  engine_options.max_vls = lanes_of_links(osm);
  engine_options.exchange = {state.config.schedule_mode, std::move(*participants)};
  Result<HostOrder> order = wished_order(*tree, state.config.host_order, state.names, warnings);
  if (!order) return tl::unexpected(order.error());
  engine_options.host_order = std::move(*order);
  if (engine_name == kFlowsEngine && !state.config.flows_file.empty())
    engine_options.known_flows = state.flows.read(state.config.flows_file, *fabric, log);
  if (wants_types(osm, engine_name, state.config)) {
    std::vector<std::string> of_types;
    Result<NodeTypes> types = node_types(osm, *fabric, state.config.node_types, of_types);
    if (!types) return tl::unexpected(types.error());
    engine_options.node_types = std::move(*types);
    warnings.insert(warnings.end(), of_types.begin(), of_types.end());
  }
  const RoutingTask task{std::string(engine_name), origin_of(engine_name, state.config, lists_of(*options)), fabric,
                         tree, std::move(engine_options)};
  Result<SoundRouting> sound = repair_or_route(log, state.config, task, state.repairs, laps);
  if (!sound) return tl::unexpected(sound.error());
  const Routing* const routing = &sound->routing;
  warnings.insert(warnings.end(), routing->warnings.begin(), routing->warnings.end());
  if (warnings != state.last_warnings) {
    for (const std::string& warning : warnings) log.info(fmt::format("{}: {}", engine_name, warning));
    state.last_warnings = std::move(warnings);
  }

  static_cast<void>(clock.lap());
  const std::string resent = state.resend.mark(osm, *fabric, state.config.full_upload_every);
  const Result<ApplyReport> applied = apply(osm, *fabric, routing->tables);
  if (!applied) return tl::unexpected(applied.error());
  state.resend.remember_routes(osm);
  if (!resent.empty()) log.info(fmt::format("{}: {}", engine_name, resent));
  if (state.hop_tables_filled) write_hop_counts(osm, *fabric, routing->tables);
  laps.apply = clock.lap();

  state.lanes.reset();
  if (routing->lanes) {
    state.lanes.emplace(*fabric, *routing->lanes);
    log.info(fmt::format("{}: {} virtual lanes, {} service levels", engine_name, routing->lanes->num_vls(),
                         routing->lanes->num_sls()));
  }
  log.info(summary(engine_name, *tree, count_lids(*fabric), *applied, laps));
  state.places.learn(*tree);
  publish_all(log, engine_name, state.config, *fabric, *routing);
  remember(state.config, task, *std::move(sound), state.repairs);
  state.multicast.adopt(osm, std::move(fabric), std::move(tree));
  return {};
}

}  // namespace

Result<PluginConfig> current_config(const osm_opensm& osm) {
  const char* path = osm.subn.opt.event_plugin_options;
  return read_config(path == nullptr ? "" : path);
}

Status route_subnet(osm_opensm& osm, std::string_view engine_name, PluginState& state) {
  const int threads = state.config.threads == 0 ? tbb::task_arena::automatic : static_cast<int>(state.config.threads);
  tbb::task_arena arena(threads);
  return arena.execute([&] { return run(osm, engine_name, state); });
}

}  // namespace espalier
