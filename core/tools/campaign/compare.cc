// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier compare`: campaigns. Every engine on every damage, one record for each run.
//
// A run is (fabric, damage, trial, engine). All processes of a campaign count the runs alike, engines fastest. Of each
// N runs in a row every one of N shards gets one, and the next N are handed out one shard further: so no shard always
// gets the slow engine when N and the number of engines have a common divisor.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/fabric_reader.h"
#include "core/io/net/net_writer.h"
#include "core/tools/campaign/compare_run.h"
#include "core/tools/campaign/opensm_run.h"
#include "core/tools/campaign/record_file.h"
#include "core/tools/campaign/record_table.h"
#include "core/tools/campaign/record_text.h"
#include "core/tools/campaign/work_folder.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/fabric_text.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/inputs/opensm_engines.h"
#include "core/tools/inputs/routed.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/quiet.h"

namespace espalier::tools {
namespace {

struct CompareOptions {
  std::vector<std::string> nets;
  std::vector<std::string> engines;
  std::vector<std::string> stock;
  std::string damage;
  unsigned trials = 1;
  std::uint64_t seed = 1;
  std::string patterns = "sp,rp:200";
  std::string order = "names";
  std::optional<unsigned> lmc;
  std::string lid_offset = "0";
  NodeTypeOptions node_types;
  std::string shard = "0/1";
  std::string records;
  std::string runner;
  unsigned limit_s = 900;
  unsigned threads = 0;
  bool bound = false;
  bool list = false;
  bool retry = false;
};

struct Shard {
  unsigned number = 0;
  unsigned of = 1;

  // "I/N" with 0 <= I < N.
  static Shard parse(const std::string& text) {
    const std::string_view words(text);
    const std::size_t slash = std::min(words.find('/'), words.size());
    const auto number = parse_number<unsigned>(words.substr(0, slash));
    const auto of = parse_number<unsigned>(words.substr(std::min(slash + 1, words.size())));
    if (!number || !of || *number >= *of)
      throw Refused{{fmt::format("--shard must be I/N with I from 0 to N-1, not {}", text), {}, 0, {}}};
    return {*number, *of};
  }
};

std::vector<Contender> contenders(const CompareOptions& options) {
  std::vector<Contender> all;
  for (const std::string& engine : options.engines) all.push_back({engine, Contender::Via::kLibrary});
  for (const std::string& engine : options.stock) all.push_back({engine, Contender::Via::kOpenSm});
  if (all.empty()) throw Refused{{"there is nothing to compare", {}, 0, "give --engines or --stock"}};
  return all;
}

// All runs on one fabric, those that belong to `shard`. `number` counts the runs on all fabrics.
std::vector<Run> runs_of(const std::vector<DamageStep>& steps, const CompareOptions& options, Shard shard,
                         std::size_t& number) {
  const std::vector<Contender> all = contenders(options);
  std::vector<Run> runs;
  for (const DamageStep& step : steps)
    for (unsigned t = 0; t < (step.amount == 0 ? 1 : options.trials); ++t)
      for (const Contender& contender : all) {
        if ((number + number / shard.of) % shard.of == shard.number) runs.push_back({step, t, contender});
        ++number;
      }
  return runs;
}

std::string fingerprint(const std::string& text) { return fmt::format("{:016x}", fnv1a(text)); }

std::string result_of(const nlohmann::ordered_json& record) {
  if (record.at("outcome") != "routed") return fmt::format("failed: {}", record.value("reason", ""));
  const auto used = record.value("engine_used", "");
  const char* const verdict = record.at("sound") == true                   ? "sound"
                              : record.value("sound_hosts", false) == true ? "sound between hosts"
                                                                           : "not sound";
  const auto vls = record.value("vls", 1U);
  return fmt::format(
      "{}{}{}, {:.0f} ms{}", used == record.at("engine") ? "" : used + " instead, ", verdict,
      vls > 1 ? fmt::format(" on {} virtual lanes", vls) : "", record.value("ms", 0.0),
      record.contains("search_ms") ? fmt::format(", then a search of {:.0f} ms", record.value("search_ms", 0.0)) : "");
}

void list(const CampaignFabric& campaign, const std::vector<Run>& runs, const RecordFile& records) {
  for (const Run& run : runs)
    fmt::print("{} {}: {}\n", records.has(name_of_record(identity(campaign, run))) ? "done " : "to do",
               printable(campaign.name), describe(run));
}

// The runs are in copies of this process, in which its other threads are missing: TBB would wait for its own for ever.
void check_is_alone() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  check(std::distance(begin(threads), end(threads)) == 1, "compare has started threads before its runs");
}

void perform_all(CampaignFabric campaign, const std::vector<Run>& runs, RecordFile& records) {
  check_is_alone();
  const WorkFolder folder;
  ::malloc_trim(0);  // what runs inherit counts in their peak memory
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (records.has(name_of_record(identity(campaign, runs[i])))) continue;
    campaign.work_dir = folder.fresh();
    const nlohmann::ordered_json record = perform(campaign, runs[i]);
    records.append(record);
    tell(fmt::format("{}/{} {}: {}: {}", i + 1, runs.size(), printable(campaign.name), describe(runs[i]),
                     printable(result_of(record))));
  }
}

