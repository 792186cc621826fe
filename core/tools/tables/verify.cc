// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier verify`: judges anybody's tables.
#include "core/analysis/soundness/verify.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify_alternatives.h"
#include "core/analysis/soundness/verify_hosts.h"
#include "core/base/text.h"
#include "core/io/file.h"
#include "core/io/lanes/alternatives_file.h"
#include "core/io/lanes/lanes_file.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/source.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions {
  Source source;
  std::string traffic = "all";
  LaneFiles lanes;
  std::string save_lanes;
  std::string alternatives;
  bool json = false;
  unsigned threads = 0;
};

VerifyReport judge(const FabricAndTables& subject, const std::optional<Lanes>& lanes, const std::string& traffic) {
  if (traffic == "all") return verify(subject.fabric, *subject.tables, lanes);
  if (traffic == "hosts") return verify_hosts(subject.fabric, *subject.tables, lanes ? &*lanes : nullptr);
  std::vector<EndportId> endports;
  for (const EndportId e : subject.fabric.endports()) endports.push_back(e);
  return verify_between(subject.fabric, *subject.tables, endports, lanes ? &*lanes : nullptr);
}

// The same tables, asked twice: what hosts alone do, and everybody. Switch-to-switch packets are few, but a loop that
// only they close is still one.
struct Verdicts {
  VerifyReport report;  // of --traffic
  bool sound_hosts = true;
  std::optional<bool> sound_all = std::nullopt;  // where --traffic asks for it
  std::optional<Lanes> lanes = std::nullopt;     // that were judged; nothing: one
};

Verdicts judge_both(const FabricAndTables& subject, std::optional<Lanes> lanes, const std::string& traffic) {
  Verdicts verdicts{.report = judge(subject, lanes, traffic)};
  if (traffic == "all") verdicts.sound_all = verdicts.report.ok();
  // What is sound for everybody is sound for hosts.
  verdicts.sound_hosts = verdicts.report.ok() || (traffic != "hosts" && judge(subject, lanes, "hosts").ok());
  verdicts.lanes = std::move(lanes);
  return verdicts;
}

Json as_json(const Verdicts& verdicts) {
  const VerifyReport& report = verdicts.report;
  Json violations = Json::array();
  for (const Violation& violation : report.violations)
    violations.push_back({{"kind", name(violation.kind)}, {"text", violation.text}});
  return {{"ok", report.ok()},
          {"sound_hosts", verdicts.sound_hosts},
          {"sound_all", verdicts.sound_all ? Json(*verdicts.sound_all) : Json()},
          {"vls", verdicts.lanes ? verdicts.lanes->num_vls() : 1},
          {"sls", verdicts.lanes ? verdicts.lanes->num_sls() : 1},
          {"entries", report.num_entries},
          {"dependencies", report.num_dependencies},
          {"num_violations", report.num_violations},
          {"violations", std::move(violations)}};
}

void print(const Verdicts& verdicts, const Fabric& fabric) {
  const VerifyReport& report = verdicts.report;
  if (!report.ok()) {
    fmt::print("{}", describe(report));
    const auto word = [](bool sound) { return sound ? "sound" : "NOT SOUND"; };
    fmt::print("{:<16} {}\n{:<16} {}\n", "hosts alone", word(verdicts.sound_hosts), "all traffic",
               verdicts.sound_all ? word(*verdicts.sound_all) : "not asked");
    if (!verdicts.lanes && !report.credit_loop.empty())
      fmt::print(
          "judged on one virtual lane; tables of engines with lanes need --lanes, or --sl2vl and --path-records\n");
    return;
  }
  fmt::print("sound: {} of {} deliver, and {} form no credit loop{}\n", counted(report.num_entries, "entry", "entries"),
             counted(fabric.num_switches(), "switch", "switches"),
             counted(report.num_dependencies, "channel dependency", "channel dependencies"),
             verdicts.lanes ? fmt::format(" on {}", counted(verdicts.lanes->num_vls(), "virtual lane")) : "");
}

// What the tables should be, as somebody's dump says; prints each switch that holds something else. Only entries for
// LIDs that somebody has count. Returns the number of such switches.
std::size_t compare_with_second(const FabricAndTables& subject, const std::string& second_name, std::FILE* out) {
  const Fabric& fabric = subject.fabric;
  const ForwardingTables& wanted = *subject.second_tables;
  std::size_t different = 0;
  for (const SwitchId s : fabric.switches()) {
    std::size_t count = 0;
    Lid first = kNoLid;
    for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i) {
      const Lid lid = id_at<Lid>(i);
      if (!fabric.is_in_use(lid) || subject.tables->at(s, lid) == wanted.at(s, lid)) continue;
      if (count++ == 0) first = lid;
    }
    if (count == 0) continue;
    ++different;
    fmt::print(out, "{}: {} not as in {}, for example LID {} goes to port {} instead of {}\n", fabric.label(s),
               counted(count, "entry", "entries"), printable(second_name), index(first),
               index(subject.tables->at(s, first)), index(wanted.at(s, first)));
  }
  return different;
}

// What --alternatives asks: the verdict on all choices together.
struct Choices {
  VerifyReport report;
  AlternativeCounts counts;
};

std::optional<Choices> judge_choices(const FabricAndTables& subject, const std::optional<Lanes>& lanes,
                                     const std::string& path) {
  if (path.empty()) return std::nullopt;
  const AlternativePorts ports = value_or_refuse(read_alternatives(load_text(path), path, subject.fabric));
  return Choices{verify_alternatives(subject.fabric, *subject.tables, ports, lanes.value_or(one_lane(subject.fabric))),
                 count_alternatives(subject.fabric, ports)};
}

