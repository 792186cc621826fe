// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's verdict codes: 0 = done, > 0 = OpenSM shall do this step itself, < 0 = this engine failed, take the next one
// of the list.
#include "plugin/callbacks.h"

#include <fmt/format.h>
#include <syslog.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <stdexcept>

#include "core/engines/engines.h"
#include "plugin/exception_guard.h"
#include "plugin/lanes/switch_sl.h"
#include "plugin/opensm.h"
#include "plugin/request_sweep.h"
#include "plugin/unexpected_engine.h"

namespace espalier {
namespace {

constexpr int kDone = 0;
constexpr int kOpenSmShallDoIt = 1;
constexpr int kFailed = -1;

// Runs a callback's body with the guard's report going to OpenSM's log.
template <class Body, class Verdict>
Verdict guarded(const Plugin::Engine& engine, const char* callback, Body&& body, Verdict failed) {
  const auto report = [&](const char* what) {
    engine.plugin->log().error(fmt::format("{}: {} failed: {}; this is a bug in Espalier; please report it",
                                           engine.opensm_name, callback, what));
  };
  return with_exception_guard(std::forward<Body>(body), report, failed);
}

int decline(const Plugin::Engine& engine, const Error& why) {
  engine.plugin->log().error(fmt::format("{} declines: {}", engine.opensm_name, why.text()));
  return kFailed;
}

// The engines need no hop matrices. Only OpenSM's dumps read them, so that OpenSM builds its own when it will dump.
int build_lid_matrices(void* context) {
  auto& engine = *static_cast<Plugin::Engine*>(context);
  const int verdict = guarded(
      engine, "build_lid_matrices",
      [&] {
        engine.plugin->go_first();  // OpenSM holds its lock
        engine.plugin->routing_begins();
        PluginState& state = engine.plugin->state();
        if (const Status renewed = renew_config(engine.plugin->osm(), state); !renewed)
          return decline(engine, renewed.error());
        const HopTables hop_tables = state.config.hop_tables;
        state.hop_tables_filled =
            hop_tables == HopTables::kAll || (hop_tables == HopTables::kAuto && engine.plugin->log().dumps_tables());
        if (state.hop_tables_filled) return kOpenSmShallDoIt;
        engine.plugin->go_first();
        return kDone;
      },
      kFailed);
  if (verdict != kDone) engine.plugin->run_is_over();  // to fill hop tables may take seconds
  return verdict;
}

int build_forwarding_tables(void* context) {
  auto& engine = *static_cast<Plugin::Engine*>(context);
  const int verdict = guarded(
      engine, "ucast_build_fwd_tables",
      [&] {
        engine.plugin->go_first();
        engine.plugin->use_head_start(engine.name);
        const Status done = route_subnet(engine.plugin->osm(), engine.name, engine.plugin->state());
        return done ? kDone : decline(engine, done.error());
      },
      kFailed);
  if (verdict != kDone) engine.plugin->run_is_over();
  return verdict;
}

ib_api_status_t build_multicast_tree(void* context, osm_mgrp_box_t* group) {
  auto& engine = *static_cast<Plugin::Engine*>(context);
  return guarded(
      engine, "mcast_build_stree",
      [&] {
        const Status done = engine.plugin->state().multicast.build(engine.plugin->osm(), *group);
        if (done) return IB_SUCCESS;
        engine.plugin->log().error(fmt::format("{}: {}", engine.name, done.error().text()));
        return IB_ERROR;
      },
      IB_ERROR);
}

// For each (in-port, out-port) of each switch, and for each end port, whose own packets start on VL 0 with any SL.
void update_sl2vl(void* context, osm_physp_t* port, std::uint8_t in, std::uint8_t out, ib_slvl_table_t* table) {
  auto& engine = *static_cast<Plugin::Engine*>(context);
  guarded(
      engine, "update_sl2vl",
      [&] {
        engine.plugin->run_is_over();  // OpenSM has let its lock go, and taken it anew
        const std::optional<ActiveLanes>& lanes = engine.plugin->state().lanes;
        if (!lanes) return kDone;
        std::optional<VlsBySl> vls = VlsBySl{};
        const osm_node_t& node = *port->p_node;
        if (node.sw != nullptr && out != 0) vls = lanes->vls(Guid{cl_ntoh64(osm_node_get_node_guid(&node))}, in, out);
        for (std::uint8_t sl = 0; vls && sl < kNumSls; ++sl) ib_slvl_table_set(table, sl, (*vls)[sl]);
        return kDone;
      },
      kFailed);
}

// For each path record, and for each port's path to the subnet manager.
std::uint8_t sl_of_path(void* context, std::uint8_t hint, const ib_net16_t from, const ib_net16_t to) {
  auto& engine = *static_cast<Plugin::Engine*>(context);
  return guarded(
      engine, "path_sl",
      [&] {
        if (const auto& lanes = engine.plugin->state().lanes) return lanes->sl(cl_ntoh16(from), cl_ntoh16(to));
        return path_sl(engine.plugin->osm(), cl_ntoh16(from), cl_ntoh16(to), hint,
                       engine.plugin->state().config.switch_sl);
      },
      hint);
}

// For each engine that the administrator lists. OpenSM has zeroed *routing_engine and set name and context. What stays
// null is OpenSM's own business: VL arbitration, and SL2VL with engines of one lane. destroy stays null since Plugin
// owns the contexts and goes last.
int setup(osm_routing_engine_t* routing_engine, osm_opensm_t*) {
  routing_engine->build_lid_matrices = build_lid_matrices;
  routing_engine->ucast_build_fwd_tables = build_forwarding_tables;
  routing_engine->mcast_build_stree = build_multicast_tree;
  routing_engine->path_sl = sl_of_path;
  if (traits_of(static_cast<const Plugin::Engine*>(routing_engine->context)->name).lanes)
    routing_engine->update_sl2vl = update_sl2vl;
  return 0;
}

// The log of an unknown OpenSM cannot be trusted, so what goes wrong here goes to syslog. OpenSM then reports that it
// "cannot load plugin".
void* create(osm_opensm_t* osm) {
  return with_exception_guard(
      [&]() -> void* {
        if (!layout_matches(*osm))
          throw std::runtime_error("this OpenSM was built with options that its installed headers do not match");
        return new Plugin(*osm);
      },
      [](const char* what) { syslog(LOG_ERR, "espalier: cannot start: %s", what); }, nullptr);
}

// OpenSM refuses a second engine of one name, and with it the plugin.
std::string opensm_name(std::string_view engine) {
  std::string name(engine);
  const bool is_taken = osm_routing_engine_type(name.c_str()) != OSM_ROUTING_ENGINE_TYPE_UNKNOWN;
  return is_taken ? "espalier-" + name : name;
}

// The names in opensm.conf.
std::vector<std::string> wanted_engines(const osm_opensm_t& osm) {
  const char* listed = osm.subn.opt.routing_engine_names;
  return listed == nullptr ? std::vector<std::string>() : listed_engines(listed);
}

bool is_known_engine(const osm_opensm_t& osm, const std::string& name) {
  for (const osm_routing_engine_t* engine = osm.routing_engine_list; engine != nullptr; engine = engine->next)
    if (engine->name != nullptr && name == engine->name) return true;
  // It takes names in any case for the same type, and yet finds engines only by their own spelling.
  const osm_routing_engine_type_t type = osm_routing_engine_type(name.c_str());
  return type != OSM_ROUTING_ENGINE_TYPE_UNKNOWN && name == osm_routing_engine_type_str(type);
}

void tell_of_unexpected_engine(Plugin& plugin) {
  const osm_opensm_t& osm = plugin.osm();
  if (osm.routing_engine_used == nullptr) return;
  const std::string told = unexpected_engine(wanted_engines(osm), osm.routing_engine_used->name,
                                             [&](const std::string& name) { return is_known_engine(osm, name); });
  if (!told.empty() && told != plugin.state().last_unexpected_engine) plugin.log().error(told);
  plugin.state().last_unexpected_engine = told;
}

// The console's reroute leaves multicast trees, and each port's service level toward the subnet manager, as they were:
// beside other tables they can close a credit loop, and only a sweep makes them anew.
void sweep_after_reroute(Plugin& plugin) {
  const RunRecord& last = plugin.state().record;
  const bool same_tables = last.how != RunRecord::How::kDeclined && last.changed_entries == 0;
  if (last.engine.empty() || same_tables) return;
  plugin.log().info("reroute has changed tables, but no multicast tree: OpenSM is asked to sweep");
  request_sweep(plugin.osm());
}

// OpenSM tells of its sweep. One that it gave up, since there is another master, ends here as well.
void report(void* context, osm_epi_event_id_t event, void* data) {
  auto& plugin = *static_cast<Plugin*>(context);
  if (event == OSM_EVENT_ID_HEAVY_SWEEP_DONE) return plugin.discovery_ends();
  if (event == OSM_EVENT_ID_HEAVY_SWEEP_START || event == OSM_EVENT_ID_STATE_CHANGE) return plugin.run_is_over();
  if (event != OSM_EVENT_ID_UCAST_ROUTING_DONE) return;
  plugin.run_is_over();
  with_exception_guard(
      [&] {
        plugin.tables_are_written();
        plugin.state().outdated.clear();
        tell_of_unexpected_engine(plugin);
        if (reinterpret_cast<std::uintptr_t>(data) == UCAST_ROUTING_REROUTE) sweep_after_reroute(plugin);
      },
      [&](const char* what) { plugin.log().error(fmt::format("report failed: {}", what)); });
}

void destroy(void* plugin) { delete static_cast<Plugin*>(plugin); }

}  // namespace

Plugin::Plugin(osm_opensm& osm)
    : osm_(&osm),
      log_(osm),
      priority_([this](std::string_view line) { log_.verbose(line); }),
      state_({[this](std::string_view line) { log_.info(line); }, [this](std::string_view line) { log_.error(line); },
              [this] { request_sweep(*osm_); }}) {
  for (const std::string_view name : engine_names()) {
    engines_.push_back(std::make_unique<Engine>(Engine{this, std::string(name), opensm_name(name)}));
    Engine& engine = *engines_.back();
    external_routing_engine_module_t module{};
    module.name = engine.opensm_name.c_str();  // OpenSM copies it
    module.setup = setup;
    module.context = &engine;
    if (osm_register_external_routing_engine(&osm, &module, &engine) != CL_SUCCESS)
      throw std::runtime_error(fmt::format("OpenSM refuses to register the routing engine {}", name));
  }
  tbb::task_arena(1).execute([] {});  // TBB looks at the machine when it is first used: no sweep waits for that
  // What is wrong with the file is told of when it is used.
  const Result<PluginConfig> config = read_config(opensm_options(osm).event_plugin_options);
  if (config) state_.config = *config;
  const bool goes_first = config && config->thread_priority == ThreadPriority::kRealtime;
  const std::vector<std::string> wanted = wanted_engines(osm);
  const auto is_wanted = [&](const auto& ours) { return std::ranges::find(wanted, ours->opensm_name) != wanted.end(); };
  if (std::ranges::any_of(engines_, is_wanted)) prefault_.emplace(osm);
  for (const auto& ours : engines_)
    if (!wanted.empty() && wanted.front() == ours->opensm_name)
      head_start_.emplace(osm, ours->name, goes_first, *prefault_, state_);
  if (config) state_.repairs.preload(config->state_directory);
}

}  // namespace espalier

// The one symbol that OpenSM looks up. It compares the version string with its own before it calls anything.
extern "C" {
__attribute__((visibility("default")))
osm_event_plugin_t osm_event_plugin = {OSM_VERSION, espalier::create, espalier::destroy, espalier::report};

// What is wrong with a file of options and those that it names, for `espalier doctor`; empty: nothing. The text lives until
// the next call.
__attribute__((visibility("default"))) const char* espalier_config_error(const char* path) {
  static std::string error;
  const auto config = espalier::read_config(path);
  error = config ? "" : config.error().text();
  if (config)
    for (const std::string& file : espalier::input_files(*config))
      if (const auto text = espalier::read_file(file); error.empty() && !text)
        error = fmt::format("{}; {} names this file", text.error().text(), path);
  if (config && error.empty()) error = espalier::missing_folder(*config);
  return error.c_str();
}

// What they ask for that this engine with lanes cannot do, likewise.
__attribute__((visibility("default"))) const char* espalier_engine_error(const char* path, const char* engine) {
  static std::string error;
  const auto config = espalier::read_config(path);
  const espalier::Status possible = config ? espalier::check_switch_sl(engine, config->switch_sl) : espalier::Status();
  error = possible ? "" : possible.error().text();
  return error.c_str();
}
}