// What is in the file of this process by now, whoever did the runs.
void print_table(const std::string& path) {
  const RecordText text = value_or_refuse(read_records(load_text(path), path));
  if (!text.records.empty()) fmt::print("{}", record_table(text.records));
}

// OpenSM would go on with minhop.
std::string refuse_unknown_to_opensm(const std::string& word) {
  if (is_of_opensm(word) || !engine_of_plugin(word).empty()) return {};
  return fmt::format("{} is neither an engine of OpenSM nor one of the plugin", word);
}

// A campaign takes hours, and its last file is not to fail then. What is read is not kept: it would count in the peak
// memory of runs.
void check_files(const std::vector<std::string>& nets) {
  for (const std::string& net : nets)
    if (net != "-") (void)value_or_refuse(read_fabric(load_fabric_text(net), net));
}

std::string runner_of(const CompareOptions& options) {
  if (!options.runner.empty()) return std::filesystem::absolute(options.runner).string();
  Result<std::string> found = find_runner();
  if (!found) found.error().advice = "give its path with --runner";
  return value_or_refuse(std::move(found));
}

// Changes with the types of nodes; empty without any.
std::string fingerprint_of_types(const CompareOptions& options) {
  std::string types;
  for (const std::string& file : {options.node_types.types, options.node_types.io})
    if (!file.empty()) types += load_text(file);
  return types.empty() ? types : fingerprint(types);
}

// Refers to `whole`.
CampaignFabric campaign_on(const Fabric& whole, const std::string& net, const CompareOptions& options,
                           const NodeTypeRules& rules, const std::string& types, const std::string& runner) {
  return {.whole = whole,
          .name = std::filesystem::path(net).filename().string(),
          .fingerprint = fingerprint(write_net(whole)),
          .seed = options.seed,
          .patterns = options.patterns,
          .order = options.order,
          .lid_offset = options.lid_offset,
          .node_types = rules,
          .types = types,
          .threads = options.threads,
          .bound = options.bound,
          .runner = runner,
          .work_dir = {},
          .limit = std::chrono::seconds(options.limit_s)};
}

void compare(const CompareOptions& options) {
  (void)patterns_or_refuse(options.patterns);
  const Shard shard = Shard::parse(options.shard);
  const std::string runner = options.stock.empty() || options.list ? std::string() : runner_of(options);
  check_files(options.nets);
  const auto name = [&options](const nlohmann::ordered_json& record) {
    const bool is_repeated =
        record.value("outcome", "") == "failed" ? options.retry : options.bound && !record.contains("bound");
    return is_repeated ? std::string() : name_of_record(record);
  };
  // Without --json the records are for the table alone.
  const std::optional<WorkFolder> own_folder =
      options.records.empty() ? std::optional<WorkFolder>(std::in_place) : std::nullopt;
  const std::string path = own_folder ? own_folder->fresh() + "/records.jsonl" : options.records;
  RecordFile records(path, fmt::format("shard-{}-of-{}.jsonl", shard.number, shard.of),
                     options.list ? RecordFile::Access::kRead : RecordFile::Access::kAppend, name);
  const NodeTypeRules rules = load_node_type_rules(options.node_types);
  const std::string types = fingerprint_of_types(options);
  std::size_t number = 0;
  for (const std::string& net : options.nets) {
    const Fabric whole = load_fabric(net, options.lmc);
    const CampaignFabric campaign = campaign_on(whole, net, options, rules, types, runner);
    const std::vector<DamageStep> steps = value_or_refuse(parse_damage(options.damage, most_damage(whole)));
    const std::vector<Run> runs = runs_of(steps, options, shard, number);
    if (options.list)
      list(campaign, runs, records);
    else
      perform_all(campaign, runs, records);
  }
  if (!options.list) print_table(records.path());
}

