// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier throughput`: what rates flows can have, on sets of paths or on tables, as linear programs have it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/congestion/traffic.h"
#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/dragonfly/detect.h"
#include "core/io/export/json_text.h"
#include "core/io/file.h"
#include "core/io/lists/path_shares_file.h"
#include "core/throughput/concurrent_flow.h"
#include "core/throughput/fabric_paths.h"
#include "core/throughput/linear_program.h"
#include "core/throughput/path_spread.h"
#include "core/throughput/water_filling.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/rate_files.h"
#include "core/tools/progress_bar.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTables = "lfts:";  // as --paths

struct ThroughputOptions {
  Source source;  // its tables: those of --paths
  std::string paths = "min";
  std::string flows;
  std::string model = "mcf";
  std::string solver = "lp";
  std::string order = "lid";
  KspTies ties = KspTies::kRandom;
  std::uint64_t seed = 1;
  double gap = 0.02;
  std::string weights;
  std::string write_paths;
  bool tie_detours = false;
  bool json = false;
};

// The number behind `prefix`, or nothing.
std::optional<std::uint64_t> prefixed_number(const std::string& word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  const auto number = parse_number<std::uint64_t>(std::string_view(word).substr(prefix.size()));
  if (!number) throw Refused{{fmt::format("\"{}\" needs a number after \"{}\"", word, prefix), {}, 0, {}}};
  return number;
}

std::vector<Flow> flows_of_ranks(const std::vector<std::uint32_t>& destinations) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < destinations.size(); ++i)
    if (destinations[i] != i) flows.push_back({i, destinations[i], 1});
  return flows;
}

std::vector<Flow> flows_of(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& word) {
  const std::size_t n = hosts.size();
  if (const auto shift = prefixed_number(word, "shift:"))
    return flows_of_ranks(shift_permutation(n, static_cast<std::uint32_t>(n == 0 ? 0 : *shift % n)));
  if (const auto seed = prefixed_number(word, "perm:")) return flows_of_ranks(random_permutation(n, *seed, 0));
  std::vector<Flow> flows = flows_in_file(fabric, hosts, word);
  std::erase_if(flows, [](const Flow& flow) { return flow.source == flow.destination || flow.weight == 0; });
  return flows;
}

// Who sends what to whom, and where.
struct Inputs {
  FabricAndTables subject;
  std::vector<EndportId> hosts;
  std::vector<Flow> flows;
};

Inputs read_inputs(const Source& source, const ThroughputOptions& options) {
  Inputs in{load(source, TablesNeed::kOptional), {}, {}};
  in.hosts = traffic_order(in.subject.fabric, options.order).hosts;
  in.flows = flows_of(in.subject.fabric, in.hosts, options.flows);
  return in;
}

// Of each switch its dragonfly group; empty where the fabric is no dragonfly.
std::vector<std::uint32_t> groups_of(const Fabric& fabric) {
  const Result<Dragonfly> dragonfly = recognize_dragonfly(fabric);
  std::vector<std::uint32_t> groups;
  if (dragonfly)
    for (const SwitchId s : fabric.switches()) groups.push_back(dragonfly->group(s));
  return groups;
}

// A set of paths of --paths, without what the fabric adds to it.
FabricPathRule parse_paths(std::string word) {
  FabricPathRule rule;
  if (word.ends_with("+vlb")) {
    rule.valiant = true;
    word.resize(word.size() - 4);
  }
  const Result<PathRule> parsed = parse_path_rule(word);
  if (!parsed)
    throw Refused{{parsed.error().message,
                   {},
                   0,
                   "write min, ksp:K, allpath:H, gdbg or lfts:FILE; +vlb may follow all but lfts"}};
  rule.rule = *parsed;
  return rule;
}

PathProblem problem_of(const Inputs& in, const ThroughputOptions& options) {
  const Fabric& fabric = in.subject.fabric;
  if (in.subject.tables) return table_paths(fabric, *in.subject.tables, in.hosts, in.flows);
  FabricPathRule rule = parse_paths(options.paths);
  if (rule.rule.kind == PathRule::Kind::kDeBruijn)
    rule.rule = value_or_refuse(adapted_to(digraph_of(fabric), rule.rule));
  rule.rule.ties = options.ties;
  rule.rule.seed = options.seed;
  rule.groups = groups_of(fabric);
  ProgressBar bar("paths");
  return fabric_paths(fabric, in.hosts, in.flows, rule, bar.progress());
}

// Exact programs grow faster than the square of the flows.
void warn_of_many_flows(const PathProblem& problem, const ThroughputOptions& options) {
  constexpr std::size_t kMany = 5000;
  if (problem.num_flows() <= kMany) return;
  const char* const faster = options.tie_detours      ? "fewer flows, with --flows,"
                             : options.model == "mmf" ? "--solver even, where flows split evenly,"
                                                      : "--solver fptas, as near as --gap says,";
  warn(fmt::format("an exact linear program of {} takes minutes to days; {} is faster",
                   counted(problem.num_flows(), "flow"), faster));
}

