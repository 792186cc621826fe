// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier route`: from a fabric to forwarding tables, as the plugin would, without a subnet manager.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/engines/engines.h"
#include "core/engines/options.h"
#include "core/io/lanes/alternatives_file.h"
#include "core/io/lists/host_parts.h"
#include "core/io/lists/lid_choices_file.h"
#include "core/io/lists/source_offsets_file.h"
#include "core/pipeline/find_alternatives.h"
#include "core/pipeline/route_and_verify.h"
#include "core/repair/file/reference_file.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/find_node.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/inputs/routed.h"
#include "core/tools/progress_bar.h"
#include "core/tools/quiet.h"
#include "core/tools/summary.h"
#include "core/tools/tables/lanes_to_write.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

struct RouteOptions {
  std::string input;
  std::string output;
  std::string engine = "balanced";
  std::string roots;
  std::string switch_rules;
  NodeTypeOptions node_types;
  EngineOptions engine_options;
  std::string subnet_manager;
  std::optional<unsigned> lmc;
  unsigned threads = 0;
  std::string source_offsets;
  std::string reference;
  std::string lanes;
  std::string choices;
  std::string alternatives;
  std::string host_order = "names";
  std::string objective = "default";
  std::string flows;
  bool verify = false;
  bool json = false;
};

// Of options that are for other engines than this one: whoever tries several gives all of them the same.
void warn_of_idle(const CLI::App& command, const RouteOptions& options, const Objective& objective) {
  const EngineTraits traits = traits_of(options.engine);
  using NodeTypes = EngineTraits::NodeTypes;
  const auto warn_unless = [&](bool is_used, std::initializer_list<const char*> names, std::string_view who_does) {
    for (const char* name : names)
      if (!is_used && command.count(name) != 0)
        warn(fmt::format("engine {} does not use {}; {}", options.engine, name, who_does));
  };
  warn_unless(traits.known_flows, {"--flows"}, "engines flows and balanced do");
  warn_unless(traits.searches, {"--balance-ms", "--objective"}, "engine balanced does");
  warn_unless(traits.lanes, {"--vls"}, "engines dragonfly, dragonfly-rlm, layers and flows do");
  warn_unless(options.engine == "sftree", {"--sftree-base"}, "engine sftree does");
  warn_unless(options.engine == "gxmodk", {"--gxmodk-mode", "--storage-share"}, "engine gxmodk does");
  warn_unless(
      traits.node_types == NodeTypes::kAlways || (traits.node_types == NodeTypes::kForPhases && objective.phases),
      {"--node-types", "--io-guids"}, "engines gxmodk and balanced do, the latter with phase in its --objective");
}

// An order may name hosts that are down, as in the plugin; but a file of misspelled names says nothing.
void warn_of_unknown_hosts(const Fabric& fabric, const std::string& order) {
  const Result<HostOrderWish> wish = parse_host_order(order);
  if (!wish) return;
  for (const HostOrderWish::File& file : wish->files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file.path, error)) continue;  // a pipe has been read; "lid" is a word
    const auto parts = read_host_parts(load_text(file.path), file.path, fabric, UnknownHosts::kRefuse);
    if (!parts) warn(fmt::format("hosts that are not in the fabric are left out: {}", parts.error().text()));
  }
}

// What the engine is told. Or Refused.
EngineOptions engine_options(const CLI::App& command, const RouteOptions& options, const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  EngineOptions told = options.engine_options;
  told.node_types = load_node_types(fabric, options.node_types);
  if (options.engine == "flows" && options.flows.empty())
    warn("engine flows has no known flows to route for: give them with --flows FILE");
  if (!options.flows.empty()) told.known_flows = load_known_flows(fabric, options.flows);
  told.hosts_choose_lids = !options.choices.empty();
  told.objective = value_or_refuse(parse_objective(options.objective));
  warn_of_idle(command, options, told.objective);
  told.host_order = host_order(tree, options.host_order, UnknownHosts::kSkip);
  warn_of_unknown_hosts(fabric, options.host_order);
  if (!options.subnet_manager.empty()) {
    const Node node = value_or_refuse(find_node(fabric, options.subnet_manager));
    told.switch_paths.subnet_manager = node.is_switch() ? fabric.at(node.at).guid : fabric.at(node.endport).port_guid;
  }
  return told;
}

// With a proof only where one is asked for.
Result<VerifiedRouting> compute(const RouteOptions& options, const FatTree& tree, const EngineOptions& told) {
  if (options.verify) return route_and_verify(tree, options.engine, told);
  Stopwatch watch;
  return route(tree, options.engine, told).map([&](Routing routing) {
    return VerifiedRouting{.routing = std::move(routing), .proof = {}, .route_ms = watch.lap()};
  });
}

