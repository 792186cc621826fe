// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate`: what traffic costs in time over anybody's tables, as flows (core/simulation) or packets
// (core/packets).
#include "core/tools/measure/simulate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/congestion/lane_loads.h"
#include "core/io/export/json_text.h"
#include "core/io/schedule/schedule_file.h"
#include "core/simulation/fair_rates.h"
#include "core/tools/addons.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/measure/simulate_packets.h"
#include "core/tools/measure/traffic_phases.h"
#include "core/tools/progress_bar.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using TransferPhases = std::vector<std::vector<Transfer>>;

struct Traffic {
  std::string name;
  TransferPhases phases;
};

struct SimulateOptions {
  Source source;
  std::string patterns;
  std::string schedule;
  std::string load = "phases";
  std::string order = "names";
  std::string lids = "0";
  NodeTypeOptions node_types;
  double bytes = 1e6;
  std::uint32_t default_gbps = 100;
  std::uint64_t seed = 1;
  bool with_switches = false;
  bool json = false;
  PacketOptions packets;
  FlowSimulation flows;  // not an option: what this program has
};

// Whoever takes part, by base LID: hosts first.
struct Nodes {
  std::vector<EndportId> hosts;
  std::vector<Lid> lids;
  NodeTypes types = {};  // of the fabric's end ports
  LidUse use = {};       // among the hosts
};

Nodes nodes_of(const Fabric& fabric, const SimulateOptions& options) {
  Nodes nodes{.hosts = traffic_order(fabric, options.order).hosts, .lids = {}};
  for (const EndportId e : nodes.hosts) nodes.lids.push_back(fabric.at(e).lid);
  if (options.with_switches)
    for (const SwitchId s : fabric.switches()) nodes.lids.push_back(fabric.at(s).lid);
  nodes.use = lid_use(fabric, nodes.hosts, options.lids);
  if (options.node_types.given()) nodes.types = load_node_types(fabric, options.node_types);
  return nodes;
}

// The LIDs of a node are `base` .. base + 2^lmc - 1.
std::uint32_t num_lids(const Fabric& fabric, Lid base) {
  const LidOwner& owner = fabric.owner(base);
  return 1U << (owner.kind == LidOwner::Kind::kSwitch ? fabric.at(SwitchId{owner.id}).lmc
                                                      : fabric.at(EndportId{owner.id}).lmc);
}

void add_transfers(const Fabric& fabric, const Nodes& nodes, const Flow& flow, double bytes,
                   std::vector<Transfer>& transfers) {
  const Lid base = nodes.lids[flow.destination];
  const std::uint32_t lids = num_lids(fabric, base);
  const auto to = [&](std::uint32_t offset) { return id_at<Lid>(index(base) + offset % lids); };
  const bool among_hosts = std::max(flow.source, flow.destination) < nodes.hosts.size();
  switch (nodes.use.kind) {
    case LidUse::Kind::kOffset:
      return transfers.push_back({nodes.lids[flow.source], to(nodes.use.offset), bytes * flow.weight});
    case LidUse::Kind::kTable:
      return transfers.push_back({nodes.lids[flow.source],
                                  to(among_hosts ? nodes.use.table->at(flow.source, flow.destination) : 0),
                                  bytes * flow.weight});
    case LidUse::Kind::kChoices:
      if (!among_hosts) return transfers.push_back({nodes.lids[flow.source], to(0), bytes * flow.weight});
      for (const WeightedPath& path :
           weighted_paths(fabric, *nodes.use.choices, nullptr, nodes.hosts[flow.source], nodes.hosts[flow.destination]))
        transfers.push_back({nodes.lids[flow.source], path.to, bytes * flow.weight * path.share});
      return;
    case LidUse::Kind::kEvenly:
      for (std::uint32_t offset = 0; offset < lids; ++offset)
        transfers.push_back({nodes.lids[flow.source], to(offset), bytes * flow.weight / lids});
  }
}

TransferPhases transfers_of(const Fabric& fabric, const Nodes& nodes, const std::vector<std::vector<Flow>>& traffic,
                            double bytes) {
  TransferPhases phases;
  for (const auto& flows : traffic) {
    phases.emplace_back();
    for (const Flow& flow : flows)
      if (flow.weight > 0) add_transfers(fabric, nodes, flow, bytes, phases.back());
  }
  return phases;
}

