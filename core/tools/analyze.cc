// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier analyze`: the static congestion metrics of anybody's tables (core/analysis/congestion.h).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/congestion.h"
#include "core/analysis/host_routes.h"
#include "core/analysis/traffic.h"
#include "core/io/guid_file.h"
#include "core/io/lft_dump.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tree/node_order.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct AnalyzeOptions {
  std::string net;
  std::string tables;
  std::string patterns = "a2a,sp,rp:1000";
  std::string order = "topological";
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool json = false;
};

// The hosts in the order of a file of port GUIDs. Each has to be in the fabric, once.
std::vector<EndportId> hosts_of_file(const Fabric& fabric, const std::string& path) {
  std::unordered_map<std::uint64_t, EndportId> by_guid;
  for (const EndportId e : fabric.endports()) by_guid.emplace(index(fabric.at(e).port_guid), e);
  std::vector<EndportId> hosts;
  std::set<Guid> seen;
  for (const GuidLine& line : value_or_refuse(read_guid_lines(load_text(path), path))) {
    const auto it = by_guid.find(index(line.guid));
    const bool twice = !seen.insert(line.guid).second;
    if (it == by_guid.end() || twice)
      throw Refused{{fmt::format("port GUID 0x{:016x} {}", index(line.guid),
                                 twice ? "stands here for the second time" : "is no end port of the fabric"),
                     path,
                     line.line,
                     {}}};
    hosts.push_back(it->second);
  }
  return hosts;
}

std::vector<EndportId> ordered_hosts(const Fabric& fabric, const std::string& order) {
  if (order != "topological" && order != "lid") return hosts_of_file(fabric, order);
  const FatTree tree = value_or_refuse(rank(fabric));
  if (order == "topological") return topological_order(tree, UpDownCosts(tree)).hosts;
  std::vector<EndportId> hosts;
  for (const SwitchId s : fabric.switches()) hosts.insert(hosts.end(), tree.hosts(s).begin(), tree.hosts(s).end());
  std::sort(hosts.begin(), hosts.end(), [&](EndportId a, EndportId b) { return fabric.at(a).lid < fabric.at(b).lid; });
  return hosts;
}

void add_result(Json& result, const HostRoutes& routes, const TrafficPattern& pattern, std::uint64_t seed) {
  std::uint64_t unrouted = 0;
  switch (pattern.kind) {
    case TrafficPattern::Kind::kAllToAll: {
      const AllToAllRisk risk = all_to_all_risk(routes);
      result["xi_a2a"] = risk.xi;
      result["Xi_a2a"] = risk.xi_switches;
      result["mu_a2a"] = risk.mu;
      unrouted = risk.unrouted;
      break;
    }
    case TrafficPattern::Kind::kShifts: {
      const RiskDistribution risk = shift_risk(routes, pattern.parameter);
      result["mu_sp_max"] = risk.max();
      result["mu_sp_mean"] = risk.mean();
      unrouted = risk.unrouted;
      break;
    }
    case TrafficPattern::Kind::kRandomPermutations: {
      const RiskDistribution risk = random_risk(routes, pattern.parameter, seed);
      result["mu_rp_median"] = risk.median();
      result["mu_rp_q1"] = risk.quantile(0.25);
      result["mu_rp_q3"] = risk.quantile(0.75);
      result["mu_rp_mean"] = risk.mean();
      result["mu_rp_max"] = risk.max();
      unrouted = risk.unrouted;
      break;
    }
  }
  if (unrouted > 0) warn(fmt::format("{}: {} flows do not arrive; espalier verify says why", pattern.text(), unrouted));
}

std::vector<TrafficPattern> patterns_of(const std::string& list) {
  const std::vector<TrafficPattern> patterns = value_or_refuse(parse_patterns(list));
  std::set<TrafficPattern::Kind> kinds;
  for (const TrafficPattern& pattern : patterns)
    if (!kinds.insert(pattern.kind).second)
      throw Refused{{fmt::format("\"{}\" asks for two patterns of one kind", list), {}, 0, "ask one after the other"}};
  return patterns;
}

void analyze(const AnalyzeOptions& options) {
  const std::vector<TrafficPattern> patterns = patterns_of(options.patterns);
  const Fabric fabric = load_fabric(options.net);
  const ForwardingTables tables = value_or_refuse(read_lfts(load_text(options.tables), options.tables, fabric));
  const std::vector<EndportId> hosts = ordered_hosts(fabric, options.order);
  Json result;
  result["hosts"] = hosts.size();
  result["switches"] = fabric.num_switches();
  const HostRoutes routes(fabric, tables, hosts);
  for (const TrafficPattern& pattern : patterns) add_result(result, routes, pattern, options.seed);
  if (options.json) return fmt::print("{}\n", result.dump(2));
  for (const auto& item : result.items()) fmt::print("{:<14} {}\n", item.key(), item.value().dump());
}

}  // namespace

void add_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand("analyze", "Measure the congestion risk of tables under traffic patterns");
  command->add_option("NET", options->net, "Net file or ibnetdiscover text, with the LIDs of the tables")->required();
  command->add_option("LFTS", options->tables, "Tables, as opensm-lfts.dump or from dump_lfts")->required();
  command
      ->add_option("--patterns", options->patterns,
                   "Comma-separated: a2a (all to all), sp[:STEP] (each STEP-th shift), rp[:R] (R random permutations)")
      ->capture_default_str();
  command
      ->add_option("--order", options->order,
                   "Order of the hosts, for shifts: topological, lid, or a file with one port GUID per line")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random permutations")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object instead of lines");
  command->add_option("-j,--threads", options->threads, "Threads; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->footer(
      "mu: the most flows on a link between switches, when each host can send and receive one at full rate; 1 is\n"
      "perfect. xi: the most flows on any link; Xi: on any link between switches (Gliksberg 2022, 2.3).\n"
      "Example: shifts and 200 random permutations\n"
      "  espalier analyze tree.net tree.lfts --patterns sp,rp:200");
  command->callback([options] { with_threads(options->threads, [&] { analyze(*options); }); });
}

}  // namespace espalier::tools
