// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier analyze`: the static congestion metrics of tables from any source (core/analysis/congestion/congestion.h).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/extra_measurements.h"
#include "core/tools/measure/figures_text.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct AnalyzeOptions {
  Source source;
  std::string patterns = "a2a,sp,rp:1000";
  std::string order = "names";
  std::string lids = "0";
  NodeTypeOptions node_types;
  std::vector<std::string> also{"distances"};
  std::uint64_t seed = 1;
  LaneFiles lanes;
  unsigned threads = 0;
  bool bound = false;
  bool json = false;
};

constexpr std::array<std::pair<std::string_view, Extra>, 6> kExtras{{{"distances", Extra::kDistances},
                                                                     {"lengths", Extra::kLengths},
                                                                     {"ksp", Extra::kKsp},
                                                                     {"levels", Extra::kLevels},
                                                                     {"balance", Extra::kBalance},
                                                                     {"disjoint", Extra::kDisjoint}}};

std::set<Extra> extras(const std::vector<std::string>& words) {
  std::set<Extra> also;
  for (const std::string& word : words)
    for (const auto& [name, extra] : kExtras)
      if (name == word) also.insert(extra);
  return also;
}

void refuse_idle_beside_patterns(const CLI::App& command, const std::vector<TrafficPattern>& patterns) {
  using Kind = TrafficPattern::Kind;
  const auto any_of = [&](const std::set<Kind>& kinds) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return kinds.contains(p.kind); });
  };
  refuse_idle(command, {"--node-types", "--io-guids"}, any_of({Kind::kTypePhases}), "--patterns phase:A:B");
  refuse_idle(command, {"--bound"},
              any_of({Kind::kAllToAll, Kind::kShifts, Kind::kRandomPermutations, Kind::kTypePhases}),
              "the patterns a2a, sp, rp and phase");
}

void analyze(const CLI::App& command, const AnalyzeOptions& options) {
  const std::vector<TrafficPattern> patterns = patterns_or_refuse(options.patterns);
  refuse_idle_beside_patterns(command, patterns);
  const FabricAndTables loaded = load(options.source, TablesNeed::kRequired);
  const Fabric& fabric = loaded.fabric;
  const std::optional<ForwardingTables>& tables = loaded.tables;
  const HostOrder order = traffic_order(fabric, options.order);
  const std::vector<EndportId>& hosts = order.hosts;
  MeasureOptions more{.lids = lid_use(fabric, hosts, options.lids), .also = extras(options.also), .order = order};
  if (options.bound) more.also.insert(Extra::kBound);
  if (options.node_types.given()) more.types = load_node_types(fabric, options.node_types);
  Json result = measure({fabric, *tables, hosts}, patterns, options.seed, more);
  if (const std::optional<Lanes> lanes = load_lanes(loaded, options.lanes))
    add_lane_loads(result, {fabric, *tables, hosts}, *lanes, more.lids);
  for (const auto& [key, value] : result.items())
    if (key.starts_with("unrouted_"))
      warn(fmt::format("{}: {} not delivered; run espalier verify to see why", key.substr(9),
                       counted(value.get<std::uint64_t>(), "flow")));
  if (options.json) return print_json(result);
  fmt::print("{}", analysis_text(result));
}

constexpr const char* kAnalyzeFooter =
    R"(Patterns (Gliksberg 2022, sections in brackets); hosts are numbered by --host-order:
  a2a            every host sends to every other [2.2.1]
  sp[:STEP]      shifts: host i sends to i + k; every STEP-th k [2.3.2]
  rp[:R]         R random permutations [2.3.2]; R = auto[:SE] instead of a number, here and below: until the
                 standard error of the mean of mu is at most SE flows (default 0.05), at most 100000 draws
  bisect[:R]     random halves, each host of one sends to one of the other [2.2.1]; bibisect[:R]: both ways
  ring[:R]       rings in random order, each host sends to the next [2.2.1]; biring[:R]: both ways
  scatter        one host sends to all, each host in turn; gather: all send to one [2.2.1]
  phase:A:B      hosts of type A send to those of type B, and back: phase k pairs them shifted by k [3.3]; types
                 are those of --node-types and --io-guids (io, compute); any other word is a file of hosts
  matrix:FILE    an application's flows, in lines `source destination [weight]` [2.2.1]
  advg:N         on a dragonfly: hosts of group i send to all of group i + N; advl:N: those of router i to all of
                 router i + N in the group; mixed:N:M:P: P percent of each host's rate as advg:N, the rest as
                 advl:M; load: the most on a channel, throughput: the rate at which it is full [Garcia 2013]
