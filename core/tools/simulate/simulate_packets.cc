// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/simulate_packets.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/parallel.h"
#include "core/base/split.h"
#include "core/base/text.h"
#include "core/io/export/json_text.h"
#include "core/io/file.h"
#include "core/packets/policies/policies.h"
#include "core/packets/presets.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "core/packets/traffic/transfers.h"
#include "core/tools/command.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/measure/figures_text.h"
#include "core/tools/progress_bar.h"
#include "core/tools/simulate/packet_traffic.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using packets::Parameters;
using packets::RunResult;

// All that the runs share.
struct Setting {
  packets::Network network;
  Result<packets::Dragonfly> dragonfly = fail("nobody has looked for groups");
  Parameters parameters;
  packets::RunLength length;
  packets::PatternSpec spec;
  std::shared_ptr<const packets::Pattern> pattern;
  double load = 0;
  double switch_load = 0;
  packets::OffsetChoice offsets;
  std::string policy;
  const ForwardingTables* tables = nullptr;
  std::optional<Lanes> lanes;
  std::vector<Lid> lids;
  std::vector<std::uint32_t> levels;
  std::optional<packets::SourcePaths> paths;
  const ForwardingTables* next_tables = nullptr;
  packets::Cycle change_at = 0;
  packets::Cycle change_over = 0;
  std::string traffic;                                       // what the result calls it
  std::vector<std::vector<packets::PacketTransfer>> phases;  // in place of a pattern, where there is none
  packets::Transfers::Order order = packets::Transfers::Order::kBarriers;

  [[nodiscard]] bool has_phases() const { return pattern == nullptr; }
  [[nodiscard]] bool is_finite() const { return spec.burst || has_phases(); }
  [[nodiscard]] packets::PolicyInputs inputs() const {
    return {.network = &network,
            .dragonfly = dragonfly ? &*dragonfly : nullptr,
            .why_no_dragonfly = dragonfly ? "" : dragonfly.error().message,
            .parameters = &parameters,
            .tables = tables,
            .lanes = lanes ? &*lanes : nullptr,
            .lids = lids,
            .levels = levels,
            .next_tables = next_tables,
            .change_at = change_at,
            .change_over = change_over,
            .paths = paths ? &*paths : nullptr};
  }
};

double parse_load(const std::string& text) {
  constexpr const char* kAdvice = "give phits per node and cycle, above 0 and at most 1";
  if (text == "phases")  // the default
    throw Refused{{"--packets needs a --load", {}, 0, kAdvice}};
  if (const std::optional<double> load = parse_number(text, 0.0, 1.0); load && *load > 0) return *load;
  throw Refused{{fmt::format("--load {} is not a load for --packets", text), {}, 0, kAdvice}};
}

const packets::Preset& preset_of(const PacketOptions& options) {
  for (const packets::Preset& preset : packets::presets())
    if (preset.name == options.preset) return preset;
  throw Refused{{fmt::format("there is no preset \"{}\"", options.preset), {}, 0, "see espalier simulate --help"}};
}

Parameters parameters_of(const PacketOptions& options) {
  Parameters parameters = preset_of(options).parameters;
  for (const PacketOptions::Given& given : options.given)
    if (given.option->count() > 0) given.copy(parameters, options.parameters);
  const bool wormhole = parameters.switching == packets::Switching::kWormhole;
  if (wormhole && options.preset == "garcia") parameters.packet_phits = 80;
  parameters.packet_phits = options.packet_phits.value_or(parameters.packet_phits);
  parameters.flit_phits = options.flit_phits.value_or(std::gcd(parameters.flit_phits, parameters.packet_phits));
  const std::uint32_t unit = parameters.unit_phits();
  if (parameters.packet_phits % unit != 0)
    throw Refused{{"a packet is not a whole number of flits", {}, 0, "see --packet-phits and --flit-phits"}};
  if (std::min({parameters.local_buffer, parameters.global_buffer, parameters.injection_buffer}) < unit)
    throw Refused{{fmt::format("a buffer is too small for {} phits", unit),
                   {},
                   0,
                   wormhole ? "give smaller flits or larger buffers" : "give smaller packets or larger buffers"}};
  return parameters;
}

// The order in which the tree has its switches, from the bottom; empty: this is no tree.
std::vector<std::uint32_t> levels_of(const Fabric& fabric) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return {};
  std::vector<std::uint32_t> levels(fabric.num_switches());
  std::uint32_t position = 0;
  for (const SwitchId s : tree->ascending()) levels[index(s)] = position++;
  return levels;
}

void set_latencies(packets::Network& network, const Parameters& parameters) {
  for (packets::PortEnd& port : network.ports) {
    if (port.kind == packets::PortClass::kLocal) port.latency = static_cast<std::uint16_t>(parameters.local_latency);
    if (port.kind == packets::PortClass::kGlobal) port.latency = static_cast<std::uint16_t>(parameters.global_latency);
  }
}

// What a link takes for a unit is counted in 16 bits.
void refuse_slow_links(const packets::Network& network, const Parameters& parameters) {
  const auto slowest = std::max_element(network.slowness.begin(), network.slowness.end());
  const std::uint64_t cycles =
      std::uint64_t{parameters.unit_phits()} * (slowest == network.slowness.end() ? 1 : *slowest);
  if (cycles > 65535)
    throw Refused{
        {fmt::format("{} phits take {} cycles on the slowest link, more than 65535", parameters.unit_phits(), cycles),
         {},
         0,
         "give smaller packets, or a higher --switch-rate"}};
}

