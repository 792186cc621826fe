// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/simulate_packets.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/io/lanes/lanes_file.h"
#include "core/packets/policies/policies.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/sources.h"
#include "core/tools/command.h"
#include "core/tools/measure/packet_traffic.h"
#include "core/tools/progress_bar.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using packets::Parameters;
using packets::RunResult;

// All that the runs share.
struct Setting {
  packets::Network network;
  std::optional<packets::Dragonfly> dragonfly;
  Parameters parameters;
  packets::PatternSpec spec;
  std::shared_ptr<const packets::Pattern> pattern;
  double load = 0;
  std::string policy;
  const ForwardingTables* tables = nullptr;
  std::optional<Lanes> lanes;
  std::vector<Lid> lids;
  std::vector<std::uint32_t> levels;

  [[nodiscard]] packets::PolicyInputs inputs() const {
    return {&network, dragonfly ? &*dragonfly : nullptr, &parameters, tables, lanes ? &*lanes : nullptr, lids, levels};
  }
};

double parse_load(const std::string& text) {
  double load = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), load);
  if (error != std::errc{} || end != text.data() + text.size() || !(load > 0 && load <= 1))
    throw Refused{{fmt::format("--load {} is no load of packets", text),
                   {},
                   0,
                   "give phits for each node and cycle, above 0 and up to 1"}};
  return load;
}

