// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier diff`: what would have to be sent to get from one set of tables to another.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/fabric/table_delta.h"
#include "core/io/lft/lft_text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Rows = std::vector<LftRow>;

// Both dumps over the switches of either, so that a switch which one lacks has no route there.
struct Pair {
  std::vector<std::string> labels;  // by SwitchId
  ForwardingTables before;
  ForwardingTables after;
  std::size_t only_before = 0;  // switches
  std::size_t only_after = 0;
};

Lid top_lid(const Rows& rows) {
  std::size_t width = 1;
  for (const LftRow& row : rows) width = std::max(width, row.ports.size());
  return id_at<Lid>(width - 1);
}

void fill(ForwardingTables& tables, SwitchId s, const LftRow& row) {
  std::copy(row.ports.begin(), row.ports.end(), tables.row(s).begin());
}

Pair match(const Rows& before, const Rows& after) {
  std::map<Guid, std::pair<const LftRow*, const LftRow*>> by_guid;
  for (const LftRow& row : before) by_guid[row.guid].first = &row;
  for (const LftRow& row : after) by_guid[row.guid].second = &row;

  Pair pair;
  pair.before = ForwardingTables(by_guid.size(), top_lid(before));
  pair.after = ForwardingTables(by_guid.size(), top_lid(after));
  for (const auto& [guid, rows] : by_guid) {
    const SwitchId s = id_at<SwitchId>(pair.labels.size());
    const LftRow& named = rows.second != nullptr ? *rows.second : *rows.first;
    pair.labels.push_back(fmt::format("0x{:016x} ({})", index(guid), printable(named.description)));
    if (rows.first != nullptr) fill(pair.before, s, *rows.first);
    if (rows.second != nullptr) fill(pair.after, s, *rows.second);
    pair.only_before += rows.second == nullptr ? 1 : 0;
    pair.only_after += rows.first == nullptr ? 1 : 0;
  }
  return pair;
}

// "0-2 5 7-8". REQUIRES: ascending.
std::string as_ranges(const std::vector<std::uint16_t>& numbers) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    text += text.empty() ? "" : " ";
    text +=
        end - begin == 1 ? fmt::format("{}", numbers[begin]) : fmt::format("{}-{}", numbers[begin], numbers[end - 1]);
  }
  return text;
}

void print(const Pair& pair, const TableDelta& delta) {
  for (const TableDelta::SwitchChange& change : delta.switches)
    fmt::print("{}: {} in {}: {}\n", pair.labels[index(change.where)], counted(change.num_entries, "entry", "entries"),
               counted(change.blocks.size(), "block"), as_ranges(change.blocks));
  if (pair.only_before + pair.only_after > 0)
    fmt::print("switches only in the first: {}, only in the second: {}\n", pair.only_before, pair.only_after);
  fmt::print("differences: {} in {} of {} of {}\n", counted(delta.num_entries, "entry", "entries"),
             counted(delta.num_blocks, "block"), delta.switches.size(),
             counted(pair.labels.size(), "switch", "switches"));
}

void print_delta_json(const TableDelta& delta) {
  const nlohmann::ordered_json totals{
      {"entries", delta.num_entries}, {"blocks", delta.num_blocks}, {"switches", delta.switches.size()}};
  print_json(totals);
}

}  // namespace

void add_diff(CLI::App& app) {
  struct Options {
    std::string before;
    std::string after;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* diff = app.add_subcommand("diff", "Compare two sets of tables: changed entries and blocks per switch");
  diff->add_option("LFTS1", options->before, "Tables before, as opensm-lfts.dump or from dump_lfts")->required();
  diff->add_option("LFTS2", options->after, "Tables after")->required();
  diff->add_flag("--json", options->json, "Print one JSON object with the totals: entries, blocks, switches");
  diff->footer(
      "A block holds 64 LIDs, which a subnet manager sends in one packet. A switch missing from one file has no routes "
      "there.\n"
      "Exit code 0: same. 1: different. 2: bad input.\n"
      "Example: what one broken cable costs\n  espalier diff whole.lfts broken.lfts");
  diff->callback([options] {
    const Rows before = value_or_refuse(read_lft_text(load_text(options->before), options->before));
    const Rows after = value_or_refuse(read_lft_text(load_text(options->after), options->after));
    const Pair pair = match(before, after);
    const TableDelta delta = difference(pair.before, pair.after);
    options->json ? print_delta_json(delta) : print(pair, delta);
    if (!delta.empty() || pair.only_before + pair.only_after > 0) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