// Throws when these tables are not what the options ask for.
void check_tables(const RouteOptions& options, const VerifiedRouting& made) {
  if (!options.source_offsets.empty() && !made.routing.source_offsets)
    throw Refused{{"these tables have no source offsets",
                   {},
                   0,
                   "use --engine gxmodk --gxmodk-mode grouped, or --engine leiserson"}};
  if (!options.choices.empty() && !made.routing.choices)
    throw Refused{{"these tables have no weights of LID offsets",
                   {},
                   0,
                   "with an LMC above 0, use --engine dragonfly-rlm on a dragonfly, or --engine flows and --flows"}};
  for (const std::string& warning : made.routing.warnings) warn(warning);
  if (made.proof.ok()) return;
  fmt::print(stderr, "{}espalier: the tables of {} are unsound and were not written\n", describe(made.proof),
             options.engine);
  throw AnswerIsNo{};
}

void refuse_outputs(const RouteOptions& options) {
  refuse_mixed_output(options.json, options.output);
  refuse_one_output_for_two({{"--output", options.output.empty() ? "-" : options.output},
                             {"--json", options.json ? "-" : ""},
                             {"--lanes", options.lanes},
                             {"--save-reference", options.reference},
                             {"--alternatives", options.alternatives},
                             {"--lid-choices", options.choices},
                             {"--source-offsets", options.source_offsets}});
}

void write_all(const RouteOptions& options, const FatTree& tree, const HostOrder& order, const Routing& routing) {
  const Fabric& fabric = tree.fabric();
  save_lanes(options.lanes, fabric, routing.lanes);
  save_tables(options.output, fabric, routing.tables);
  if (!options.reference.empty())
    save_text(options.reference, write_reference(make_reference(options.engine, tree, routing.tables,
                                                                hosts_in_order(tree, order), routing.lanes)));
  if (!options.alternatives.empty())
    save_text(options.alternatives, write_alternatives(fabric, value_or_refuse(find_alternatives(tree, routing))));
  if (!options.choices.empty()) save_text(options.choices, write_lid_choices(fabric, *routing.choices));
  if (!options.source_offsets.empty())
    save_text(options.source_offsets, write_source_offsets(fabric, *routing.source_offsets));
}

// Milliseconds of the steps that are over before the engine begins.
struct Preparation {
  double read_ms = 0;
  double rank_ms = 0;
};

nlohmann::ordered_json summary_of(const RouteOptions& options, const Fabric& fabric, const Preparation& preparation,
                                  const VerifiedRouting& made) {
  nlohmann::ordered_json summary{{"engine", options.engine}};
  summary.update(size_of(fabric));
  summary["top_lid"] = index(fabric.top_lid());
  summary["vls"] = num_vls(made.routing.lanes);
  summary["read_ms"] = preparation.read_ms;
  summary["rank_ms"] = preparation.rank_ms;
  summary["route_ms"] = made.route_ms;
  if (options.verify) summary["verify_ms"] = made.verify_ms;
  summary["verified"] = options.verify;
  summary["warnings"] = made.routing.warnings;
  return summary;
}

void route_command(const CLI::App& command, const RouteOptions& options) {
  refuse_outputs(options);
  Stopwatch watch;
  const RankOptions rank_options = load_rank_options(options.roots, options.node_types.compute, options.switch_rules);
  const Fabric fabric = load_fabric(options.input, options.lmc);
  refuse_no_switches(fabric, options.input);
  Preparation preparation{.read_ms = watch.lap()};
  const FatTree tree = with_threads(options.threads, [&] { return value_or_refuse(rank(fabric, rank_options)); });
  preparation.rank_ms = watch.lap();
  const EngineOptions told = engine_options(command, options, tree);
  const ProgressBar bar(fmt::format("route: {}", options.engine));
  const VerifiedRouting made =
      with_threads(options.threads, [&] { return value_or_refuse(compute(options, tree, told)); });
  check_tables(options, made);
  write_all(options, tree, told.host_order, made.routing);
  tell(fmt::format("{}: {}, {}, top LID {}: read {:.1f} ms, rank {:.1f} ms, route {:.1f} ms{}; hosts numbered by {}",
                   options.engine, counted(fabric.num_switches(), "switch", "switches"),
                   counted(fabric.num_endports(), "end port"), index(fabric.top_lid()), preparation.read_ms,
                   preparation.rank_ms, made.route_ms,
                   options.verify ? fmt::format(", verify {:.1f} ms", made.verify_ms) : "", told.host_order.basis));
  if (options.json) print_json(summary_of(options, fabric, preparation, made));
}

void add_fabric_options(CLI::App& route, RouteOptions& options) {
  route.add_option("NET", options.input, "Net file or ibnetdiscover text; - is standard input")->required();
  add_engine_option(route, options.engine, "Routing engine")->capture_default_str();
  route
      .add_option(
          "--lmc", options.lmc,
          "Give each end port 2^LMC LIDs; keeps the LIDs of the file where there is room for them, else reassigns "
          "all")
      ->check(CLI::Range(0, 7));
  add_rank_options(route, options.roots, options.node_types.compute);
  add_switch_rules_option(route, options.switch_rules);
  add_node_type_options(route, options.node_types);
  add_host_order_option(route, options.host_order, "How jobs number hosts, for engines that route by these numbers");
}

