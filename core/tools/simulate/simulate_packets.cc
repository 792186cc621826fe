// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/simulate_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/split.h"
#include "core/base/text.h"
#include "core/io/export/json_text.h"
#include "core/io/file.h"
#include "core/packets/policies/policies.h"
#include "core/packets/traffic/sources.h"
#include "core/packets/traffic/transfers.h"
#include "core/tools/command.h"
#include "core/tools/measure/figures_text.h"
#include "core/tools/progress_bar.h"
#include "core/tools/simulate/packet_setting.h"
#include "core/tools/simulate/packet_traffic.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using packets::RunResult;

RunResult run_once(const PacketSetting& setting, std::uint64_t seed, packets::PathCounts* counts, Progress* progress) {
  packets::PolicyInputs inputs = setting.inputs();
  inputs.counts = counts;
  const auto policy = value_or_refuse(packets::make_policy(setting.policy, inputs));
  std::unique_ptr<packets::Traffic> traffic;
  if (setting.has_phases())
    traffic = std::make_unique<packets::Transfers>(setting.phases, setting.network.num_nodes(), setting.order);
  else if (setting.spec.burst)
    traffic = std::make_unique<packets::Burst>(setting.pattern, setting.network.num_nodes(), *setting.spec.burst);
  else
    traffic = std::make_unique<packets::Load>(setting.pattern, setting.load, setting.parameters.packet_phits,
                                              setting.network.num_hosts, setting.switch_load);
  if (setting.offsets) traffic = std::make_unique<packets::WithOffsets>(std::move(traffic), setting.offsets);
  if (setting.is_finite() && traffic->total() == 0) {  // nobody sends
    packets::RunResult nothing;
    nothing.finished = true;
    return nothing;
  }
  packets::Simulator simulator(setting.network, setting.parameters, *policy, *traffic, seed);
  return packets::run(simulator, setting.length, traffic->total(), progress);
}

Json to_json(const RunResult& result, const PacketSetting& setting, const PacketOptions& options, double seconds) {
  Json json{{"policy", setting.policy}, {"traffic", setting.traffic}, {"offered", setting.load}};
  json["throughput"] = result.throughput.mean;
  json["throughput_ci95"] = result.throughput.half_width;
  if (setting.network.num_nodes() > setting.network.num_hosts) {
    json["throughput_hosts"] = result.of_hosts.mean;
    json["throughput_hosts_ci95"] = result.of_hosts.half_width;
    json["throughput_switches"] = result.of_switches.mean;
    json["throughput_switches_ci95"] = result.of_switches.half_width;
  }
  json["latency_mean"] = result.latency.mean;
  json["latency_ci95"] = result.latency.half_width;
  json["latency_p50"] = result.latency_quantiles[0];
  json["latency_p95"] = result.latency_quantiles[1];
  json["latency_p99"] = result.latency_quantiles[2];
  json["hops_mean"] = result.hops.mean;
  json["misrouted"] = result.misrouted;
  json["utilization"] = {
      {"node", result.utilization[0]}, {"local", result.utilization[1]}, {"global", result.utilization[2]}};
  json["cycles"] = result.cycles;
  json["measured"] = result.measured;
  json["delivered"] = result.delivered;
  json["undelivered"] = result.undelivered;
  json["packet_hops"] = result.packet_hops;
  json["cpu_s"] = seconds;
  json["runs"] = options.runs;
  json["deadlock"] = result.deadlock;
  json[setting.is_finite() ? "finished" : "steady"] = setting.is_finite() ? result.finished : result.steady;
  if (setting.has_phases()) json["phases"] = setting.phases.size();
  return json;
}

// Of the whole process.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What people should know about a result before they use it.
void print_run(const RunResult& result, const PacketSetting& setting) {
  if (result.deadlock)
    warn("packets wait for each other and never move again: a deadlock; espalier verify says which channels");
  else if (setting.is_finite() && !result.finished)
    warn("not all packets had arrived when the cycles were over; give more --cycles");
  else if (!setting.is_finite() && !result.steady)
    warn(
        "the run did not reach a steady state: more is offered than the network carries, so latencies depend on how "
        "long it runs; throughput is what it carries");
  if (result.undelivered > 0)
    warn(fmt::format("dropped {}, which had no route", counted(result.undelivered, "packet")));
}