Json as_json(const Choices& choices) {
  Json violations = Json::array();
  for (const Violation& violation : choices.report.violations)
    violations.push_back({{"kind", name(violation.kind)}, {"text", violation.text}});
  return {{"ok", choices.report.ok()},
          {"entries", choices.counts.entries},
          {"with_choice", choices.counts.with_choice},
          {"mean_ports", choices.counts.mean},
          {"dependencies", choices.report.num_dependencies},
          {"violations", std::move(violations)}};
}

void print(const Choices& choices) {
  if (!choices.report.ok()) return fmt::print("alternative ports: {}", describe(choices.report));
  fmt::print(
      "alternative ports are sound: {} of {} to hosts have a choice, {:.2f} ports on average; {} form no credit "
      "loop\n",
      choices.counts.with_choice, counted(choices.counts.entries, "entry", "entries"), choices.counts.mean,
      counted(choices.report.num_dependencies, "channel dependency", "channel dependencies"));
}

void add_verify_options(CLI::App& command, VerifyOptions& options) {
  add_source(command, options.source, TablesNeed::kRequired);
  command
      .add_option("--traffic", options.traffic,
                  "Whose packets count: all, including those of switches; end-ports, between adapters and routers, as "
                  "in ibdmchk; hosts, without Aggregation Nodes")
      ->check(CLI::IsMember({"all", "end-ports", "hosts"}))
      ->capture_default_str();
  command.add_option("--expect", options.source.second_tables,
                     "Also compare with these tables, as computed by the subnet manager (opensm-lfts.dump)");
  add_lane_options(command, options.lanes);
  command.add_option("--save-lanes", options.save_lanes,
                     "A file to write, in the form of --lanes: the lanes that were judged");
  command.add_option("--alternatives", options.alternatives,
                     "Also judge these alternative ports, as route --alternatives writes them: whatever "
                     "switches choose, together with the tables and lanes");
  command.add_flag("--json", options.json, "Print one JSON object instead of lines");
  add_threads_option(command, options.threads);
}

// On these lanes, else on one; on those of a live subnet where the verdict depends on them.
Verdicts judge_asked(const VerifyOptions& options, const FabricAndTables& subject, std::optional<Lanes> lanes) {
  const auto judge_on = [&](std::optional<Lanes> these) {
    return with_threads(options.threads, [&] { return judge_both(subject, std::move(these), options.traffic); });
  };
  Verdicts verdicts = judge_on(std::move(lanes));
  // What closes no loop on one lane closes none on several. Else it depends on the lanes, and it takes time to ask.
  if (options.source.live && !options.lanes.given() &&
      (!verdicts.report.credit_loop.empty() || !options.save_lanes.empty()))
    if (std::optional<Lanes> live = load_live_lanes(options.source, subject)) return judge_on(std::move(live));
  return verdicts;
}

void verify_command(const VerifyOptions& options) {
  const FabricAndTables subject = load(options.source, TablesNeed::kRequired);
  std::optional<Lanes> lanes = load_lanes(subject, options.lanes);
  std::FILE* const out = options.json ? stderr : stdout;
  const std::size_t different =
      subject.second_tables ? compare_with_second(subject, options.source.second_tables, out) : 0;
  const Verdicts verdicts = judge_asked(options, subject, std::move(lanes));
  if (!options.save_lanes.empty())
    succeed_or_refuse(
        write_file(options.save_lanes, write_lanes(subject.fabric, verdicts.lanes.value_or(one_lane(subject.fabric)))));
  const VerifyReport& report = verdicts.report;
  if (report.ok() && report.num_entries == 0)
    throw Refused{{"there is nothing to prove: no table entry carries this traffic",
                   options.source.live ? "" : options.source.net, 0,
                   "verify needs switches, and at least one destination"}};
  const std::optional<Choices> choices = judge_choices(subject, verdicts.lanes, options.alternatives);
  if (options.json) {
    Json json = as_json(verdicts);
    if (choices) json["alternatives"] = as_json(*choices);
    if (choices && !choices->report.ok()) json["ok"] = false;
    print_json(json);
  } else {
    print(verdicts, subject.fabric);
    if (choices) print(*choices);
  }
  if (!report.ok() || different > 0 || (choices && !choices->report.ok())) throw AnswerIsNo{};
}

}  // namespace

void add_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand("verify", "Prove that tables reach every LID without loops or credit loops");
  add_verify_options(*command, *options);
  command->footer(
      "Exit code 0: sound. 1: not, and why; a credit loop is printed channel by channel. 2: bad input, or with\n"
      "--live a switch that does not report its table. With --live, tables that close a loop on one lane are judged "
      "on\nthose of the SL2VL tables and path records.\n"
      "Example: what OpenSM computed\n  espalier verify ibnetdiscover.txt /var/log/opensm-lfts.dump\n"
      "Example: what dfsssp does on several lanes\n"
      "  saquery -p >paths; espalier verify net.txt opensm-lfts.dump --sl2vl opensm-sl2vl.dump --path-records paths\n"
      "Example: check the tables in the switches, and whether they are what OpenSM computed\n"
      "  espalier verify --live --expect /var/log/opensm-lfts.dump");
  command->callback([options] { verify_command(*options); });
}

}  // namespace espalier::tools