void add_files_beside_tables(CLI::App& route, RouteOptions& options) {
  add_lanes_to_write(route, options.lanes, "the engine uses none");
  route.add_option(
      "--lid-choices", options.choices,
      "File to write, for hosts that choose LIDs and for --lid-offset of analyze and simulate: the weights with "
      "which sources should use the LIDs of a destination; needs an LMC above 0, and dragonfly-rlm, or flows with "
      "--flows (known flows are then spread over LIDs)");
  route.add_option("--alternatives", options.alternatives,
                   "File to write: for each switch and LID all ports on a shortest legal path, deadlock-free together, "
                   "for switches with adaptive routing and for verify --alternatives");
}

void add_search_options(CLI::App& route, RouteOptions& options) {
  route.add_option("--seed", options.engine_options.seed, "Seed of the random engines")->capture_default_str();
  route
      .add_option("--balance-ms", options.engine_options.balance_ms,
                  "For balanced: rough limit in milliseconds; the tables depend on this number, not on the clock")
      ->check(CLI::Range(0, 60'000))
      ->capture_default_str();
  route
      .add_option(
          "--objective", options.objective,
          "For balanced: what to optimize, a list of sp, rp, a2a, matrix (of --flows), phase and offsets, each with or "
          "without =WEIGHT")
      ->default_str("sp,rp,matrix,phase,offsets");
}

void add_switch_path_options(CLI::App& route, EngineOptions& options) {
  route
      .add_option("--switch-paths", options.switch_paths.how,
                  "How to connect pairs without an up-down path, mostly spines: over a subtree, by routing everything "
                  "up*/down* from one root, or not at all")
      ->transform(named(kSwitchPathsNames));
  route
      .add_option("--sftree-base", options.sftree_base, "For sftree: the engine that routes pairs with an up-down path")
      ->transform(named(kSftreeBaseNames));
}

void add_gxmodk_options(CLI::App& route, EngineOptions& options) {
  route
      .add_option("--gxmodk-mode", options.gxmodk_mode,
                  "How gxmodk numbers hosts: interleaved, grouped, or auto (by --storage-share)")
      ->transform(named(kGxmodkModeNames));
  route
      .add_option("--storage-share", options.storage_share,
                  "For --gxmodk-mode auto: share of the traffic that goes to types with few hosts")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void add_source_offsets(CLI::App& route, std::string& path) {
  route.add_option(
      "--source-offsets", path,
      "File to write: a number per host, from which sources compute LID offsets, for hosts and for analyze "
      "--lid-offset; only with gxmodk in mode grouped (Gsmodk) or leiserson, and an LMC above 0");
}

}  // namespace

void add_route(CLI::App& app) {
  const auto options = std::make_shared<RouteOptions>();
  CLI::App* route = app.add_subcommand("route", "Compute forwarding tables");
  add_fabric_options(*route, *options);
  add_gxmodk_options(*route, options->engine_options);
  add_source_offsets(*route, options->source_offsets);
  add_vls_option(*route, options->engine_options.max_vls);
  route->add_option("--flows", options->flows,
                    "For engines balanced and flows: a file of known flows with lines \"source destination [weight]\", "
                    "where hosts are given by GUID, LID or name");
  add_files_beside_tables(*route, *options);
  add_threads_option(*route, options->threads, "The tables do not depend on it");
  add_search_options(*route, *options);
  add_switch_path_options(*route, options->engine_options);
  route->add_option(
      "--sm", options->subnet_manager,
      "Host of the subnet manager, by GUID, LID or description; switches avoid its leaf when they send to each other");
  route->add_flag("--verify", options->verify,
                  "Prove the tables sound before writing them; exit with 1 if they are not");
  route->add_option("--save-reference", options->reference,
                    "File to write: fabric, tables and virtual lanes, for `espalier repair` after a fault");
  route->add_option("-o,--output", options->output,
                    "Tables to write, in the format of opensm-lfts.dump; default: standard output");
  add_summary_option(*route, options->json, "the engine, the size of the fabric, virtual lanes and milliseconds");
  route->footer(
      "OpenSM loads the tables with `opensm -R file -U LFTS`. Into NAME.gz they are compressed; "
      "into NAME.tables in the\ncompact format of Espalier, a thousandth of the size, "
      "which all subcommands read and convert --to lfts turns back.\n"
      "Example:\n  espalier route big.net --engine dmodc --verify -o big.lfts");
  route->callback([options, route] { route_command(*route, *options); });
}

}  // namespace espalier::tools