TransferPhases transfers_of(const Fabric& fabric, const Schedule& schedule, const SimulateOptions& options) {
  std::vector<Lid> lids;
  for (const Guid guid : schedule.servers) {
    const EndportId e = fabric.find_endport(guid);
    if (e == kNoEndport)
      throw Refused{{fmt::format("the fabric has no end port 0x{:016x}", index(guid)), options.schedule, 0,
                     "use the fabric that the schedule was made for"}};
    lids.push_back(fabric.at(e).lid);
  }
  TransferPhases phases(schedule.phases);
  for (std::size_t phase = 0; phase < schedule.phases; ++phase)
    for (std::size_t server = 0; server < schedule.servers.size(); ++server)
      if (const Send& send = schedule.at(server, phase); send.destination != Send::kIdle)
        phases[phase].push_back({lids[server], send.dlid, options.bytes});
  return phases;
}

// Seconds that the nodes' own links need for transfers at the least, however good the fabric.
double least_seconds(const Fabric& fabric, std::span<const Transfer> transfers, const SimulationOptions& options) {
  std::map<Lid, double> out;  // by node
  std::map<Lid, double> in;
  double least = 0;
  const auto add = [&](std::map<Lid, double>& load, Lid lid, double bytes) {
    least = std::max(least, (load[base_of(fabric, lid)] += bytes) / injection_rate(fabric, lid, options));
  };
  for (const Transfer& transfer : transfers) {
    add(out, transfer.from, transfer.bytes);
    add(in, transfer.to, transfer.bytes);
  }
  return least;
}

std::vector<Transfer> all_of(const TransferPhases& phases) {
  std::vector<Transfer> all;
  for (const auto& phase : phases) all.insert(all.end(), phase.begin(), phase.end());
  return all;
}

// The whole load at once and for ever: what share of their links' rate do the nodes get on the average?
void add_full_load(Json& result, const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> all,
                   const SimulationOptions& options) {
  const FairRates rates = fair_rates(fabric, tables, all, options);
  std::map<Lid, double> sent;  // by node
  for (std::size_t i = 0; i < all.size(); ++i) sent[base_of(fabric, all[i].from)] += rates.bytes_per_second[i];
  double possible = 0;
  double least = 1;
  for (const auto& [node, rate] : sent) {
    const double own = injection_rate(fabric, node, options);
    possible += own;
    least = std::min(least, rate / own);
  }
  const double total = std::reduce(rates.bytes_per_second.begin(), rates.bytes_per_second.end());
  result["throughput"] = possible > 0 ? total / possible : 0;
  result["least_throughput"] = least;
  result["tbps"] = total * 8e-12;
  result["undelivered"] = rates.undelivered;
}

// What a load of transfers with an end comes to, in seconds.
struct Times {
  double seconds = 0;
  double least = 0;  // what the nodes' own links need
  std::uint64_t undelivered = 0;
};

void add_times(Json& result, const Times& times, std::span<const Transfer> all) {
  const double bytes =
      std::accumulate(all.begin(), all.end(), 0.0, [](double sum, const Transfer& t) { return sum + t.bytes; });
  result["seconds"] = times.seconds;
  result["throughput"] = times.seconds > 0 ? times.least / times.seconds : 0;
  result["tbps"] = times.seconds > 0 ? bytes * 8e-12 / times.seconds : 0;
  result["undelivered"] = times.undelivered;
}

Times phases_with_barriers(Json& result, const Fabric& fabric, const ForwardingTables& tables,
                           const TransferPhases& phases, const FlowSimulation& flows,
                           const SimulationOptions& options) {
  const SimulatedTimes simulated = flows.phases(fabric, tables, phases, options);
  Times times{.undelivered = simulated.undelivered};
  times.seconds = std::reduce(simulated.seconds.begin(), simulated.seconds.end());
  for (const auto& phase : phases) times.least += least_seconds(fabric, phase, options);
  result["slowest_phase"] =
      simulated.seconds.empty() ? 0 : *std::max_element(simulated.seconds.begin(), simulated.seconds.end());
  return times;
}

Times streams(const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> all,
              const FlowSimulation& flows, const SimulationOptions& options) {
  const SimulatedTimes simulated = flows.streams(fabric, tables, all, options);
  Times times{.least = least_seconds(fabric, all, options), .undelivered = simulated.undelivered};
  for (const double end : simulated.seconds) times.seconds = std::max(times.seconds, end);
  return times;
}

// Whenever a transfer ends, the rates of all that still run are shared anew. Measured with 650 to 46 440 at a time on a
// core of 2026: what a transfer costs by itself, and for each that runs beside it (docs/measured.md).
double estimated_seconds(const Traffic& traffic, const SimulateOptions& options) {
  constexpr double kSecondsPerTransfer = 18e-6;
  constexpr double kSecondsPerPair = 9e-9;
  std::size_t most = 0;
  double seconds = 0;
  for (const auto& phase : traffic.phases) most = std::max(most, phase.size());
  for (const auto& phase : traffic.phases) {
    const auto n = static_cast<double>(phase.size());
    seconds += n * (kSecondsPerTransfer + kSecondsPerPair * (options.load == "phases" ? n : static_cast<double>(most)));
  }
  return seconds;
}

