// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The options of `espalier simulate --packets`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/packets/policies/policies.h"
#include "core/packets/presets.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/simulate/simulate_packets.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

using packets::Parameters;
using packets::PolicyOption;

// Adds options of the group "With --packets" that need --packets.
class Adder {
 public:
  explicit Adder(CLI::App& command, PacketOptions& options)
      : command_(command),
        options_(options),
        flag_(command.add_flag("--packets", options.packets, "Simulate packets instead of flows")->group(kGroup)) {}

  template <class Value>
  CLI::Option* add(const char* name, Value& value, const std::string& help) {
    return command_.add_option(name, value, help)->group(kGroup)->needs(flag_);
  }
  void flag(const char* name, bool& value, const std::string& help) {
    command_.add_flag(name, value, help)->group(kGroup)->needs(flag_);
  }
  // A parameter; what the help shows as its default is that without a preset.
  template <class Value>
  void number(const char* name, Value Parameters::*value, const std::string& help, double least, double most,
              std::optional<PolicyOption> of_policies = std::nullopt) {
    const auto range = CLI::Range(static_cast<Value>(least), static_cast<Value>(most));
    remember(add(name, options_.parameters.*value, help)->check(range)->capture_default_str(), value, of_policies);
  }
  // One of some words; `help` says which is the default.
  template <class Value>
  void choice(const char* name, Value Parameters::*value, const std::string& help,
              const std::map<std::string, Value>& words, std::optional<PolicyOption> of_policies = std::nullopt) {
    remember(add(name, options_.parameters.*value, help)->transform(word_for(words))->type_name("ENUM"), value,
             of_policies);
  }

 private:
  template <class Value>
  void remember(CLI::Option* option, Value Parameters::*value, std::optional<PolicyOption> of_policies) {
    options_.given.push_back(
        {option, [value](Parameters& to, const Parameters& from) { to.*value = from.*value; }, of_policies});
  }

  static constexpr const char* kGroup = "With --packets";
  CLI::App& command_;
  PacketOptions& options_;
  CLI::Option* flag_;
};

void add_path_options(CLI::App& command, Adder& adder, PacketOptions& options) {
  std::string names;
  for (const packets::PolicyEntry& entry : packets::policies())
    names += fmt::format("\n{}: {}", entry.name, entry.what);
  adder.add("--policy", options.policy, "How packets choose their path:" + names);
  adder.flag(
      "--classify", options.classify,
      "Simulate nothing: say which flows of --traffic at --load are benign or adversarial, and how to route them "
      "(TPR); flows are those of shift, permutation or matrix");
  command.add_option(
      "--lanes", options.lanes,
      "Service levels and virtual lanes of the tables, as route --lanes writes them; default: one lane, or "
      "those of --engine; not with --policy");
  adder.add("--paths", options.paths,
            "Paths of flows with their weights, as throughput --write-paths and --record-paths write them: each packet "
            "takes one of its flow's (policy paths)");
  adder.add("--record-paths", options.record_paths,
            "File to write: how often packets took which path, for policies that choose at the source (ugal-l, ugal-g, "
            "pb, crt, tpr); given back by --paths it is SDN-ugal");
}

void add_table_change_options(Adder& adder, PacketOptions& options) {
  CLI::Option* const then = adder.add("--then", options.next_tables,
                                      "LFTS that replace the others in the middle of the run, switch by switch");
  adder
      .add("--change-at", options.change_at,
           "When the first switch takes --then, in cycles; default: after the warm-up")
      ->needs(then);
  adder.add("--change-over", options.change_over, "Cycles from the first switch to the last")
      ->capture_default_str()
      ->needs(then);
}

void add_traffic_options(Adder& adder, PacketOptions& options) {
  using packets::Switching;
  adder.add("--phit-bytes", options.phit_bytes, "Bytes of a phit: with --patterns or --schedule, of --bytes")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  adder
      .add("--traffic", options.traffic,
           "un, advg:N, advl:N, mixed:P (advg:h with probability P, 0 to 1 or above 1 in percent, "
           "else advl:1), nlc:U:WORD (each packet with probability U as un, else as WORD), rlc:U:WORD (a share U of "
           "the routers as un, the others as WORD), "
           "burst:B:P (B packets of mixed:P from each node at once) or burst:B:WORD; on any fabric "
           "un, shift:K, permutation:I (the I-th of the seed) or matrix:FILE")
      ->capture_default_str();
  adder.choice<Switching>("--switching", &Parameters::switching, "vct (virtual cut-through, default) or wormhole",
                          {{"vct", Switching::kVirtualCutThrough}, {"wormhole", Switching::kWormhole}});
  adder.add("--packet-phits", options.packet_phits, "Phits of a packet; default: 8, under wormhole 80")
      ->check(CLI::Range(1, 4096));
  adder
      .add("--flit-phits", options.flit_phits,
           "Phits of a flit, under wormhole; default: 10, or its greatest common divisor with --packet-phits")
      ->check(CLI::Range(1, 4096));
  std::string names_of_presets;
  for (const packets::Preset& preset : packets::presets())
    names_of_presets += fmt::format("\n{}: {}", preset.name, preset.what);
  adder.add("--preset", options.preset, "Parameters of a publication; other options override them" + names_of_presets)
      ->capture_default_str();
}