// With tables and no other policy, they are simulated.
std::string policy_of(const PacketOptions& options, const std::optional<ForwardingTables>& tables) {
  if (!options.policy.empty()) return options.policy;
  if (!options.paths.empty()) return "paths";
  if (!tables) throw Refused{{"--packets needs --policy, or LFTS after NET", {}, 0, "see espalier simulate --help"}};
  return "tables";
}

// The network, what routes and how; the traffic is for others to add.
void set_the_scene(Setting& setting, const FabricAndTables& loaded, const PacketOptions& options,
                   packets::Members members) {
  const Fabric& fabric = loaded.fabric;
  setting.parameters = parameters_of(options);
  setting.network =
      packets::make_network(fabric, members, static_cast<std::uint16_t>(std::lround(1 / options.switch_rate)));
  refuse_slow_links(setting.network, setting.parameters);
  setting.policy = policy_of(options, loaded.tables);
  setting.dragonfly = packets::Dragonfly::find(fabric, setting.network);
  set_latencies(setting.network, setting.parameters);
  setting.tables = loaded.tables ? &*loaded.tables : nullptr;
  if (!options.lanes.empty() && setting.policy != "tables")
    throw Refused{{"--lanes works only with tables", options.lanes, 0, "omit --policy"}};
  if (setting.policy == "tables")
    setting.lanes = load_lanes(loaded, {.lanes = options.lanes, .sl2vl = {}, .path_records = {}});
  setting.lids = lids_of(fabric, setting.network);
  if (!options.paths.empty() && setting.policy != "paths")
    throw Refused{{"--paths is for policy paths", options.paths, 0, "omit --policy"}};
  if (!options.paths.empty()) setting.paths.emplace(paths_of_file(options.paths, fabric, setting.network));
  if (setting.policy == "adaptive") setting.levels = levels_of(fabric);
  setting.next_tables = loaded.second_tables ? &*loaded.second_tables : nullptr;
  if (setting.next_tables != nullptr && setting.policy != "tables")
    throw Refused{{"--then is about tables", options.next_tables, 0, "omit --policy"}};
}

void set_length(Setting& setting, const PacketOptions& options) {
  const packets::Preset& preset = preset_of(options);
  setting.length.cycles = options.cycles.value_or(setting.is_finite() ? 100'000'000 : preset.cycles);
  setting.length.warmup = options.warmup.value_or(options.cycles ? *options.cycles / 2 : preset.warmup);
  setting.change_at = options.change_at.value_or(setting.is_finite() ? 0 : setting.length.warmup);
  setting.change_over = options.change_over;
}

double switch_load_of(const Setting& setting, const PacketOptions& options, packets::Members members) {
  if (!options.switch_load) return setting.load * options.switch_rate;
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw Refused{{fmt::format("--switch-load {} {}", *options.switch_load, why), {}, 0, advice}};
  };
  if (members == packets::Members::kHosts) refuse("is for switches that send", "add --with-switches");
  if (setting.spec.burst) refuse("is of no use with a burst", "give a load without end, such as --traffic un");
  if (*options.switch_load > options.switch_rate)
    refuse(fmt::format("is more than port 0 can send, {}", options.switch_rate), "give a higher --switch-rate");
  return *options.switch_load;
}

void set_pattern(Setting& setting, const Fabric& fabric, const PacketOptions& options, const PacketRun& run) {
  setting.traffic = options.traffic;
  setting.pattern = flows_of_word(options.traffic, fabric, setting.network, run.seed);
  if (!setting.pattern) {
    setting.spec = value_or_refuse(packets::parse_pattern(options.traffic));
    if (setting.spec.needs_groups() && !setting.dragonfly) throw Refused{setting.dragonfly.error()};
    setting.pattern = value_or_refuse(
        packets::make_pattern(setting.spec, setting.network, setting.dragonfly ? &*setting.dragonfly : nullptr));
  }
  setting.load = setting.spec.burst ? 0 : parse_load(run.load);
  setting.switch_load = switch_load_of(setting, options, run.members);
}

RunResult run_once(const Setting& setting, std::uint64_t seed, packets::PathCounts* counts, Progress* progress) {
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

Json to_json(const RunResult& result, const Setting& setting, const PacketOptions& options, double seconds) {
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
void print_run(const RunResult& result, const Setting& setting) {
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

void run_and_print(const Setting& setting, const Fabric& fabric, const PacketOptions& options, const PacketRun& run) {
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
  Setting setting;
  set_the_scene(setting, loaded, options, run.members);
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
  Setting setting;
  set_the_scene(setting, loaded, options, run.members);
  setting.traffic = name;
  setting.order = run.load == "streams" ? packets::Transfers::Order::kMessages : packets::Transfers::Order::kBarriers;
  setting.phases =
      packets_of(loaded.fabric, setting.network, phases, options.phit_bytes * setting.parameters.packet_phits);
  set_length(setting, options);
  run_and_print(setting, loaded.fabric, options, run);
}

}  // namespace espalier::tools