void refuse_what_takes_hours(const Traffic& traffic, const SimulateOptions& options) {
  constexpr double kTellFrom = 30;                    // seconds
  constexpr std::size_t kMostTransfers = 20'000'000;  // some kilobytes each
  std::size_t transfers = 0;
  for (const auto& phase : traffic.phases) transfers += phase.size();
  if (transfers > kMostTransfers)
    throw Refused{{fmt::format("{} has {} transfers, more than {}", traffic.name, transfers, kMostTransfers),
                   {},
                   0,
                   "take every k-th shift (sp:K), fewer draws (rp:N), or --load full, which needs no time steps"}};
  const double seconds = estimated_seconds(traffic, options);
  if (options.load != "full" && seconds > kTellFrom)
    warn(fmt::format("{}: {} transfers take about {:.0f} s; sp:K and rp:N take fewer, --load full needs no time steps",
                     traffic.name, transfers, seconds));
}

// What each lane carries of all transfers, in bytes; the fluid model itself shares channels, whatever the lanes.
// Where an SL2VL table throws packets away, a warning says so.
void add_lanes(Json& result, const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
               std::span<const Transfer> all) {
  std::vector<LaneFlow> flows;
  for (const Transfer& transfer : all) flows.push_back({transfer.from, transfer.to, transfer.bytes});
  const LaneLoads loads = lane_loads(fabric, tables, lanes, flows);
  if (loads.undelivered > 0)
    warn(fmt::format("{:.0f} bytes do not arrive on these lanes; run espalier verify --lanes to see why",
                     loads.undelivered));
  result["vls"] = lanes.num_vls();
  result["lanes"] = Json::array();
  for (std::size_t vl = 0; vl < loads.of_vl.size(); ++vl)
    result["lanes"].push_back({{"vl", vl},
                               {"channels", loads.of_vl[vl].channels},
                               {"most_bytes", loads.of_vl[vl].most},
                               {"bytes_times_hops", loads.of_vl[vl].sum}});
}

Json simulate_traffic(const Fabric& fabric, const ForwardingTables& tables, const std::optional<Lanes>& lanes,
                      const Traffic& traffic, const SimulateOptions& options) {
  const std::vector<Transfer> all = all_of(traffic.phases);
  refuse_what_takes_hours(traffic, options);
  ProgressBar bar(fmt::format("{}: {} transfers", traffic.name, all.size()));
  const SimulationOptions more{.default_mbps = options.default_gbps * 1000, .progress = bar.progress()};
  Json result{{"traffic", traffic.name}, {"load", options.load}, {"phases", traffic.phases.size()}};
  result["transfers"] = all.size();
  if (options.load == "full")
    add_full_load(result, fabric, tables, all, more);
  else if (options.load == "streams")
    add_times(result, streams(fabric, tables, all, options.flows, more), all);
  else
    add_times(result, phases_with_barriers(result, fabric, tables, traffic.phases, options.flows, more), all);
  if (lanes) add_lanes(result, fabric, tables, *lanes, all);
  if (result["undelivered"] != 0)
    warn(fmt::format("{}: {} transfers do not arrive and are left out; run espalier verify to see why", traffic.name,
                     json_text(result["undelivered"])));
  return result;
}

// What is asked for; of node-type phases the way there and the way back are two.
std::vector<Traffic> traffics(const Fabric& fabric, const SimulateOptions& options) {
  if (!options.schedule.empty()) {
    const Schedule schedule = value_or_refuse(read_schedule(load_text(options.schedule), options.schedule));
    return {{options.schedule, transfers_of(fabric, schedule, options)}};
  }
  const Nodes nodes = nodes_of(fabric, options);
  std::vector<Traffic> all;
  for (const TrafficPattern& pattern : patterns_or_refuse(options.patterns)) {
    auto flows = traffic_phases(fabric, nodes.hosts, nodes.types, nodes.lids.size(), pattern, options.seed);
    all.push_back({pattern.text(), transfers_of(fabric, nodes, flows, options.bytes)});
    if (pattern.kind != TrafficPattern::Kind::kTypePhases) continue;
    for (auto& phase : flows) phase = reversed(std::move(phase));
    all.push_back({pattern.text() + " back", transfers_of(fabric, nodes, flows, options.bytes)});
  }
  return all;
}

void print_simulation(const Json& result, const SimulateOptions& options) {
  if (options.json) return fmt::print("{}\n", json_text(result));
  for (const auto& [key, value] : result.items())
    fmt::print("{:<20} {}\n", key, value.is_string() ? printable(value.get<std::string>()) : json_text(value));
}

