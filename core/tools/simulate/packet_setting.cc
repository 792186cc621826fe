// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/packet_setting.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/number.h"
#include "core/packets/presets.h"
#include "core/tools/command.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/simulate/packet_traffic.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using packets::Parameters;

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

double switch_load_of(const PacketSetting& setting, const PacketOptions& options, packets::Members members) {
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

}  // namespace

double parse_load(const std::string& text) {
  constexpr const char* kAdvice = "give phits per node and cycle, above 0 and at most 1";
  if (text == "phases")  // the default
    throw Refused{{"--packets needs a --load", {}, 0, kAdvice}};
  if (const std::optional<double> load = parse_number(text, 0.0, 1.0); load && *load > 0) return *load;
  throw Refused{{fmt::format("--load {} is not a load for --packets", text), {}, 0, kAdvice}};
}

void set_network_and_policy(PacketSetting& setting, const FabricAndTables& loaded, const PacketOptions& options,
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

void set_pattern(PacketSetting& setting, const Fabric& fabric, const PacketOptions& options, const PacketRun& run) {
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

void set_length(PacketSetting& setting, const PacketOptions& options) {
  const packets::Preset& preset = preset_of(options);
  setting.length.cycles = options.cycles.value_or(setting.is_finite() ? 100'000'000 : preset.cycles);
  setting.length.warmup = options.warmup.value_or(options.cycles ? *options.cycles / 2 : preset.warmup);
  setting.change_at = options.change_at.value_or(setting.is_finite() ? 0 : setting.length.warmup);
  setting.change_over = options.change_over;
}

}  // namespace espalier::tools