void add_run_options(CLI::App& command, CompareOptions& options) {
  command.add_option("NET", options.nets, "Net files or ibnetdiscover text")->required();
  check_engines(
      *command.add_option("--engines", options.engines, "Espalier's engines, comma-separated")->delimiter(','),
      "give OpenSM's own engines with --stock");
  command
      .add_option("--stock", options.stock,
                  "Engines to run in the real OpenSM on ibsim, comma-separated; also Espalier's, through the plugin")
      ->delimiter(',')
      ->check(refuse_unknown_to_opensm, {});
  command.add_option("--damage", options.damage,
                     "KIND:AMOUNTS,... with links, switches, spines, endports; amounts 0,86,2.5% or 0..30%/STEPS "
                     "or 0..256/STEPSlog");
  command.add_option("--trials", options.trials, "Random draws of each damage")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Seed of the damage (first draw) and of random permutations")
      ->capture_default_str();
  command.add_option("--patterns", options.patterns, "As for analyze")->capture_default_str();
  add_host_order_option(command, options.order,
                        "How jobs number the hosts of the whole fabric, for engines and measurements");
  command.add_option("--lmc", options.lmc, "Give each end port 2^LMC LIDs, here and in OpenSM; default: as in NET")
      ->check(CLI::Range(0, 7));
  command
      .add_option("--lid-offset", options.lid_offset,
                  "As for analyze: which of a destination's LIDs traffic uses, such as 0 or all")
      ->capture_default_str();
  add_node_type_options(command, options.node_types);
}

void add_campaign_options(CLI::App& command, CompareOptions& options) {
  command.add_flag("--bound", options.bound,
                   "Also record the bounds of analyze --bound; runs whose record has none are repeated");
  command.add_option("--shard", options.shard, "Do the I-th part (from 0) of N")->capture_default_str();
  command.add_option("--json", options.records,
                     "Also keep the records, a JSON object in a line: a file, or a folder where each shard has a file. "
                     "Runs that have a record are not done again");
  command.add_flag("--list", options.list, "List the runs, say which have a record, and run nothing");
  command.add_flag("--retry", options.retry, "Repeat runs that failed");
  command.add_option("--limit", options.limit_s, "Seconds that OpenSM may take; a whole run may take twice as long")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command
      .add_option("--runner", options.runner,
                  "Program that runs OpenSM; default: run_opensm.sh of the source tree or of the package")
      ->type_name("PROGRAM");
  add_threads_option(command, options.threads);
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Run engines on fabrics, whole and damaged, and print a table");
  add_run_options(*command, *options);
  add_campaign_options(*command, *options);
  command->footer(
      "Damage is progressive: within one draw, each step includes the smaller ones of its kind.\n"
      "Example: three engines side by side, with losses\n"
      "  espalier compare tree.net --engines balanced,dmodc --stock minhop --damage links:0,2%\n"
      "Example: seven steps of two kinds of damage; run it again after an interruption\n"
      "  espalier compare big.net --engines dmodc --stock updn,minhop --damage links:0..30%/7,switches:0..30%/7 "
      "--json big.jsonl");
  command->callback([options, command] {
    refuse_idle(*command, {"--trials"}, !options->damage.empty(), "--damage");
    refuse_idle(*command, {"--runner"}, !options->stock.empty(), "--stock");
    refuse_idle(*command, {"--retry"}, !options->records.empty(), "--json");
    compare(*options);
  });
}

}  // namespace espalier::tools
