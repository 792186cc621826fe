// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate`: what traffic costs in time over anybody's tables, as flows (core/simulation) or packets
// (core/packets).
#include "core/tools/simulate/simulate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/io/export/json_text.h"
#include "core/tools/addons.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/figures_text.h"
#include "core/tools/simulate/flow_results.h"
#include "core/tools/simulate/offered_transfers.h"
#include "core/tools/simulate/simulate_packets.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
struct SimulateOptions {
  Source source;
  TransferOptions transfers;
  FlowRun flows;  // its load may be a number, of packets
  PacketOptions packets;
  bool json = false;
};

void print_simulation(const Json& result, const SimulateOptions& options) {
  if (options.json) return fmt::print("{}\n", json_text(result));
  fmt::print("{}", simulation_text(result));
}

// Of --patterns, --schedule and --traffic each has its own.
void refuse_idle_beside_traffic(const CLI::App& command, const SimulateOptions& options) {
  const TransferOptions& transfers = options.transfers;
  const bool by_patterns = !transfers.patterns.empty();
  const bool by_schedule = !transfers.schedule.empty();
  const bool is_written_out = by_patterns || by_schedule;
  refuse_idle(command, {"--host-order", "--order"}, by_patterns, "--patterns");
  refuse_idle(command, {"--node-types", "--io-guids"}, transfers.patterns.find("phase:") != std::string::npos,
              "--patterns phase:A:B");
  refuse_idle(command, {"--bytes", "--phit-bytes"}, is_written_out, "--patterns and --schedule");
  refuse_idle(command, {"--lid-offset", "--with-switches"}, !by_schedule, "traffic other than --schedule");
  refuse_idle(command, {"--traffic", "--classify", "--warmup", "--switch-load"}, !is_written_out,
              "packets without --patterns and --schedule");
}

// Whether packets follow LFTS: they do unless they are told otherwise. Adaptive ones may have a bias to it, 0 included.
bool follow_tables(const PacketOptions& packets) {
  if (packets.classify) return false;
  if (packets.policy.empty()) return packets.paths.empty();
  return packets.policy == "tables" || packets.policy == "adaptive";
}

void refuse_idle_beside_simulation(const CLI::App& command, const SimulateOptions& options) {
  const PacketOptions& packets = options.packets;
  refuse_idle_beside_traffic(command, options);
  refuse_idle(command, {"--gbps"}, !packets.packets, "flows, without --packets");
  if (!packets.packets) return;
  const Source& source = options.source;
  const bool has_tables = source.live || !source.tables.empty() || !source.engine.empty();
  refuse_idle(command, {"LFTS", "--engine", "--lid-offset"}, follow_tables(packets),
              "packets that follow tables: without --policy, or with adaptive");
  refuse_idle(command, {"--table-bias"}, packets.policy == "adaptive" && has_tables, "--policy adaptive with LFTS");
  refuse_idle_parameters(command, packets);
  refuse_idle(command, {"--flit-phits"}, packets.parameters.switching == packets::Switching::kWormhole,
              "--switching wormhole");
  refuse_idle(command, {"--switch-rate"}, options.transfers.with_switches, "--with-switches");
  refuse_idle(command, {"--policy", "--lanes", "--paths", "--record-paths", "--then", "--cycles", "--warmup", "--runs"},
              !packets.classify, "simulations, and --classify is none");
  if (!options.transfers.patterns.empty() && !options.transfers.schedule.empty())
    throw Refused{{"--patterns and --schedule are two kinds of traffic", {}, 0, "give one of them"}};
}

void simulate_as_packets(const SimulateOptions& options) {
  using packets::Members;
  const TransferOptions& transfers = options.transfers;
  const std::string& load_word = options.flows.load;
  const PacketRun run{.load = load_word,
                      .seed = transfers.seed,
                      .bytes = transfers.bytes,
                      .json = options.json,
                      .members = transfers.with_switches ? Members::kHostsAndSwitches : Members::kHosts,
                      .lids = transfers.lids};
  Source source = options.source;
  source.second_tables = options.packets.next_tables;
  if (transfers.patterns.empty() && transfers.schedule.empty()) return simulate_packets(source, options.packets, run);
  if (load_word != "phases" && load_word != "streams")
    throw Refused{{"--load of packets with --patterns or --schedule is phases or streams",
                   {},
                   0,
                   "say --traffic for a load without end"}};
  const FabricAndTables loaded = load(source, TablesNeed::kOptional);
  for (const OfferedTransfers& offered : offered_transfers(loaded.fabric, transfers))
    simulate_packets(loaded, options.packets, run, offered.name, offered.phases);
}

