// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier schedule`: exchanges without congestion, as the plugin would publish them; and checks of any schedule.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/base/split.h"
#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/engines/fors.h"
#include "core/io/lists/guid_file.h"
#include "core/io/schedule/schedule_file.h"
#include "core/io/schedule/schedule_text.h"
#include "core/schedule/trees/exchange_bound.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/progress_bar.h"
#include "core/tools/quiet.h"
#include "core/tools/summary.h"
#include "core/tools/tables/schedule_check.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

constexpr std::string_view kLeastLmc = "min";

struct ScheduleOptions {
  std::string net;
  std::string checked_tables;  // with --check: LFTS
  std::string checked;         // with --check: SCHEDULE
  std::string output;
  std::string text;
  std::string tables;
  std::string mode = "auto";
  std::string participants;
  std::string matrix;
  std::string roots;
  std::string lmc;  // a number, "min", or empty
  std::uint64_t epoch = 0;
  unsigned threads = 0;
  bool check = false;
  bool allgather = false;
  bool json = false;
};

// REQUIRES: not "min".
std::optional<unsigned> given_lmc(const ScheduleOptions& options) {
  if (options.lmc.empty()) return std::nullopt;
  return static_cast<unsigned>(std::stoul(options.lmc));
}

std::size_t num_flows(const Schedule& schedule) {
  return static_cast<std::size_t>(std::count_if(schedule.sends.begin(), schedule.sends.end(),
                                                [](const Send& send) { return send.destination != Send::kIdle; }));
}

nlohmann::ordered_json summary_of(const Schedule& schedule) {
  return {{"servers", schedule.servers.size()},
          {"mode", name(schedule.mode)},
          {"lmc", schedule.lmc},
          {"phases", schedule.phases},
          {"bound", schedule.bound},
          {"flows", num_flows(schedule)},
          {"epoch", schedule.epoch}};
}

void print_faults(const ScheduleOptions& options, const Schedule& schedule, const std::string& faults) {
  if (!options.json) return fmt::print("{}", faults);
  nlohmann::ordered_json summary = summary_of(schedule);
  summary["congestion_free"] = faults.empty();
  summary["faults"] = split_words(faults, "\n");
  print_json(summary);
}

void check_command(const ScheduleOptions& options) {
  Source source;
  source.net = options.net;
  source.tables = options.checked_tables;
  source.lmc = given_lmc(options);
  const FabricAndTables loaded = load(source, TablesNeed::kRequired);
  const Fabric& fabric = loaded.fabric;
  const ForwardingTables& tables = *loaded.tables;
  const Schedule schedule = value_or_refuse(read_schedule(load_text(options.checked), options.checked));
  WantedExchange wanted{options.allgather, options.matrix, {}};
  if (!options.matrix.empty())
    wanted.demand = read_demand(fabric, traffic_order(fabric, "topology").hosts, options.matrix);
  if (num_flows(schedule) == 0)
    throw Refused{{"the schedule has no flow: there is nothing to check", options.checked, 0, {}}};
  warn_of_components(fabric, schedule);
  const ProgressBar bar("check of the schedule");
  if (const std::string faults = faults_of(fabric, tables, schedule, wanted); !faults.empty()) {
    print_faults(options, schedule, faults);
    throw AnswerIsNo{};
  }
  if (options.json) return print_faults(options, schedule, {});
  fmt::print("congestion-free: {} meet in {} (lower bound {}), {} share no link\n",
             counted(schedule.servers.size(), "server"), counted(schedule.phases, "phase"), schedule.bound,
             counted(num_flows(schedule), "flow"));
}

// Those that take part, or all hosts.
std::vector<EndportId> hosts_of(const Fabric& fabric, const std::vector<Guid>& participants) {
  std::vector<EndportId> hosts = traffic_order(fabric, "topology").hosts;
  if (!participants.empty())
    std::erase_if(hosts, [&](EndportId e) {
      return std::find(participants.begin(), participants.end(), fabric.at(e).port_guid) == participants.end();
    });
  return hosts;
}

// The fabric with its LIDs, tables for it and a schedule over them.
struct Made {
  std::unique_ptr<const Fabric> fabric;
  ExchangeOptions exchange;
  Routing routing;
  double ms = 0;
};

// Who sends to whom in which phase is a table of servers and phases: at most 30 bytes and 1.2 microseconds for each entry,
// measured for all-to-all up to 8 640 servers (docs/measured/schedules.md). Says so where that is much, and refuses what this
// machine cannot hold.
void expect_memory(std::size_t num_servers, std::size_t phases, const std::string& path) {
  constexpr double kBytesPerEntry = 30;
  constexpr double kSecondsPerEntry = 1.2e-6;
  constexpr double kGigabyte = 1e9;
  const double entries = static_cast<double>(num_servers) * static_cast<double>(phases);
  const double wanted = kBytesPerEntry * entries;
  const double present = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const std::string what = fmt::format("a schedule of {} servers in {} phases or more takes up to {:.1f} GB of memory",
                                       num_servers, phases, wanted / kGigabyte);
  if (wanted > present)
    throw Refused{{fmt::format("{}, and this machine has {:.0f}", what, present / kGigabyte), path, 0,
                   "name those that take part with --participants"}};
  if (wanted > kGigabyte) warn(fmt::format("{} and {:.0f} s of one core", what, entries * kSecondsPerEntry));
}