Parameters parameters_of(const PacketOptions& options) {
  Parameters parameters = options.parameters;
  const bool wormhole = parameters.switching == packets::Switching::kWormhole;
  parameters.packet_phits = options.packet_phits.value_or(wormhole ? 80 : 8);
  const std::uint32_t unit = parameters.unit_phits();
  if (parameters.packet_phits % unit != 0)
    throw Refused{{"a packet is not a whole number of flits", {}, 0, "see --packet-phits and --flit-phits"}};
  if (std::min({parameters.local_buffer, parameters.global_buffer, parameters.injection_buffer}) < unit)
    throw Refused{{fmt::format("a buffer has no room for {} phits", unit),
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

// With tables and no other policy, they are simulated.
std::string policy_of(const PacketOptions& options, const std::optional<ForwardingTables>& tables) {
  if (!options.policy.empty()) return options.policy;
  if (!tables) throw Refused{{"--packets takes --policy, or LFTS after NET", {}, 0, "see espalier simulate --help"}};
  return "tables";
}

void set_the_scene(Setting& setting, const Fabric& fabric, const std::optional<ForwardingTables>& tables,
                   const PacketOptions& options, const std::string& load, std::uint64_t seed) {
  setting.parameters = parameters_of(options);
  setting.network = packets::make_network(fabric);
  setting.pattern = flows_of_word(options.traffic, fabric, setting.network, seed);
  if (!setting.pattern) setting.spec = value_or_refuse(packets::parse_pattern(options.traffic));
  setting.load = setting.spec.burst ? 0 : parse_load(load);
  setting.policy = policy_of(options, tables);
  auto dragonfly = packets::Dragonfly::find(fabric, setting.network);
  if (dragonfly)
    setting.dragonfly = std::move(*dragonfly);
  else if (setting.spec.needs_groups())
    throw Refused{std::move(dragonfly.error())};
  set_latencies(setting.network, setting.parameters);
  if (!setting.pattern)
    setting.pattern = value_or_refuse(
        packets::make_pattern(setting.spec, setting.network, setting.dragonfly ? &*setting.dragonfly : nullptr));
  setting.tables = tables ? &*tables : nullptr;
  if (!options.lanes.empty()) {
    if (setting.policy != "tables") throw Refused{{"--lanes is about tables", options.lanes, 0, "leave out --policy"}};
    setting.lanes = value_or_refuse(read_lanes(load_text(options.lanes), options.lanes, fabric));
  }
  for (const EndportId e : setting.network.endport) setting.lids.push_back(fabric.at(e).lid);
  if (setting.policy == "adaptive") setting.levels = levels_of(fabric);
}

RunResult run_once(const Setting& setting, const PacketOptions& options, std::uint64_t seed, Progress* progress) {
  const auto policy = value_or_refuse(packets::make_policy(setting.policy, setting.inputs()));
  std::unique_ptr<packets::Traffic> traffic;
  if (setting.spec.burst)
    traffic = std::make_unique<packets::Burst>(setting.pattern, setting.network.num_nodes(), *setting.spec.burst);
  else
    traffic = std::make_unique<packets::Load>(setting.pattern, setting.load, setting.parameters.packet_phits);
  packets::Simulator simulator(setting.network, setting.parameters, *policy, *traffic, seed);
  packets::RunLength length = options.length;
  length.warmup = options.warmup.value_or(length.cycles / 2);
  return packets::run(simulator, length, traffic->total(), progress);
}

Json to_json(const RunResult& result, const Setting& setting, const PacketOptions& options, double seconds) {
  Json json{{"policy", setting.policy}, {"traffic", options.traffic}, {"offered", setting.load}};
  json["throughput"] = result.throughput.mean;
  json["throughput_ci95"] = result.throughput.half_width;
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
  json[setting.spec.burst ? "finished" : "steady"] = setting.spec.burst ? result.finished : result.steady;
  return json;
}

// Of the whole process.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

namespace {

// Adds options of the group "Packets" that need --packets.
class Adder {
 public:
  explicit Adder(CLI::App& command, PacketOptions& options)
      : command_(command),
        flag_(command.add_flag("--packets", options.packets, "Simulate packets instead of flows")->group(kGroup)) {}

  template <class Value>
  CLI::Option* add(const char* name, Value& value, const std::string& help) {
    return command_.add_option(name, value, help)->group(kGroup)->needs(flag_);
  }
  template <class Value>
  void number(const char* name, Value& value, const std::string& help, double least, double most) {
    add(name, value, help)->check(CLI::Range(least, most))->capture_default_str();
  }
  // One of some words; `help` says which is the default.
  template <class Value>
  void choice(const char* name, Value& value, const std::string& help, const std::map<std::string, Value>& words) {
    add(name, value, help)->transform(CLI::CheckedTransformer(words).description(""));
  }

 private:
  static constexpr const char* kGroup = "Packets";
  CLI::App& command_;
  CLI::Option* flag_;
};

void add_router_options(Adder& adder, Parameters& parameters) {
  using packets::Allocator;
  using packets::CrossbarInputs;
  adder.number("--local-latency", parameters.local_latency, "Cycles of links within a group, and of trees", 1, 1e4);
  adder.number("--global-latency", parameters.global_latency, "Cycles of links between groups", 1, 1e4);
  adder.number("--pipeline", parameters.pipeline, "Cycles that a packet's head spends in a router", 0, 1e4);
  adder.number("--local-buffer", parameters.local_buffer, "Phits of a local link's buffer for each VC", 1, 6e4);
  adder.number("--global-buffer", parameters.global_buffer, "Phits of a global link's buffer for each VC", 1, 6e4);
  adder.number("--injection-buffer", parameters.injection_buffer, "Phits of a host's buffer for each VC", 1, 6e4);
  adder.number("--injection-vcs", parameters.injection_vcs, "VCs from host to router", 1, 15);
  adder.number("--speedup", parameters.speedup, "Of the crossbar against links", 1, 16);
  adder.number("--output-buffer", parameters.output_buffer, "Phits that may wait behind the crossbar", 0, 6e4);
  adder.choice<CrossbarInputs>(
      "--crossbar", parameters.crossbar,
      "How many packets of an input port may cross at a time: one for each vc (default) or one for the port",
      {{"vc", CrossbarInputs::kOneForVc}, {"port", CrossbarInputs::kOneForPort}});
  adder.choice<Allocator>(
      "--allocator", parameters.allocator, "Whose turn it is: random (default), round-robin or oldest",
      {{"random", Allocator::kRandom}, {"round-robin", Allocator::kRoundRobin}, {"oldest", Allocator::kOldestFirst}});
}

void add_policy_options(Adder& adder, Parameters& parameters) {
  using packets::GlobalMisroute;
  using packets::Occupancy;
  using packets::ValiantLevel;
  adder.number("--threshold", parameters.threshold, "Misroute to outputs with less than this share of the minimal fill",
               0, 1);
  adder.choice<Occupancy>("--occupancy", parameters.occupancy,
                          "Whose fill is compared: of the port (default) or the vc",
                          {{"port", Occupancy::kPort}, {"vc", Occupancy::kVc}});
  adder.choice<GlobalMisroute>("--global-misroute", parameters.global_misroute,
                               "By whose global links: current router's, a neighbor's, both, or mixed (default)",
                               {{"current", GlobalMisroute::kCurrent},
                                {"neighbor", GlobalMisroute::kNeighbor},
                                {"both", GlobalMisroute::kBoth},
                                {"mixed", GlobalMisroute::kMixed}});
  adder.choice<bool>("--last-hop-vc", parameters.spread_vcs,
                     "VC of the last local hop: the emptiest that is allowed (default) or the first",
                     {{"emptiest", true}, {"first", false}});
  adder.choice<ValiantLevel>("--valiant", parameters.valiant, "By way of a random group (default) or router",
                             {{"group", ValiantLevel::kGroup}, {"router", ValiantLevel::kRouter}});
  adder.number("--ugal-offset", parameters.ugal_offset, "T of UGAL in phits, in favor of minimal ways", -1e6, 1e6);
  adder.number("--pb-offset", parameters.piggyback_offset, "T of piggybacking in phits", -1e6, 1e6);
  adder.number("--tpr-limit", parameters.tpr_limit, "The limit thr of TPR, in phits for each cycle", 0, 100);
  adder.number("--contention-limit", parameters.contention_limit, "Packets that want an output before others avoid it",
               0, 1000);
  adder.number("--pb-period", parameters.piggyback_period, "Cycles between two broadcasts of piggybacking", 1, 1e4);
}

}  // namespace

void add_packet_options(CLI::App& command, PacketOptions& options) {
  using packets::Switching;
  Parameters& parameters = options.parameters;
  Adder adder(command, options);
  std::string names;
  for (const packets::PolicyEntry& entry : packets::policies())
    names += fmt::format("\n{}: {}", entry.name, entry.what);
  adder.add("--policy", options.policy, "How packets choose their way:" + names);
  adder.add("--lanes", options.lanes, "Service levels and virtual lanes of the tables, instead of --policy");
  adder
      .add("--traffic", options.traffic,
           "un, advg:N, advl:N, mixed:P (advg:h with probability P, else advl:1),\n"
           "burst:B:P (B packets of mixed:P from each node at once); on any fabric\n"
           "un, shift:K, permutation:I (the I-th of the seed) or matrix:FILE")
      ->capture_default_str();
  adder.choice<Switching>("--switching", parameters.switching, "vct (virtual cut-through, default) or wormhole",
                          {{"vct", Switching::kVirtualCutThrough}, {"wormhole", Switching::kWormhole}});
  adder.add("--packet-phits", options.packet_phits, "Phits of a packet; default: 8, under wormhole 80")
      ->check(CLI::Range(1, 4096));
  adder.number("--flit-phits", parameters.flit_phits, "Phits of a flit, under wormhole", 1, 4096);
  adder.number("--cycles", options.length.cycles, "Cycles to measure after the warm-up; of a burst, the most", 1, 1e9);
  adder.add("--warmup", options.warmup, "Cycles before; default: half of --cycles")->check(CLI::Range(0.0, 1e9));
  adder.number("--runs", options.runs, "Runs with seeds SEED, SEED + 1, ..., in parallel; intervals are over them", 1,
               1000);
  add_router_options(adder, parameters);
  add_policy_options(adder, parameters);
}

void simulate_packets(const Source& source, const PacketOptions& options, const std::string& load, std::uint64_t seed,
                      bool json) {
  const auto [fabric, tables] = tools::load(source, TablesNeed::kOptional);
  Setting setting;
  set_the_scene(setting, fabric, tables, options, load, seed);
  std::vector<RunResult> results(options.runs);
  const double before = cpu_seconds();
  {
    ProgressBar bar("packets");
    parallel_for(options.runs,
                 [&](std::size_t i) { results[i] = run_once(setting, options, seed + i, bar.progress()); });
  }
  const Json result = to_json(packets::combine(results), setting, options, cpu_seconds() - before);
  if (json) return fmt::print("{}\n", result.dump());
  for (const auto& [key, value] : result.items())
    fmt::print("{:<20} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace espalier::tools
