// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier graph`: what a graph of switches is worth, before cables, ports and routes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/fabric/endport_role.h"
#include "core/fabric/generators/generators.h"
#include "core/graphs/bounds.h"
#include "core/graphs/metrics.h"
#include "core/io/export/json_text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/progress_bar.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct GraphOptions {
  std::string spec;
  std::string paths;
  KspTies ties = KspTies::kRandom;
  std::uint64_t seed = 0;  // as in espalier generate
  unsigned bisections = 8;
  bool json = false;
};

struct Subject {
  explicit Subject(Digraph of) : graph(std::move(of)), degree(common_degree(graph)) {
    if (graph.num_nodes() >= 2 && degree.value_or(0) >= 2) regular = RegularGraph{graph.num_nodes(), *degree};
  }
  [[nodiscard]] static std::optional<std::size_t> common_degree(const Digraph& graph) {
    if (graph.num_nodes() == 0) return std::nullopt;
    const std::size_t first = graph.heads(NodeId{0}).size();
    for (const NodeId u : graph.nodes())
      if (graph.heads(u).size() != first) return std::nullopt;
    return first;
  }

  Digraph graph;
  std::optional<std::size_t> degree;    // where all nodes have the same
  std::optional<RegularGraph> regular;  // the (n, r) of which the lemmas speak, where it is one
  std::uint64_t hosts = 0;              // of all switches
  std::uint32_t hosts_per_switch = 0;   // where all switches have the same number
  bool is_gdbg = false;                 // and regular
};

PathRule rule_of(const GraphOptions& options, const Subject& subject) {
  PathRule rule;
  if (!options.paths.empty())
    rule = value_or_refuse(adapted_to(subject.graph, value_or_refuse(parse_path_rule(options.paths))));
  else if (subject.is_gdbg)
    rule = {PathRule::Kind::kAllUpTo, gdbg_diameter(*subject.regular)};
  rule.ties = options.ties;
  rule.seed = options.seed;
  return rule;
}

// The mean over pairs of hosts, where two of one switch have one path; 0 where there is no pair.
double mean_between_hosts(double mean, double n, double p) {
  return n * p > 1 ? (mean * (n - 1) * p + (p - 1)) / (n * p - 1) : 0;
}

// Only those that hold: the lemmas speak of paths for every pair, and of ksp:K of K for each.
Json bounds_of(const Subject& subject, const PathRule& rule, const Distances& distance, const PathMetrics& metrics) {
  Json bounds = Json::object();
  if (!subject.regular) return bounds;
  const RegularGraph g = *subject.regular;
  if (distance.unreached == 0) {
    bounds["diameter_min"] = least_diameter(g);
    bounds["mean_distance_min"] = least_mean_distance(g, 1);
  }
  if (rule.kind == PathRule::Kind::kKShortest && metrics.least_paths >= rule.parameter)
    bounds["mean_length_min"] = least_mean_distance(g, rule.parameter);
  if (rule.kind == PathRule::Kind::kAllUpTo) bounds["least_paths_max"] = most_paths_of_every_pair(g, rule.parameter);
  if (metrics.least_paths > 0) bounds["max_load_min"] = least_max_load(g);
  if (!subject.is_gdbg) return bounds;
  bounds["gdbg_diameter_max"] = gdbg_diameter(g);
  bounds["gdbg_mean_distance_max"] = gdbg_mean_distance(g, 1);
  bounds["gdbg_least_walks"] = gdbg_least_walks(g);
  bounds["gdbg_max_load_max"] = gdbg_max_load(g);
  bounds["gdbg_max_load_estimate"] = gdbg_max_load_estimate(g);
  return bounds;
}

// Without decimals where the digits are exact.
Json count(double paths) {
  constexpr double kMostExact = 9007199254740992;
  return paths < kMostExact ? Json(static_cast<std::uint64_t>(paths)) : Json(paths);
}

// Each path is visited, and with each hop there are more.
void warn_of_many_paths(const Digraph& graph, const PathRule& rule, std::uint32_t diameter) {
  constexpr std::uint64_t kMany = 1'000'000'000;
  if (rule.kind != PathRule::Kind::kAllUpTo || graph.num_nodes() == 0) return;
  const std::uint64_t most = kMany / graph.num_nodes();
  if (count_paths(graph, NodeId{0}, rule.parameter, most) == most)
    warn(
        fmt::format("there are more than {} paths of at most {} hops from a single switch: to visit all takes minutes "
                    "to years; --paths with fewer hops (the diameter is {}), or with ksp:K, is faster",
                    most, rule.parameter, diameter));
}

Json report(const Subject& subject, const GraphOptions& options) {
  const Digraph& graph = subject.graph;
  const PathRule rule = rule_of(options, subject);
  const auto under_bar = [](const char* what, auto measure) {
    ProgressBar bar(what);
    return measure(bar.progress());
  };
  const Distances distance = under_bar("distances", [&](Progress* progress) { return distances(graph, progress); });
  warn_of_many_paths(graph, rule, distance.diameter);
  const PathMetrics metrics =
      under_bar("paths", [&](Progress* progress) { return path_metrics(graph, rule, progress); });
  if (metrics.left_some_out)
    warn(
        fmt::format("of some pairs only the first {} equally long paths were looked at; counts and loads of paths are "
                    "not those of all",
                    PathFinder::kMostPaths));
  const auto n = static_cast<double>(graph.num_nodes());
  Json result;
  result["switches"] = graph.num_nodes();
  result["hosts"] = subject.hosts;
  result["arcs"] = graph.num_arcs();
  result["degree"] = subject.degree ? Json(*subject.degree) : Json(nullptr);
  result["loops"] = count_loops(graph);
  result["diameter"] = distance.diameter;
  result["mean_distance"] = distance.mean;
  result["unreached_pairs"] = distance.unreached;
  result["hop_limit"] = rule.kind == PathRule::Kind::kAllUpTo ? Json(rule.parameter) : Json(nullptr);
  result["mean_paths"] = metrics.mean_paths;
  result["min_paths"] = count(metrics.least_paths);
  result["max_paths"] = count(metrics.most_paths);
  if (subject.hosts_per_switch > 0)
    result["mean_paths_hosts"] = mean_between_hosts(metrics.mean_paths, n, subject.hosts_per_switch);
  result["mean_path_length"] = metrics.mean_length;
  result["max_load"] = metrics.max_load;
  result["mean_load"] = metrics.mean_load;
  if (options.bisections > 0 && graph.num_nodes() >= 2) {
    const auto width = under_bar("bisection", [&](Progress* progress) {
      return bisection_width(graph, options.bisections, options.seed, progress);
    });
    result["bisection"] = width;
    result["bisection_per_switch"] = static_cast<double>(width) / (n / 2);
  }
  result["bounds"] = bounds_of(subject, rule, distance, metrics);
  return result;
}