FlowRates exact_rates(const PathProblem& problem, const ThroughputOptions& options) {
  const std::string& model = options.model;
  warn_of_many_flows(problem, options);
  ProgressBar bar(model);
  return value_or_refuse(model == "mmf" ? max_min_fair_rates(problem, bar.progress())
                                        : maximum_concurrent_flow(problem, bar.progress()));
}

FlowRates solve(const PathProblem& problem, const ThroughputOptions& options) {
  const bool single = std::adjacent_find(problem.first_path.begin(), problem.first_path.end(),
                                         [](auto a, auto b) { return b - a > 1; }) == problem.first_path.end();
  if (options.model == "mmf" && (single || options.solver == "even")) return water_filling(problem);
  if (options.solver == "even") throw Refused{{"--solver even works only with --model mmf", {}, 0, {}}};
  if (options.solver == "fptas") {
    if (options.model == "mmf")
      throw Refused{{"--solver fptas does not support --model mmf", {}, 0, "use --solver lp or even"}};
    ProgressBar bar(options.model);
    return approximate_concurrent_flow(problem, options.gap, bar.progress());
  }
  return exact_rates(problem, options);
}

bool writes_paths(const ThroughputOptions& options) { return !options.weights.empty() || !options.write_paths.empty(); }

// With one rate for all detours of a flow, if that is asked for.
FlowRates solve_tied(const PathProblem& problem, const ThroughputOptions& options) {
  if (!options.tie_detours) return solve(problem, options);
  if (options.solver != "lp") throw Refused{{"--tie-detours needs --solver lp", {}, 0, {}}};
  const PathProblem tied = with_tied_detours(problem);
  FlowRates rates = exact_rates(tied, options);
  rates.of_path = untied_rates(problem, tied, rates.of_path);
  return rates;
}

std::size_t flows_without_path(const PathProblem& problem) {
  std::size_t count = 0;
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    count += problem.first_path[f] == problem.first_path[f + 1] ? 1 : 0;
  return count;
}

// What --paths names: tables, or one or several sets of paths with commas between them.
std::vector<std::string> path_words(const ThroughputOptions& options) {
  if (!options.source.tables.empty()) return {fmt::format("{}{}", kTables, options.source.tables)};
  if (options.paths.starts_with(kTables)) return {options.paths};
  std::vector<std::string> words;
  for (const std::string_view word : split(options.paths, ',')) (void)parse_paths(words.emplace_back(word));
  if (words.size() > 1 && !options.write_paths.empty())
    throw Refused{{"paths are written of one set", options.write_paths, 0, "give a single set with --paths"}};
  return words;
}

// For one set of paths.
Json report(const Inputs& in, const ThroughputOptions& options) {
  const auto& [subject, hosts, flows] = in;
  Stopwatch watch;
  const PathProblem problem = problem_of(in, options);
  if (problem.left_some_out)
    warn(fmt::format("of some pairs only the first {} equally long paths were looked at", PathFinder::kMostPaths));
  FlowRates rates = solve_tied(problem, options);
  if (options.solver == "lp" && !options.tie_detours && writes_paths(options)) {
    ProgressBar bar("spread");
    spread_over_paths(problem, rates, bar.progress());
  }
  if (!options.weights.empty())
    succeed_or_refuse(write_file(options.weights, weights_text(subject.fabric, hosts, flows, problem, rates)));
  if (!options.write_paths.empty())
    succeed_or_refuse(
        write_file(options.write_paths, write_path_shares(subject.fabric, path_shares(hosts, flows, problem, rates))));
  const auto& of_flow = rates.of_flow;
  const double total = std::reduce(of_flow.begin(), of_flow.end());
  Json result;
  result["model"] = options.model;
  result["paths"] = options.paths;
  result["hosts"] = hosts.size();
  result["flows"] = flows.size();
  result["num_paths"] = problem.num_paths();
  result["unrouted"] = flows_without_path(problem);
  result["total"] = total;
  result["mean"] = of_flow.empty() ? 0 : total / static_cast<double>(of_flow.size());
  result["min"] = of_flow.empty() ? 0 : *std::min_element(of_flow.begin(), of_flow.end());
  result["jain"] = jain_index(of_flow);
  result["bound_low"] = rates.bound_low;
  result["bound_high"] = rates.bound_high;
  result["ms"] = watch.lap();
  result["per_flow"] = of_flow;
  return result;
}

void print_throughput(const Json& result, bool json) {
  if (json) return fmt::print("{}\n", json_text(result));
  for (const auto& [key, value] : result.items())
    if (!value.is_array())
      fmt::print("{:<12} {}\n", key, value.is_string() ? printable(value.get<std::string>()) : json_text(value));
}