void simulate_as_packets(const SimulateOptions& options) {
  using packets::Members;
  const PacketRun run{.load = options.load,
                      .seed = options.seed,
                      .bytes = options.bytes,
                      .json = options.json,
                      .members = options.with_switches ? Members::kHostsAndSwitches : Members::kHosts,
                      .lids = options.lids};
  if (options.patterns.empty() && options.schedule.empty())
    return simulate_packets(options.source, options.packets, run);
  if (options.load != "phases" && options.load != "streams")
    throw Refused{{"--load of packets with --patterns or --schedule is phases or streams",
                   {},
                   0,
                   "say --traffic for a load without end"}};
  const FabricAndTables loaded = load(options.source, TablesNeed::kOptional);
  for (const Traffic& traffic : traffics(loaded.fabric, options))
    simulate_packets(loaded, options.packets, run, traffic.name, traffic.phases);
}

void simulate(const SimulateOptions& options) {
  if (options.packets.packets) return simulate_as_packets(options);
  if (options.load != "phases" && options.load != "streams" && options.load != "full")
    throw Refused{
        {"without --packets, --load must be phases, streams or full", {}, 0, "a number is a load for --packets"}};
  if (options.patterns.empty() == options.schedule.empty())
    throw Refused{{"simulate needs either --patterns or --schedule", {}, 0, "see espalier simulate --help"}};
  if (options.load != "full" && options.flows.phases == nullptr) become_models("simulate of flows");
  const FabricAndTables loaded = load(options.source, TablesNeed::kRequired);
  const Fabric& fabric = loaded.fabric;
  const std::optional<ForwardingTables>& tables = loaded.tables;
  const std::optional<Lanes> lanes =
      load_lanes(loaded, {.lanes = options.packets.lanes, .sl2vl = {}, .path_records = {}});
  for (const Traffic& traffic : traffics(fabric, options))
    print_simulation(simulate_traffic(fabric, *tables, lanes, traffic, options), options);
}

constexpr const char* kSimulateFooter =
    "Without --packets, transfers are fluid flows: they share channels max-min fairly, without latency or packet "
    "(SimGrid, which is in the package espalier-models).\n"
    "phase:A:B gives two results, one per direction.\n"
    "--load phases   all transfers of a phase at once, then the next phase\n"
    "       streams  each host sends its transfers one after the other, phase by phase, without waiting for others\n"
    "       full     all transfers at once, forever\n"
    "throughput is relative to what the hosts' own links allow: least possible time / time; with full load it is the "
    "mean\nover the senders, and least_throughput that of the worst. tbps: Tbit/s of all hosts together.\n"
    "Example: what a shift costs on average after a fault\n"
    "  espalier simulate tree.net tree.lfts --patterns sp:16\n"
    "Example: uniform traffic of hosts and switches at full load\n"
    "  espalier simulate tree.net tree.lfts --patterns a2a --load full --with-switches\n"
    "With --packets, packets wait in buffers of routers, cycle by cycle (core/packets/README.md).\n"
    "Example: adaptive routing on a dragonfly under adversarial traffic\n"
    "  espalier simulate dragonfly.net --packets --policy olm --traffic advg:1 --load 0.3 --json";

}  // namespace

void add_simulate(CLI::App& app) { add_simulate(app, {}); }

void add_simulate(CLI::App& app, const FlowSimulation& flows) {
  const auto options = std::make_shared<SimulateOptions>();
  options->flows = flows;
  CLI::App* command = app.add_subcommand("simulate", "Simulate traffic over tables: seconds and throughput");
  add_source(*command, options->source, TablesNeed::kRequired);
  add_packet_options(*command, options->packets);
  command->add_option("--patterns", options->patterns, "Comma-separated patterns, as for espalier analyze");
  command->add_option("--schedule", options->schedule, "Simulate a schedule (binary or text) instead, phase by phase");
  command
      ->add_option("--load", options->load,
                   "phases, streams or full, see below; with --packets: phits per node and cycle")
      ->capture_default_str();
  add_host_order_option(*command, options->order, "Order of the hosts");
  command->add_option("--lid-offset", options->lids, "Which LIDs traffic uses, as for espalier analyze")
      ->capture_default_str();
  add_node_type_options(*command, options->node_types);
  command->add_flag("--with-switches", options->with_switches, "Let switches take part, numbered after the hosts");
  command->add_option("--bytes", options->bytes, "Size of a transfer; a matrix's weights multiply it")
      ->check(CLI::Range(1.0, 1e12))
      ->capture_default_str();
  command->add_option("--gbps", options->default_gbps, "Rate of links of unknown rate, and of port 0 of switches")
      ->check(CLI::Range(1, 4000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of random patterns")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object per pattern, each on one line");
  command->footer(kSimulateFooter);
  command->callback([options] { simulate(*options); });
}

}  // namespace espalier::tools