Figures: flows on the fullest channel, in full rates of one host; links of hosts are left out. Under --json they are:
  mu_sp_max      worst shift; mu_sp_mean: mean over shifts
  mu_rp_median   random; _q1 and _q3: quartiles; 95 % of the draws are from _q40_1 to _q40_39, the 1st and 39th
                 40-quantile [2.3.2]; likewise mu_ring_median and so on
  mu_a2a         ends: the most, over all channels, of min(sources, destinations) of the channel's flows, which for
                 permutations are the flows themselves; 1 is perfect [2.3.1]
  Xi_a2a         flows on the fullest channel; xi_a2a: with links of hosts [2.3]
  _per_capacity  by capacity: divided by what the channel carries, in full rates of a host (host_rate); shown where
                 capacities differ: 2 flows on a link of half the speed are 4
  nu             links on a path, mean; diameter: most; detours: pairs not on a shortest path [2.3.3]
  lengths        pairs of hosts by the links of their paths, those of the hosts included
  vls, sls, lanes  with --lanes: how many are used; of each lane under all-to-all the channels that use it, the most
                   flows on one of them, and its share of all flows times hops
  ksp            of the K shortest paths between switches with hosts, K the number of LIDs of a host: how many the
                 LIDs lead over (realized), how many different paths they have at all (distinct)
  levels_a2a     for each level and direction of the tree how many channels carry how much
  balance        LIDs of all end ports per port, as OpenSM's console (switchbalance) judges it: a switch is
                 unbalanced when two ports to switches differ by more than 1; up: of ports upward alone
  disjoint       ordered pairs of hosts on different switches, by how many of the paths to the LIDs of a host share
                 no switch in between; and how many of them any single fault leaves a path
  bound          at least: what no tables that go up, then down can be below: from cuts between pods; of a2a and sp
                 only where traffic is spread over several LIDs of a host
Example: shifts and 200 random permutations
  espalier analyze tree.net tree.lfts --patterns sp,rp:200
Example: what a job on these nodes would see
  scontrol show hostnames > nodes; espalier analyze tree.net tree.lfts --host-order nodes --patterns sp,biring)";

}  // namespace

void add_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand("analyze", "Measure the congestion risk of tables under traffic patterns");
  add_source(*command, options->source, TablesNeed::kRequired);
  command->add_option("--patterns", options->patterns, "Comma-separated patterns; see below")->capture_default_str();
  add_host_order_option(
      *command, options->order,
      "How jobs number hosts; with files, only the hosts in them take part, and each file is also measured by itself");
  command
      ->add_option(
          "--lid-offset", options->lids,
          "With an LMC above 0, which LID of the destination traffic uses: an offset, all (each flow split "
          "evenly over all LIDs), a range such as 1-7 (split evenly over these), weights:1,2,2,2 (those of "
          "offsets 0, 1, ...: whole numbers), or a file with lines `source "
          "destination offset`, with weights by pair of hosts from route --lid-choices or throughput --weights, "
          "or from route --source-offsets")
      ->capture_default_str();
  add_node_type_options(*command, options->node_types);
  command
      ->add_option("--also", options->also,
                   "More measurements, comma-separated: distances, lengths, ksp, levels, balance, disjoint")
      ->delimiter(',')
      ->check(CLI::IsMember({"distances", "lengths", "ksp", "levels", "balance", "disjoint"}))
      ->capture_default_str();
  add_lane_options(*command, options->lanes);
  command->add_flag("--bound", options->bound,
                    "Also compute the least that any tables could achieve on this fabric, for a2a, sp, rp and phase");
  command->add_option("--seed", options->seed, "Seed of the random patterns")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object instead of lines");
  add_threads_option(*command, options->threads);
  command->footer(kAnalyzeFooter);
  command->callback([options, command] { with_threads(options->threads, [&] { analyze(*command, *options); }); });
}

}  // namespace espalier::tools