void throughput_command(const ThroughputOptions& options) {
  const std::vector<std::string> words = path_words(options);
  const bool of_tables = words.front().starts_with(kTables);
  if (!options.weights.empty() && !of_tables)
    throw Refused{{"--weights are over the LID offsets of tables", {}, 0, "give them with --paths lfts:FILE"}};
  if (!options.write_paths.empty() && of_tables)
    throw Refused{{"--write-paths is not for tables", {}, 0, "use --weights, and simulate with --lid-offset"}};
  Source source = options.source;
  if (of_tables) source.tables = words.front().substr(kTables.size());
  const Inputs in = read_inputs(source, options);
  for (const std::string& word : words) {
    ThroughputOptions one = options;
    one.paths = word;
    print_throughput(report(in, one), options.json);
  }
}

constexpr const char* kThroughputFooter =
    "--paths min        all shortest paths; in a dragonfly local, global, local\n"
    "        min+vlb    also those over any third switch (Valiant); +vlb goes with ksp and allpath as well\n"
    "        ksp:K      the K shortest; --ksp-ties says which of equally long ones\n"
    "        allpath:H  all simple paths of at most H hops between switches\n"
    "        gdbg       one for each pair, by the arithmetic of generalized de Bruijn graphs\n"
    "        lfts:FILE  those of forwarding tables, with all LIDs of a destination\n"
    "        min,ksp:8  several of these, but lfts, with commas between them: a result for each\n"
    "--flows shift:S    host i sends to host i + S, modulo the number of hosts; perm:SEED is a random permutation;\n"
    "                   FILE has lines \"source destination [weight]\"\n"
    "--model mcf        maximum concurrent flow: the most that all flows can have at once, in the ratio of weights\n"
    "        mmf        max-min fair rates\n"
    "Rates are in units of the fastest link of a host. per_flow is in the order of the flows, without those of weight "
    "0\n"
    "and of a host to itself; bound_low and bound_high enclose the most that all flows can have at once, with "
    "--solver\n"
    "even if each splits evenly, and are equal where the answer is exact.\n"
    "Example: how far is a Jellyfish from the best for a random permutation?\n"
    "  espalier throughput jellyfish.net --paths ksp:8 --flows perm:1001 --model mcf";

}  // namespace

void add_throughput(CLI::App& app) {
  const auto options = std::make_shared<ThroughputOptions>();
  CLI::App* command =
      app.add_subcommand("throughput", "Compute the rates that flows can have over sets of paths or tables");
  command->add_option("NET", options->source.net, "Net file or ibnetdiscover text; - is standard input")->required();
  CLI::Option* tables = command->add_option("LFTS", options->source.tables, "Forwarding tables: as --paths lfts:LFTS");
  command->add_option("--lmc", options->source.lmc, "Give each end port 2^LMC LIDs, as when the tables were computed")
      ->check(CLI::Range(0, 7));
  command->add_option("--paths", options->paths, "Which paths flows may use; see below")
      ->type_name("PATHS")
      ->capture_default_str()
      ->excludes(tables);
  command->add_option("--flows", options->flows, "Who sends to whom; see below")->type_name("FLOWS")->required();
  command->add_option("--model", options->model, "mcf or mmf")
      ->check(CLI::IsMember({"mcf", "mmf"}))
      ->capture_default_str();
  command
      ->add_option("--solver", options->solver,
                   "lp: exact; fptas: mcf within --gap, for large fabrics; even: mmf of flows that split evenly")
      ->check(CLI::IsMember({"lp", "fptas", "even"}))
      ->capture_default_str();
  command->add_option("--gap", options->gap, "How far bound_high may be above bound_low, as a share; for fptas")
      ->check(CLI::Range(0.001, 0.5))
      ->capture_default_str();
  command->add_option("--ksp-ties", options->ties, "Which of equally long paths ksp takes")
      ->transform(named(kKspTiesNames));
  command->add_option(
      "--weights", options->weights,
      "File to write, with --paths lfts:FILE: the weights with which each source should use the LID "
      "offsets of each destination, for hosts that stripe over them and for --lid-offset of analyze and simulate");
  command->add_option("--write-paths", options->write_paths,
                      "File to write: the paths that flows use and their rates, spread over many paths, for simulate "
                      "--packets --paths");
  command->add_flag("--tie-detours", options->tie_detours,
                    "All detours of a flow share one rate (SDN-model of Faizian 2018), which large problems need; "
                    "without it each path has its own (SDN-optimal)");
  add_host_order_option(*command, options->order, "Order of the hosts");
  command->add_option("--seed", options->seed, "Seed of random ties")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object per set of paths, each on one line");
  command->footer(kThroughputFooter);
  command->callback([options, command] {
    refuse_idle(*command, {"--gap"}, options->solver == "fptas", "--solver fptas");
    refuse_idle(*command, {"--ksp-ties"}, options->paths.find("ksp:") != std::string::npos, "--paths ksp:K");
    throughput_command(*options);
  });
}

}  // namespace espalier::tools