Made make_with(const ScheduleOptions& options, std::optional<unsigned> lmc) {
  Made made;
  made.exchange.mode = *kWantedModeNames.find(options.mode);
  if (!options.participants.empty()) {
    made.exchange.participants = value_or_refuse(read_guids(load_text(options.participants), options.participants));
    made.exchange.participants_file = options.participants;
    if (made.exchange.participants.empty()) throw Refused{{"it names no host", options.participants, 0, {}}};
  }
  made.fabric = std::make_unique<const Fabric>(load_fabric(options.net, lmc));
  if (options.allgather) made.exchange.collective = Collective::kAllGather;
  if (!options.matrix.empty()) {
    made.exchange.collective = Collective::kTraffic;
    made.exchange.traffic =
        read_demand(*made.fabric, hosts_of(*made.fabric, made.exchange.participants), options.matrix);
  }
  made.exchange.most_servers_by_paths = std::numeric_limits<std::size_t>::max();  // nobody is held up here
  const FatTree tree = value_or_refuse(rank(*made.fabric, load_rank_options(options.roots, {})));
  if (const std::vector<EndportId> hosts = hosts_of(*made.fabric, made.exchange.participants); !hosts.empty()) {
    const bool is_whole = made.exchange.collective == Collective::kAllToAll;
    expect_memory(hosts.size(), is_whole ? exchange_bound(tree, hosts) : hosts.size(), options.net);
  }
  const ProgressBar bar("schedule");
  Stopwatch watch;
  made.routing = with_threads(options.threads, [&] { return value_or_refuse(Fors(made.exchange).route(tree)); });
  made.ms = watch.lap();
  if (!made.routing.schedule)
    throw Refused{{"no schedule was made", options.net, 0,
                   made.routing.warnings.empty() ? std::string() : made.routing.warnings.front()}};
  return made;
}

// By the least LMC with which the exchange meets its bound; by the one with the fewest phases where none does.
Made make_with_least_lmc(const ScheduleOptions& options) {
  std::optional<Made> best;
  for (unsigned lmc = 0; lmc <= kMaxLmc; ++lmc) {
    std::optional<Made> made;
    try {
      made = make_with(options, lmc);
    } catch (const Refused& refused) {
      if (!best) throw;
      tell(fmt::format("LMC {}: {}", lmc, refused.error.text()));
      break;  // no LIDs left: no larger LMC has them either
    }
    const Schedule& schedule = *made->routing.schedule;
    tell(fmt::format("LMC {}: {}, lower bound {}", lmc, counted(schedule.phases, "phase"), schedule.bound));
    if (!best || schedule.phases < best->routing.schedule->phases) best = std::move(made);
    if (best->routing.schedule->phases <= best->routing.schedule->bound) break;
  }
  return *std::move(best);
}

// --check wants LFTS and SCHEDULE behind NET, and nothing else takes them.
void refuse_other_files(const ScheduleOptions& options) {
  if (options.check && options.checked.empty())
    throw Refused{{"schedule --check takes three files: NET LFTS SCHEDULE", {}, 0, "see espalier schedule --help"}};
  if (!options.check && !options.checked_tables.empty())
    throw Refused{{"schedule takes one file: NET", {}, 0, "with LFTS and SCHEDULE, give --check"}};
}

void schedule_command(const ScheduleOptions& options) {
  Made made = options.lmc == kLeastLmc ? make_with_least_lmc(options) : make_with(options, given_lmc(options));
  const Fabric& fabric = *made.fabric;
  Routing& routing = made.routing;
  for (const std::string& warning : routing.warnings) warn(warning);
  Schedule schedule = *routing.schedule;
  routing.schedule.reset();
  schedule.epoch = options.epoch;
  warn_of_components(fabric, schedule);
  // Nothing leaves that has not been judged by somebody else.
  const ProgressBar bar("check of the schedule");
  const VerifyReport proof =
      with_threads(options.threads, [&] { return verify(fabric, routing.tables, routing.lanes); });
  const std::string faults =
      faults_of(fabric, routing.tables, schedule, {options.allgather, options.matrix, made.exchange.traffic});
  if (!proof.ok() || !faults.empty()) {
    fmt::print(stderr, "{}{}espalier: the schedule is wrong and was not written\n",
               proof.ok() ? std::string() : describe(proof), faults);
    throw AnswerIsNo{};
  }
  if (!options.output.empty()) save_text(options.output, write_schedule_file(schedule));
  if (!options.text.empty()) save_text(options.text, write_schedule_text(schedule));
  if (!options.tables.empty()) save_tables(options.tables, fabric, routing.tables);
  tell(fmt::format("{}, mode {}, LMC {}: {}, lower bound {}, {:.1f} ms", counted(schedule.servers.size(), "server"),
                   name(schedule.mode), schedule.lmc, counted(schedule.phases, "phase"), schedule.bound, made.ms));
  if (!options.json) return;
  nlohmann::ordered_json summary = summary_of(schedule);
  summary["schedule_ms"] = made.ms;
  print_json(summary);
}