void simulate(const SimulateOptions& options) {
  if (options.packets.packets) return simulate_as_packets(options);
  const std::string& load_word = options.flows.load;
  if (load_word != "phases" && load_word != "streams" && load_word != "full")
    throw Refused{
        {"without --packets, --load must be phases, streams or full", {}, 0, "a number is a load for --packets"}};
  if (options.transfers.patterns.empty() == options.transfers.schedule.empty())
    throw Refused{{"simulate needs either --patterns or --schedule",
                   {},
                   0,
                   "give one of them, for example --patterns sp:16; with --packets uniform traffic needs neither"}};
  if (load_word != "full" && options.flows.simulation.phases == nullptr)
    become_models("simulate of flows", "install it, or say --load full or --packets, which need none");
  const FabricAndTables loaded = load(options.source, TablesNeed::kRequired);
  const std::optional<Lanes> lanes =
      load_lanes(loaded, {.lanes = options.packets.lanes, .sl2vl = {}, .path_records = {}});
  for (const OfferedTransfers& offered : offered_transfers(loaded.fabric, options.transfers))
    print_simulation(simulate_flows(loaded, lanes, offered, options.flows), options);
}

constexpr const char* kSimulateFooter =
    "Without --packets, transfers are fluid flows: they share channels max-min fairly, without latency or packets.\n"
    "--load phases and streams need the package espalier-models, for SimGrid.\n"
    "phase:A:B gives two results, one per direction.\n"
    "--load phases   all transfers of a phase at once, then the next phase\n"
    "       streams  each host sends its transfers one after the other, phase by phase, without waiting for others\n"
    "       full     all transfers at once, forever\n"
    "throughput is relative to what the hosts' own links allow: least possible time / time; with full load it is the "
    "mean\nover the senders, the least that of the worst.\n"
    "Under --json the least is least_throughput, and tbps is what all hosts send together, in Tbit/s.\n"
    "Example: what a shift costs on average after a fault\n"
    "  espalier simulate tree.net tree.lfts --patterns sp:16\n"
    "Example: uniform traffic of hosts and switches at full load\n"
    "  espalier simulate tree.net tree.lfts --patterns a2a --load full --with-switches\n"
    "With --packets, packets wait in buffers of routers, cycle by cycle.\n"
    "Example: adaptive routing on a dragonfly under adversarial traffic\n"
    "  espalier simulate dragonfly.net --packets --policy olm --traffic advg:1 --load 0.3 --json";

}  // namespace

void add_simulate(CLI::App& app) { add_simulate(app, {}); }

void add_simulate(CLI::App& app, const FlowSimulation& flows) {
  const auto options = std::make_shared<SimulateOptions>();
  options->flows.simulation = flows;
  CLI::App* command = app.add_subcommand("simulate", "Simulate traffic over tables: seconds and throughput");
  add_source(*command, options->source, TablesNeed::kRequired);
  add_packet_options(*command, options->packets);
  command->add_option("--patterns", options->transfers.patterns, "Comma-separated patterns, as for espalier analyze");
  command->add_option("--schedule", options->transfers.schedule,
                      "Simulate a schedule (binary or text) instead, phase by phase");
  command
      ->add_option(
          "--load", options->flows.load,
          "phases, streams or full, see below; with --packets and --traffic: phits per node and cycle, above 0 and "
          "at most 1; several with commas between them, a result for each")
      ->capture_default_str();
  add_host_order_option(*command, options->transfers.order,
                        "Order of the hosts in --patterns (--traffic goes by topology)");
  command->add_option("--lid-offset", options->transfers.lids, "Which LIDs traffic uses, as for espalier analyze")
      ->capture_default_str();
  add_node_type_options(*command, options->transfers.node_types);
  command->add_flag("--with-switches", options->transfers.with_switches,
                    "Let switches take part, numbered after the hosts");
  command->add_option("--bytes", options->transfers.bytes, "Size of a transfer; a matrix's weights multiply it")
      ->check(CLI::Range(1.0, 1e12))
      ->capture_default_str();
  command->add_option("--gbps", options->flows.default_gbps, "Rate of links of unknown rate, and of port 0 of switches")
      ->check(CLI::Range(1, 4000))
      ->capture_default_str();
  command->add_option("--seed", options->transfers.seed, "Seed of random patterns")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object per pattern or load, each on one line");
  command->footer(kSimulateFooter);
  command->callback([options, command] {
    refuse_idle_beside_simulation(*command, *options);
    simulate(*options);
  });
}

}  // namespace espalier::tools
