// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier whatif`: what a planned loss costs, before anybody pulls a link. The routes as they are, those that an
// engine computes once the named equipment is gone, and what the subnet manager has to write in between.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/congestion/route_changes.h"
#include "core/analysis/soundness/verify.h"
#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/repair/repairable_reference.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/find_removal.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/routed.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/measure/rewritten.h"
#include "core/tools/progress_bar.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxNames = 20;  // hosts named in the text

struct WhatifOptions {
  Source source;
  LaneFiles lanes;
  std::vector<std::string> remove;
  std::string engine = "balanced";
  std::string repair = "auto";
  std::string order = "names";
  unsigned threads = 0;
  bool json = false;
};

// A field of measure() under `name`_before and `name`_after.
void add_both(Json& result, const char* name, const Json& before, const Json& after) {
  result[fmt::format("{}_before", name)] = before.at(name);
  result[fmt::format("{}_after", name)] = after.at(name);
}

struct Afterwards {
  ForwardingTables tables;
  bool repaired = false;
  double ms = 0;
};

// Whether the plugin would repair: as its option `repair` says, where the tables in use may be a reference.
bool would_repair(const WhatifOptions& options, const Fabric& before, const ForwardingTables& tables,
                  const std::optional<Lanes>& lanes) {
  if (options.repair != "auto") return options.repair == "always";
  if (!is_slow(options.engine, before)) return false;
  const bool is_sound = verify(before, tables, lanes).ok();
  if (!is_sound && !lanes && traits_of(options.engine).lanes)
    warn(
        "these tables are not sound on one lane, so they are not repaired; if they use several, name these with "
        "--lanes");
  return is_sound;
}

// Like the plugin, without a repair where that fails.
Afterwards route_afterwards(const WhatifOptions& options, const Routed& before, const std::optional<Lanes>& lanes,
                            const Fabric& after) {
  if (would_repair(options, before.fabric, before.tables, lanes)) {
    const auto reference = prepare(
        make_reference(options.engine, value_or_refuse(rank(before.fabric)), before.tables, before.hosts, lanes));
    Stopwatch watch;  // the reference is prepared while nothing is broken
    const Result<PatchedRepair> repaired = reference->patch(after, {});
    if (repaired) {
      ForwardingTables tables = repaired->tables.whole();
      return {std::move(tables), true, watch.lap()};
    }
    warn(fmt::format("these tables cannot be repaired, all routes are computed from scratch: {}",
                     repaired.error().text()));
  }
  Stopwatch watch;
  ForwardingTables fresh = route_or_refuse(after, options.engine).tables;
  return {std::move(fresh), false, watch.lap()};
}

RouteChanges changes_between(const Routed& before, const Routed& after) {
  const ProgressBar bar("routes that move");
  return compare_routes(before, after);
}

// Of the tables in use. Those that are sound on one lane need no others; else it takes time to ask for them.
std::optional<Lanes> lanes_in_use(const WhatifOptions& options, const FabricAndTables& loaded) {
  const bool may_need_more =
      options.source.live && !options.lanes.given() && options.repair != "never" && traits_of(options.engine).lanes;
  if (may_need_more && !verify(loaded.fabric, *loaded.tables).ok()) return load_live_lanes(options.source, loaded);
  return load_lanes(loaded, options.lanes);
}

// Where no file has tables: those of --engine.
void find_tables(const WhatifOptions& options, FabricAndTables& loaded) {
  if (loaded.tables) {
    loaded.lanes = lanes_in_use(options, loaded);
    return;
  }
  if (options.lanes.given()) throw Refused{{"lanes belong to tables, and there are none", {}, 0, "give LFTS as well"}};
  Routing routing = route_or_refuse(loaded.fabric, options.engine);
  loaded.tables = std::move(routing.tables);
  loaded.lanes = std::move(routing.lanes);
}