void schedule_or_check(const CLI::App& command, const ScheduleOptions& options) {
  refuse_other_files(options);
  refuse_idle(command, {"--output", "--text", "--lfts", "--mode", "--participants", "--roots", "--epoch"},
              !options.check, "schedules that are made, not for --check");
  if (options.check && options.lmc == kLeastLmc)
    throw Refused{{"--lmc min does not go with --check", {}, 0, "give the LMC of the tables, or omit it"}};
  if (options.check) return check_command(options);
  if (options.output.empty() && options.text.empty() && options.tables.empty() && !options.json)
    throw Refused{{"schedule has nothing to write", {}, 0, "give -o, --text, --lfts or --json"}};
  for (const std::string* path : {&options.output, &options.text, &options.tables})
    if (!path->empty()) refuse_mixed_output(options.json, *path);
  refuse_one_output_for_two({{"--output", options.output}, {"--text", options.text}, {"--lfts", options.tables}});
  schedule_command(options);
}

void add_schedule_options(CLI::App& command, ScheduleOptions& options) {
  command.add_option("NET", options.net, "Net file or ibnetdiscover text")->required();
  command.add_option("LFTS", options.checked_tables, "With --check: the forwarding tables");
  command.add_option("SCHEDULE", options.checked, "With --check: the schedule, binary or text");
  command.add_flag("--check", options.check, "Check any schedule (binary or text) against any forwarding tables");
  command.add_option("-o,--output", options.output, "Binary schedule to write");
  command.add_option("--text", options.text, "Schedule to write as text, one line per flow; - is standard output");
  command.add_option("--lfts", options.tables, "Forwarding tables to write, in the format of opensm-lfts.dump");
  command.add_option("--mode", options.mode, "auto, spine (LID offset = spine) or block (few LIDs)")
      ->check(is_one_of(kWantedModeNames))
      ->capture_default_str();
  command
      .add_option(
          "--lmc", options.lmc,
          "Give each end port 2^LMC LIDs, 0 to 7; keeps the LIDs of the file where there is room for them, else "
          "reassigns all. min: the smallest LMC that allows the shortest possible schedule")
      ->check(CLI::Range(0, 7) | CLI::IsMember({std::string(kLeastLmc)}));
  command.add_option("--participants", options.participants, "Port GUIDs of the servers; default: all hosts");
  CLI::Option* const matrix = command.add_option("--matrix", options.matrix,
                                                 "File with traffic to schedule instead of all-to-all: lines SOURCE "
                                                 "DESTINATION [MESSAGES], each end a GUID, LID or name");
  command
      .add_flag("--allgather", options.allgather,
                "Schedule an AllGather instead of all-to-all: a ring along the leaves")
      ->excludes(matrix);
  command.add_flag("--json", options.json,
                   "Print one JSON object: servers, mode, LMC, phases, their lower bound, flows; with --check also "
                   "congestion_free and faults");
  command.add_option("--roots", options.roots, "GUIDs of the top switches, as OpenSM's root_guid_file");
  command.add_option("--epoch", options.epoch, "Epoch number to write into the schedule")->capture_default_str();
  add_threads_option(command, options.threads, "The schedule does not depend on it");
}

}  // namespace

void add_schedule(CLI::App& app) {
  const auto options = std::make_shared<ScheduleOptions>();
  CLI::App* command =
      app.add_subcommand("schedule", "Compute a schedule for an exchange in which no link carries two flows at once");
  add_schedule_options(*command, *options);
  command->footer(
      "Exit code with --check: 0: every pair meets as often as asked and no link is shared. 1: not so, and why. 2: bad "
      "input.\n"
      "Example: 18 leaves with 20 servers each, and four LIDs per server\n"
      "  espalier generate pgft \"2;20,18;1,20;1,1\" -o daq.net\n"
      "  espalier schedule daq.net --lmc 2 -o daq.esp --text daq.txt --lfts daq.lfts");
  command->callback([options, command] { schedule_or_check(*command, *options); });
}

}  // namespace espalier::tools