void print_graph(const Json& result, bool json) {
  if (json) return fmt::print("{}\n", json_text(result));
  for (const auto& [key, value] : result.items()) {
    if (!value.is_object()) {
      fmt::print("{:<24} {}\n", key, json_text(value));
      continue;
    }
    for (const auto& [inner, bound] : value.items()) fmt::print("{:<24} {}\n", "bound " + inner, json_text(bound));
  }
}

void add_options(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--paths", options.paths,
                  "Which paths count: min, ksp:K, allpath:H or gdbg (one per pair, by its arithmetic); default: for "
                  "gdbg allpath with its guaranteed "
                  "diameter, otherwise min")
      ->type_name("PATHS");
  command.add_option("--ksp-ties", options.ties, "Which of equally long paths ksp takes")
      ->transform(named(kKspTiesNames));
  command.add_option("--seed", options.seed, "Seed of the graph, of random ties and of bisections")
      ->capture_default_str();
  command
      .add_option("--bisections", options.bisections,
                  "Random halves from which the search for a bisection starts; 0: no bisection")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print one JSON object");
}

Subject subject_of(const Fabric& fabric) {
  Subject subject(digraph_of(fabric));
  std::vector<std::uint32_t> hosts(fabric.num_switches());
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (const Peer& peer = fabric.peer(c); peer.is_endport() && is_host(fabric.at(peer.as_endport())))
      ++hosts[index(fabric.source(c))];
  subject.hosts = std::accumulate(hosts.begin(), hosts.end(), std::uint64_t{0});
  const auto [least, most] = std::minmax_element(hosts.begin(), hosts.end());
  if (least != hosts.end() && *least == *most) subject.hosts_per_switch = *least;
  return subject;
}

void add_kind(CLI::App& graph_command, const Generator& generator) {
  const auto options = std::make_shared<GraphOptions>();
  CLI::App* command = graph_command.add_subcommand(std::string(generator.name), std::string(generator.source));
  command->add_option("SPEC", options->spec, fmt::format("\"{}\": {}", generator.form, generator.meaning))->required();
  add_options(*command, *options);
  command->footer(fmt::format("Example:\n  espalier graph {} \"{}\" --json", generator.name, generator.example));
  command->callback([options, command, &generator] {
    refuse_idle(*command, {"--ksp-ties"}, options->paths.starts_with("ksp:"), "--paths ksp:K");
    TopologySpec spec = value_or_refuse(generator.parse(options->spec));
    auto& network = std::get<DirectNetworkSpec>(spec);
    network.seed = options->seed;
    const DirectNetwork made = value_or_refuse(make_direct_network(network));
    Subject subject(digraph_of(made));
    subject.hosts_per_switch = made.hosts;
    subject.hosts = std::uint64_t{made.hosts} * made.switches;
    subject.is_gdbg = network.kind == DirectNetworkSpec::Kind::kDeBruijn && subject.regular;
    print_graph(report(subject, *options), options->json);
  });
}

}  // namespace

void add_graph(CLI::App& app) {
  CLI::App* command = app.add_subcommand("graph", "Measure the graph of switches: distances, paths, loads, bounds");
  command->require_subcommand(1);
  for (const Generator& generator : generators())
    if (const auto spec = generator.parse(generator.example); spec && std::holds_alternative<DirectNetworkSpec>(*spec))
      add_kind(*command, generator);
  const auto options = std::make_shared<GraphOptions>();
  CLI::App* net = command->add_subcommand("net", "Measure the switches of a fabric");
  net->add_option("NET", options->spec, "Net file or ibnetdiscover text; - is standard input")->required();
  add_options(*net, *options);
  net->footer("Example:\n  espalier graph net ibnetdiscover.txt --paths ksp:4");
  net->callback([options, net] {
    refuse_idle(*net, {"--ksp-ties"}, options->paths.starts_with("ksp:"), "--paths ksp:K");
    print_graph(report(subject_of(load_fabric(options->spec)), *options), options->json);
  });
  command->footer(
      "max_load and mean_load are for all-to-all traffic that each pair spreads evenly over its paths, in\npairs of "
      "switches per arc. gdbg and kautz are directed here; espalier generate turns their arcs into cables.\n"
      "Bounds hold for every directed graph of this size and degree; those with gdbg in their names for gdbg\n"
      "(Faizian 2018, lemmas 1 to 4 and 7 to 11). Left out are those that need more paths than some pair has.\n"
      "Example: how good is the generalized de Bruijn graph of 150 switches with 8 arcs and 4 hosts each?\n"
      "  espalier graph gdbg \"150,8,4\" --json");
}

}  // namespace espalier::tools
