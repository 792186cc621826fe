// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier analyze`: the static congestion metrics of anybody's tables (core/analysis/congestion.h).
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/host_order.h"
#include "core/tools/measurement.h"
#include "core/tools/source.h"

namespace espalier::tools {
namespace {

struct AnalyzeOptions {
  Source source;
  std::string patterns = "a2a,sp,rp:1000";
  std::string order = "topological";
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool json = false;
};

void analyze(const AnalyzeOptions& options) {
  const std::vector<TrafficPattern> patterns = patterns_or_refuse(options.patterns);
  const auto [fabric, tables] = load(options.source, TablesNeed::kRequired);
  const std::vector<EndportId> hosts = ordered_hosts(fabric, options.order);
  const nlohmann::ordered_json result = measure({fabric, *tables, hosts}, patterns, options.seed);
  for (const auto& [key, value] : result.items())
    if (key.starts_with("unrouted_"))
      warn(fmt::format("{}: {} flows do not arrive; espalier verify says why", key.substr(9), value.dump()));
  if (options.json) return fmt::print("{}\n", result.dump(2));
  for (const auto& item : result.items()) fmt::print("{:<14} {}\n", item.key(), item.value().dump());
}

}  // namespace

void add_analyze(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand("analyze", "Measure the congestion risk of tables under traffic patterns");
  add_source(*command, options->source, TablesNeed::kRequired);
  command
      ->add_option("--patterns", options->patterns,
                   "Comma-separated: a2a (all to all), sp[:STEP] (each STEP-th shift), rp[:R] (R random permutations)")
      ->capture_default_str();
  command
      ->add_option("--order", options->order,
                   "Order of the hosts, for shifts: topological, lid, or a file with one port GUID per line")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random permutations")->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object instead of lines");
  command->add_option("-j,--threads", options->threads, "Threads; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->footer(
      "mu: the most flows on a link between switches, when each host can send and receive one at full rate; 1 is\n"
      "perfect. xi: the most flows on any link; Xi: on any link between switches (Gliksberg 2022, 2.3).\n"
      "Example: shifts and 200 random permutations\n"
      "  espalier analyze tree.net tree.lfts --patterns sp,rp:200");
  command->callback([options] { with_threads(options->threads, [&] { analyze(*options); }); });
}

}  // namespace espalier::tools