void run_and_print(const PacketSetting& setting, const Fabric& fabric, const PacketOptions& options,
                   const PacketRun& run) {
  std::vector<RunResult> results(options.runs);
  std::vector<packets::PathCounts> counts(options.runs);
  const double before = cpu_seconds();
  {
    ProgressBar bar("packets");
    std::uint64_t work = setting.length.warmup + setting.length.cycles;
    if (setting.spec.burst) work = std::uint64_t{*setting.spec.burst} * setting.network.num_nodes();
    if (setting.has_phases())
      work = packets::Transfers(setting.phases, setting.network.num_nodes(), setting.order).total();
    begin(bar.progress(), work * options.runs);
    parallel_for(options.runs, [&](std::size_t i) {
      results[i] = run_once(setting, run.seed + i, options.record_paths.empty() ? nullptr : &counts[i], bar.progress());
    });
  }
  const auto is_empty = [](const packets::PathCounts& of_run) { return of_run.empty(); };
  if (!options.record_paths.empty() && std::all_of(counts.begin(), counts.end(), is_empty))
    throw Refused{{"no packet has chosen a path", options.record_paths, 0, "give more --cycles or a higher --load"}};
  if (!options.record_paths.empty())
    succeed_or_refuse(write_file(options.record_paths, paths_text(fabric, setting.network, counts)));
  const RunResult combined = packets::combine(results);
  print_run(combined, setting);
  const Json result = to_json(combined, setting, options, cpu_seconds() - before);
  if (run.json) return fmt::print("{}\n", json_text(result));
  fmt::print("{}", simulation_text(result));
}

void classify_flows(const Fabric& fabric, const PacketOptions& options, const PacketRun& run) {
  packets::Network network = packets::make_network(fabric);
  const packets::Dragonfly dragonfly = value_or_refuse(packets::Dragonfly::find(fabric, network));
  const auto pattern = flows_of_word(options.traffic, fabric, network, run.seed);
  if (!pattern)
    throw Refused{{fmt::format("--classify needs flows, and --traffic {} names none", options.traffic),
                   {},
                   0,
                   "use matrix:FILE, shift:K or permutation:I"}};
  const double load = parse_load(run.load);
  std::vector<packets::FlowLoad> flows;
  for (packets::Node n = 0; n < network.num_nodes(); ++n)
    pattern->for_each(n, [&](packets::Node to, double share) { flows.push_back({n, to, load * share}); });
  print_classes(fabric, network, dragonfly, flows, run);
}

}  // namespace

void simulate_packets(const Source& source, const PacketOptions& options, const PacketRun& run) {
  const FabricAndTables loaded = tools::load(source, TablesNeed::kOptional);
  const Fabric& fabric = loaded.fabric;
  if (options.classify) return classify_flows(fabric, options, run);
  PacketSetting setting;
  set_network_and_policy(setting, loaded, options, run.members);
  setting.offsets = offsets_of_word(run.lids, fabric, setting.network);
  const std::vector<std::string_view> loads = split(run.load, ',');
  if (loads.size() > 1 && !options.record_paths.empty())
    throw Refused{{"paths are recorded under one load", options.record_paths, 0, "give a single --load"}};
  if (loads.size() > 1)
    for (const std::string_view load : loads) (void)parse_load(std::string(load));
  for (const std::string_view load : loads) {
    PacketRun one = run;
    one.load = load;
    set_pattern(setting, fabric, options, one);
    set_length(setting, options);
    run_and_print(setting, fabric, options, one);
  }
}

void simulate_packets(const FabricAndTables& loaded, const PacketOptions& options, const PacketRun& run,
                      const std::string& name, const std::vector<std::vector<Transfer>>& phases) {
  PacketSetting setting;
  set_network_and_policy(setting, loaded, options, run.members);
  setting.traffic = name;
  setting.order = run.load == "streams" ? packets::Transfers::Order::kMessages : packets::Transfers::Order::kBarriers;
  setting.phases =
      packets_of(loaded.fabric, setting.network, phases, options.phit_bytes * setting.parameters.packet_phits);
  set_length(setting, options);
  run_and_print(setting, loaded.fabric, options, run);
}

}  // namespace espalier::tools
