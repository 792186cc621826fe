// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain`: why packets go where they go, whatever made the tables.
#include "core/tools/explain/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

struct ExplainOptions {
  Source source;
  std::string from;
  std::string to;
  bool credit_loop = false;
  std::size_t hot_links = 0;
  std::vector<std::string> share;
  std::vector<std::string> against;
  std::string pattern = "a2a";
  LaneFiles lanes;
  std::string roots;
  std::string compute;
  std::uint64_t seed = 1;
  std::size_t rows = 10;
  unsigned threads = 0;
  bool json = false;
};

void refuse_idle_beside_question(const CLI::App& command, const ExplainOptions& options) {
  refuse_idle(command, {"--pattern"}, options.hot_links > 0, "--hot-links");
  refuse_idle(command, {"--rows"}, !options.share.empty() || !options.against.empty(), "--share and --against");
  refuse_idle(command, {"--lanes", "--sl2vl", "--path-records"}, options.credit_loop || !options.from.empty(),
              "--credit-loop, and for --from and --to");
}

Answer answer(const CLI::App& command, const ExplainOptions& options) {
  const bool path = !options.from.empty() || !options.to.empty();
  const int forms = int{path} + int{options.credit_loop} + int{options.hot_links > 0} + int{!options.share.empty()} +
                    int{!options.against.empty()};
  if (forms != 1)
    throw Refused{{"explain answers one question at a time",
                   {},
                   0,
                   "use one of --from and --to, --credit-loop, --hot-links, --share, --against"}};
  if (path && (options.from.empty() || options.to.empty()))
    throw Refused{{"a path needs two ends", {}, 0, "give --from and --to"}};

  refuse_idle_beside_question(command, options);
  const RankOptions rank_options = load_rank_options(options.roots, options.compute);
  const AnalysisContext context(options.source, rank_options, options.lanes);
  if (path) return explain_path(context, options.from, options.to);
  if (options.credit_loop) return explain_credit_loop(context);
  if (options.hot_links > 0) return explain_hot_links(context, options.hot_links, options.pattern, options.seed);
  if (!options.share.empty()) return explain_shared_links(context, options.share[0], options.share[1], options.rows);
  Source other;
  other.net = options.against[0];
  other.tables = options.against[1];
  other.lmc = options.source.lmc;
  const AnalysisContext after(other, rank_options);
  return explain_changes(context, after, options.rows);
}

// What may be asked. Exactly one form is (answer() sees to it).
void add_forms(CLI::App& command, ExplainOptions& options) {
  command.add_option("--from", options.from,
                     "Show the path from this host or switch: GUID, LID or unique part of a description");
  command.add_option("--to", options.to, "... to this one");
  command.add_flag("--credit-loop", options.credit_loop,
                   "Show the credit loop link by link, with the packets that close it");
  add_lane_options(command, options.lanes);
  command.add_option("--hot-links", options.hot_links, "Show the N most loaded channels and who uses them")
      ->check(CLI::Range(1, 100000));
  command.add_option("--share", options.share, "Show which channels two hosts share, and why")->expected(2);
  command
      .add_option("--against", options.against,
                  "Show what changed from NET and LFTS to these, for example through a fault")
      ->expected(2);
}

}  // namespace

std::string hex(Guid guid) { return fmt::format("0x{:016x}", index(guid)); }

Json to_json(const FatTree& tree, SwitchId s) {
  const Switch& node = tree.fabric().at(s);
  return {{"guid", hex(node.guid)}, {"description", node.description}, {"level", index(tree.level(s))}};
}

Json to_json(const Fabric& fabric, EndportId e) {
  const Endport& node = fabric.at(e);
  return {{"guid", hex(node.port_guid)}, {"description", node.description}, {"lid", index(node.lid)}};
}

Json to_json(const FatTree& tree, ChannelId c) {
  const Fabric& fabric = tree.fabric();
  const SwitchId from = fabric.source(c);
  const Peer& peer = fabric.peer(c);
  const auto up = tree.up_groups(from);
  const bool is_up =
      std::any_of(up.begin(), up.end(), [&](const PortGroup& group) { return group.remote == peer.as_switch(); });
  return {{"from", to_json(tree, from)},
          {"port", index(fabric.port(c))},
          {"to", to_json(tree, peer.as_switch())},
          {"to_port", index(peer.port)},
          {"direction", from == peer.as_switch() ? "self"
                        : is_up                  ? "up"
                                                 : "down"}};
}

std::string node_text(const Json& node) {
  return fmt::format("{} ({})", node.at("guid").get<std::string>(),
                     printable(node.at("description").get<std::string>()));
}

std::string channel_text(const Json& channel) {
  return fmt::format("{} port {} -> {} port {} ({})", node_text(channel.at("from")), channel.at("port").get<int>(),
                     node_text(channel.at("to")), channel.at("to_port").get<int>(),
                     channel.at("direction").get<std::string>());
}

void add_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Say why packets go where they go: paths, loops, hot links, changes");
  add_source(*command, options->source, TablesNeed::kRequired, "Fabric with the LIDs of the tables",
             "Forwarding tables from any source");
  add_forms(*command, *options);
  command
      ->add_option("--pattern", options->pattern,
                   "For --hot-links: a2a (all to all), sp[:STEP] (shifts), rp[:R] (random)")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random permutations")->capture_default_str();
  command->add_option("--rows", options->rows, "How many channels --share and --against list")->capture_default_str();
  add_rank_options(*command, options->roots, options->compute);
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  add_threads_option(*command, options->threads);
  command->footer(
      "Exit code 0: fine. 1: the path does not arrive, there is a credit loop, or flows are lost. 2: bad input.\n"
      "Example: where does node17's traffic to node402 go, and why?\n"
      "  espalier explain ibnetdiscover.txt opensm-lfts.dump --from node17 --to node402");
  command->callback([options, command] {
    const Answer result = with_threads(options->threads, [&] { return answer(*command, *options); });
    if (options->json)
      print_json(result.json);
    else
      fmt::print("{}", result.text);
    if (!result.good) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