void add_duration_options(Adder& adder, PacketOptions& options) {
  adder
      .add("--cycles", options.cycles,
           "Cycles to measure after the warm-up; for a burst, the most; default: the preset's")
      ->check(CLI::Range(1, 1'000'000'000));
  adder
      .add("--warmup", options.warmup,
           "Warm-up cycles before those that are measured; default: half of --cycles, or the preset's")
      ->check(CLI::Range(0, 1'000'000'000));
  adder
      .add("--switch-rate", options.switch_rate,
           "With --with-switches: what port 0 sends and receives at most, as a share of a link's rate")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  adder
      .add("--switch-load", options.switch_load,
           "With --with-switches: phits per cycle that each switch offers, at most --switch-rate; default: --load "
           "times --switch-rate")
      ->check(CLI::Range(0.0, 1.0));
  adder
      .add("--runs", options.runs,
           "Parallel runs with seeds SEED, SEED + 1, ...; confidence intervals are over the runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
}

void add_router_options(Adder& adder) {
  using packets::Allocator;
  using packets::Credits;
  using packets::CrossbarInputs;
  adder.number("--local-latency", &Parameters::local_latency,
               "Latency in cycles of links within a group, and of all links of trees", 1, 1e4);
  adder.number("--global-latency", &Parameters::global_latency, "Latency in cycles of links between groups", 1, 1e4);
  adder.number("--pipeline", &Parameters::pipeline,
               "Cycles that a packet's head spends in each router behind the first", 0, 1e4);
  adder.number("--local-buffer", &Parameters::local_buffer, "Phits of a local link's buffer for each VC", 1, 6e4);
  adder.number("--global-buffer", &Parameters::global_buffer, "Phits of a global link's buffer for each VC", 1, 6e4);
  adder.number("--injection-buffer", &Parameters::injection_buffer, "Phits of a host's buffer for each VC", 1, 6e4);
  adder.number("--injection-vcs", &Parameters::injection_vcs, "VCs from host to router", 1, 15);
  adder.number("--speedup", &Parameters::speedup, "Speedup of the crossbar relative to links", 1, 16);
  adder.number("--output-buffer", &Parameters::output_buffer, "Phits that may wait after the crossbar", 0, 6e4);
  adder.choice<Credits>(
      "--credits", &Parameters::credits,
      "When room in a buffer is told: packet by packet (default; under wormhole flit by flit) or phit "
      "by phit, so that fills are known to the phit",
      {{"packet", Credits::kByUnit}, {"phit", Credits::kByPhit}});
  adder.choice<CrossbarInputs>(
      "--crossbar", &Parameters::crossbar,
      "How many packets of an input port may cross the crossbar at a time: one per vc (default) or one per port",
      {{"vc", CrossbarInputs::kOneForVc}, {"port", CrossbarInputs::kOneForPort}});
  adder.choice<Allocator>(
      "--allocator", &Parameters::allocator, "Which packet goes first: random (default), round-robin or oldest",
      {{"random", Allocator::kRandom}, {"round-robin", Allocator::kRoundRobin}, {"oldest", Allocator::kOldestFirst}});
  adder.choice<bool>(
      "--first", &Parameters::transit_first,
      "Who goes first: any packet (default), or transit: those from other routers before those from hosts",
      {{"any", false}, {"transit", true}});
}

// Of policies that may leave the minimal path.
void add_misroute_options(Adder& adder) {
  using packets::GlobalMisroute;
  using packets::Occupancy;
  using packets::ValiantLevel;
  adder.number("--threshold", &Parameters::threshold,
               "Misroute to outputs filled less than this share of the minimal output", 0, 1, PolicyOption::kThreshold);
  adder.choice<Occupancy>("--occupancy", &Parameters::occupancy,
                          "Whose fill is compared: of the vc (default) or the port",
                          {{"port", Occupancy::kPort}, {"vc", Occupancy::kVc}}, PolicyOption::kOccupancy);
  adder.choice<packets::Diverts>(
      "--divert-when", &Parameters::diverts,
      "Leave the minimal path while its output is busy or full (default), or only while full",
      {{"busy", packets::Diverts::kWhenBusy}, {"full", packets::Diverts::kWhenFull}}, PolicyOption::kDiverts);
  adder.choice<GlobalMisroute>(
      "--global-misroute", &Parameters::global_misroute,
      "Misroute over whose global links: the current router's, a neighbor's, both, or mixed (default)",
      {{"current", GlobalMisroute::kCurrent},
       {"neighbor", GlobalMisroute::kNeighbor},
       {"both", GlobalMisroute::kBoth},
       {"mixed", GlobalMisroute::kMixed}},
      PolicyOption::kGlobalMisroute);
  adder.choice<bool>("--last-hop-vc", &Parameters::spread_vcs,
                     "VC of the last local hop: the first that is allowed (default) or the emptiest",
                     {{"emptiest", true}, {"first", false}}, PolicyOption::kSpreadVcs);
  adder.choice<ValiantLevel>("--valiant", &Parameters::valiant, "Go through a random group (default) or router",
                             {{"group", ValiantLevel::kGroup}, {"router", ValiantLevel::kRouter}},
                             PolicyOption::kValiant);
}

// Of policies that compare queues.
void add_queue_options(Adder& adder) {
  using packets::PathWeight;
  using packets::QueueMeasure;
  adder.choice<QueueMeasure>("--measure", &Parameters::measure,
                             "Unit in which UGAL compares queues: fill in percent (default) or phits",
                             {{"fill", QueueMeasure::kFill}, {"phits", QueueMeasure::kPhits}}, PolicyOption::kMeasure);
  adder.choice<PathWeight>("--weight", &Parameters::weight,
                           "What UGAL multiplies queues by: global hops, 1 and 2 (default), or all hops of the path",
                           {{"global", PathWeight::kGlobalHops}, {"hops", PathWeight::kHops}}, PolicyOption::kWeight);
  adder.number("--ugal-offset", &Parameters::ugal_offset, "T of UGAL in favor of minimal paths, as --measure", -1e6,
               1e6, PolicyOption::kUgalOffset);
  adder.number("--pb-offset", &Parameters::piggyback_offset, "T of piggybacking, as --measure", -1e6, 1e6,
               PolicyOption::kPiggybackOffset);
  adder.number("--tpr-limit", &Parameters::tpr_limit, "The limit thr of TPR, in phits per cycle", 0, 100,
               PolicyOption::kTprLimit);
  adder.number("--tpr-most-offset", &Parameters::tpr_most_offset,
               "By how many packets TPR favors minimal paths between groups, at most (its table has up to 900)", 0, 1e6,
               PolicyOption::kTprMostOffset);
  adder.number("--contention-limit", &Parameters::contention_limit,
               "Packets that want an output before others avoid it", 0, 1000, PolicyOption::kContentionLimit);
  adder.number("--table-bias", &Parameters::table_bias,
               "Of adaptive: how much of a queue the table's port may be fuller and still be taken; below 0: no bias",
               -1, 1);
  adder.number("--pb-period", &Parameters::piggyback_period, "Cycles between two broadcasts of piggybacking", 1, 1e4,
               PolicyOption::kPiggybackPeriod);
}

// "--policy valiant, pb and tpr".
std::string policies_in_words(const std::vector<std::string_view>& names) {
  std::string words = "--policy";
  for (std::size_t i = 0; i < names.size(); ++i)
    words += fmt::format("{} {}", i == 0 ? "" : i + 1 < names.size() ? "," : " and", names[i]);
  return words;
}

}  // namespace

void add_packet_options(CLI::App& command, PacketOptions& options) {
  Adder adder(command, options);
  add_path_options(command, adder, options);
  add_table_change_options(adder, options);
  add_traffic_options(adder, options);
  add_duration_options(adder, options);
  add_router_options(adder);
  add_misroute_options(adder);
  add_queue_options(adder);
}

void refuse_idle_parameters(const CLI::App& command, const PacketOptions& options) {
  constexpr const char* kSimulations = "simulations, and --classify is none";
  refuse_idle(command, {"--preset", "--packet-phits", "--flit-phits"}, !options.classify, kSimulations);
  const auto refuse_unless_taken = [&](const char* name, PolicyOption option) {
    const std::vector<std::string_view> takers = packets::policies_with(option);
    refuse_idle(command, {name}, std::find(takers.begin(), takers.end(), options.policy) != takers.end(),
                policies_in_words(takers));
  };
  for (const PacketOptions::Given& given : options.given) {
    const std::string name = given.option->get_name();
    refuse_idle(command, {name.c_str()}, !options.classify, kSimulations);
    if (given.of_policies) refuse_unless_taken(name.c_str(), *given.of_policies);
  }
  refuse_unless_taken("--record-paths", PolicyOption::kCounts);
}

}  // namespace espalier::tools