Json what_if(const WhatifOptions& options) {
  FabricAndTables loaded = load(options.source, TablesNeed::kOptional);
  const Fabric& before = loaded.fabric;
  const Removal removal = value_or_refuse(find_removal(before, options.remove));
  if (options.remove.empty()) throw CLI::RequiredError("--remove");
  find_tables(options, loaded);
  const ForwardingTables& tables_before = *loaded.tables;
  const std::vector<EndportId> hosts_before = traffic_order(before, options.order).hosts;

  const Fabric after = without(before, removal);
  const Routed routed_before{before, tables_before, hosts_before};
  const Afterwards afterwards = route_afterwards(options, routed_before, loaded.lanes, after);
  const ForwardingTables& tables_after = afterwards.tables;
  const std::vector<EndportId> hosts_after = remaining_hosts(before, hosts_before, after);

  const Routed routed_after{after, tables_after, hosts_after};
  const RouteChanges changes = changes_between(routed_before, routed_after);
  const TableDelta delta = rewritten(before, tables_before, after, tables_after);
  const auto patterns = patterns_or_refuse(shifts_and_permutations(hosts_before.size()));
  const Json risk_before = measure(routed_before, patterns, 1);
  const Json risk_after = measure(routed_after, patterns, 1);

  Json result;
  result["removed"] = options.remove;
  result["engine"] = options.engine;
  result["repaired"] = afterwards.repaired;
  result["hosts_lost"] = Json::array();
  for (const EndportId e : changes.hosts_gone) result["hosts_lost"].push_back(before.label(e));
  result["lost_pairs"] = changes.flows_lost + changes.flows_gone;
  result["moved_forced"] = changes.flows_forced;
  result["moved_intact"] = changes.flows_unforced;
  result["entries"] = delta.num_entries;
  result["blocks"] = delta.num_blocks;
  result["switches"] = delta.switches.size();
  for (const char* field : {"mu_sp_max", "mu_sp_mean", "mu_rp_median"})
    add_both(result, field, risk_before, risk_after);
  result["route_ms"] = afterwards.ms;
  return result;
}

void print_whatif(const Json& result) {
  const auto number = [&](const char* key) { return result.at(key).get<double>(); };
  const auto count = [&](const char* key) { return result.at(key).get<std::uint64_t>(); };
  const Json& lost = result.at("hosts_lost");
  fmt::print("{} cut off\n", counted(lost.size(), "host is", "hosts are"));
  for (std::size_t i = 0; i < std::min(lost.size(), kMaxNames); ++i) fmt::print("  {}\n", lost[i].get<std::string>());
  if (lost.size() > kMaxNames) fmt::print("  and {} more\n", lost.size() - kMaxNames);
  fmt::print("{} their connection\n",
             counted(count("lost_pairs"), "ordered pair of hosts loses", "ordered pairs of hosts lose"));
  fmt::print("{} broke, {} although {} intact\n",
             counted(count("moved_forced"), "route moves because it", "routes move because they"),
             count("moved_intact"), count("moved_intact") == 1 ? "it was" : "they were");
  fmt::print("{}, in {} of 64 LIDs on {}\n", counted(count("entries"), "entry changes", "entries change"),
             counted(count("blocks"), "block"), counted(count("switches"), "switch", "switches"));
  fmt::print(
      "flows on the fullest channel: worst shift {} -> {}, mean over shifts {:.2f} -> {:.2f}, median of random "
      "permutations {} -> {}\n",
      number("mu_sp_max_before"), number("mu_sp_max_after"), number("mu_sp_mean_before"), number("mu_sp_mean_after"),
      number("mu_rp_median_before"), number("mu_rp_median_after"));
  if (result.at("repaired").get<bool>())
    fmt::print("repair of these tables takes {:.1f} ms; what still works stays\n", number("route_ms"));
  else
    fmt::print("{} computes all routes from scratch in {:.1f} ms\n", result.at("engine").get<std::string>(),
               number("route_ms"));
}

}  // namespace

void add_whatif(CLI::App& app) {
  const auto options = std::make_shared<WhatifOptions>();
  CLI::App* command = app.add_subcommand("whatif", "Show what losing a switch, a host or a link would change");
  add_source(*command, options->source, TablesNeed::kOptional,
             "Net file or ibnetdiscover text, with the LIDs of the tables",
             "Tables in use; default: those that --engine computes");
  add_lane_options(*command, options->lanes);
  add_remove_option(*command, options->remove);
  add_engine_option(*command, options->engine, "Routing engine that computes the new routes")->capture_default_str();
  command
      ->add_option("--repair", options->repair,
                   "As the plugin's option of this name: auto, repair sound tables of engines that take long on such a "
                   "fabric; always; never, the engine routes from scratch")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  add_host_order_option(*command, options->order, "How jobs number hosts");
  command->add_flag("--json", options->json, "Print one JSON object instead of lines");
  add_threads_option(*command, options->threads);
  command->footer(
      "Exit code 0: every remaining pair of hosts stays connected. 1: some do not. 2: bad input. With --live, tables "
      "that\nclose a loop on one lane are repaired on those of the SL2VL tables and path records.\n"
      "Names are those of the file (espalier convert NET --to csv-switches lists them).\n"
      "Example: can a spine be taken out of service? Here of espalier generate pgft \"2;18,36;1,18;1,1\"\n"
      "  espalier whatif tree.net tree.lfts --remove \"L2 0.3\"\n"
      "Example: what would losing the link at port 7 of a leaf change?\n"
      "  espalier whatif tree.net tree.lfts --remove \"leaf 12/7\"");
  command->callback([options] {
    const Json result = with_threads(options->threads, [&] { return what_if(*options); });
    if (options->json)
      print_json(result);
    else
      print_whatif(result);
    if (result.at("lost_pairs") > 0) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
