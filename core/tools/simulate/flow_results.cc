// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/flow_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "core/analysis/congestion/lane_loads.h"
#include "core/base/text.h"
#include "core/simulation/fair_rates.h"
#include "core/tools/command.h"
#include "core/tools/progress_bar.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using TransferPhases = std::vector<std::vector<Transfer>>;

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

void warn_of_weights(const std::string& name, std::span<const Transfer> all) {
  const auto is_other = [&](const Transfer& transfer) { return transfer.bytes != all.front().bytes; };
  if (std::any_of(all.begin(), all.end(), is_other))
    warn(fmt::format("{}: --load full knows no weights: every transfer gets the fair share of one", name));
}

// The whole load at once and for ever: what share of their links' rate do the nodes get on the average?
void add_full_load(Json& result, const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> all,
                   const SimulationOptions& options) {
  const FairRates rates = fair_rates(fabric, tables, all, options);
  std::map<Lid, double> sent;  // by node
  for (std::size_t i = 0; i < all.size(); ++i) sent[base_of(fabric, all[i].from)] += rates.bytes_per_second[i];
  double possible = 0;
  double least = sent.empty() ? 0 : 1;
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

// Those that arrive: what is left out takes no time and none of the nodes' own links.
TransferPhases delivered_of(TransferPhases phases, std::span<const std::size_t> left_out) {
  std::size_t position = 0;
  std::size_t passed = 0;  // of left_out
  for (auto& phase : phases)
    std::erase_if(phase, [&](const Transfer&) {
      const bool is_left_out = passed < left_out.size() && left_out[passed] == position;
      ++position;
      passed += is_left_out ? 1 : 0;
      return is_left_out;
    });
  return phases;
}

// `phases`: what stands behind one another; of streams one for all.
void add_times(Json& result, double seconds, const Fabric& fabric, TransferPhases phases,
               std::span<const std::size_t> left_out, const SimulationOptions& options) {
  double least = 0;  // seconds that the nodes' own links need
  double bytes = 0;
  for (const auto& phase : delivered_of(std::move(phases), left_out)) {
    least += least_seconds(fabric, phase, options);
    for (const Transfer& transfer : phase) bytes += transfer.bytes;
  }
  result["seconds"] = seconds;
  result["throughput"] = seconds > 0 ? least / seconds : 0;
  result["tbps"] = seconds > 0 ? bytes * 8e-12 / seconds : 0;
  result["undelivered"] = left_out.size();
}

void add_phases(Json& result, const Fabric& fabric, const ForwardingTables& tables, const TransferPhases& phases,
                const FlowSimulation& flows, const SimulationOptions& options) {
  const SimulatedTimes times = flows.phases(fabric, tables, phases, options);
  result["slowest_phase"] = times.seconds.empty() ? 0 : *std::max_element(times.seconds.begin(), times.seconds.end());
  add_times(result, std::reduce(times.seconds.begin(), times.seconds.end()), fabric, phases, times.left_out, options);
}

void add_streams(Json& result, const Fabric& fabric, const ForwardingTables& tables, std::vector<Transfer> all,
                 const FlowSimulation& flows, const SimulationOptions& options) {
  const SimulatedTimes times = flows.streams(fabric, tables, all, options);
  const double end = times.seconds.empty() ? 0 : *std::max_element(times.seconds.begin(), times.seconds.end());
  TransferPhases one;
  one.push_back(std::move(all));
  add_times(result, end, fabric, std::move(one), times.left_out, options);
}

// Whenever a transfer ends, the rates of all that still run are shared anew. Measured with 650 to 46 440 at a time on a
// core of 2026: what a transfer costs by itself, and for each that runs beside it (docs/measured/command.md).
double estimated_seconds(const OfferedTransfers& offered, const FlowRun& run) {
  constexpr double kSecondsPerTransfer = 18e-6;
  constexpr double kSecondsPerPair = 9e-9;
  std::size_t most = 0;
  double seconds = 0;
  for (const auto& phase : offered.phases) most = std::max(most, phase.size());
  for (const auto& phase : offered.phases) {
    const auto n = static_cast<double>(phase.size());
    seconds += n * (kSecondsPerTransfer + kSecondsPerPair * (run.load == "phases" ? n : static_cast<double>(most)));
  }
  return seconds;
}

void refuse_what_takes_hours(const OfferedTransfers& offered, const FlowRun& run) {
  constexpr double kTellFrom = 30;                    // seconds
  constexpr std::size_t kMostTransfers = 20'000'000;  // some kilobytes each
  std::size_t transfers = 0;
  for (const auto& phase : offered.phases) transfers += phase.size();
  if (transfers > kMostTransfers)
    throw Refused{{fmt::format("{} has {} transfers, more than {}", offered.name, transfers, kMostTransfers),
                   {},
                   0,
                   "take every k-th shift (sp:K), fewer draws (rp:N), or --load full, which needs no time steps"}};
  const double seconds = estimated_seconds(offered, run);
  if (run.load != "full" && seconds > kTellFrom)
    warn(fmt::format("{}: {} transfers take about {:.0f} s; sp:K and rp:N take fewer, --load full needs no time steps",
                     offered.name, transfers, seconds));
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

}  // namespace

Json simulate_flows(const FabricAndTables& loaded, const std::optional<Lanes>& lanes, const OfferedTransfers& offered,
                    const FlowRun& run) {
  const Fabric& fabric = loaded.fabric;
  const ForwardingTables& tables = *loaded.tables;
  const std::vector<Transfer> all = all_of(offered.phases);
  refuse_what_takes_hours(offered, run);
  ProgressBar bar(fmt::format("{}: {} transfers", offered.name, all.size()));
  const SimulationOptions more{.default_mbps = run.default_gbps * 1000, .progress = bar.progress()};
  Json result{{"traffic", offered.name}, {"load", run.load}, {"phases", offered.phases.size()}};
  result["transfers"] = all.size();
  if (run.load == "full") {
    warn_of_weights(offered.name, all);
    add_full_load(result, fabric, tables, all, more);
  } else if (run.load == "streams") {
    add_streams(result, fabric, tables, all, run.simulation, more);
  } else {
    add_phases(result, fabric, tables, offered.phases, run.simulation, more);
  }
  if (lanes) add_lanes(result, fabric, tables, *lanes, all);
  if (const auto undelivered = result["undelivered"].get<std::size_t>(); undelivered != 0)
    warn(fmt::format("{}: left out, since they do not arrive: {}; run espalier verify to see why", offered.name,
                     counted(undelivered, "transfer")));
  return result;
}

}  // namespace espalier::tools
