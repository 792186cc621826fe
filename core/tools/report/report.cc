// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier report`: one HTML page about tables, whoever made them.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "core/base/number.h"
#include "core/engines/engines.h"
#include "core/io/report/report_page.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/source.h"
#include "core/tools/report/report_page_data.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

struct ReportOptions {
  Source source;
  std::string other;
  std::string output;
  std::string title;
  std::string roots;
  std::string compute;
  std::string host_order = "names";
  LaneFiles lanes;
  ReportLimits limits;
  unsigned threads = 0;
  bool json = false;
};

// The same fabric with other tables: those of a file, or of an engine where there is no such file.
Source with_tables(Source source, const std::string& tables) {
  const auto engines = engine_names();
  const bool is_engine = std::find(engines.begin(), engines.end(), tables) != engines.end();
  std::error_code none;
  source.tables = is_engine && !std::filesystem::exists(tables, none) ? "" : tables;
  source.engine = source.tables.empty() ? tables : "";
  return source;
}

// Today; or the day of SOURCE_DATE_EPOCH, with which the same tables make the same page on any day
// (reproducible-builds.org/specs/source-date-epoch).
std::string date() {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  const auto seconds = parse_number<std::int64_t>(epoch == nullptr ? "" : epoch, 0, kYear10000 - 1);
  return fmt::format("{:%Y-%m-%d}",
                     seconds ? fmt::gmtime(static_cast<std::time_t>(*seconds)) : fmt::localtime(std::time(nullptr)));
}

nlohmann::ordered_json summary_of(const ReportPage& page) {
  nlohmann::ordered_json summary{{"title", page.title}, {"sound", page.sound}, {"verdict", page.verdict}};
  for (const ReportPage::Fact& fact : page.facts) summary["facts"][fact.label] = fact.value;
  summary["irregularities"] = page.remarks.size();
  for (const ReportPage::HotLink& link : page.hot_links)
    summary["hot_links"].push_back(
        {{"pattern", page.patterns[link.pattern].name}, {"flows", link.flows}, {"from", link.from}, {"to", link.to}});
  return summary;
}

ReportPage page_of(const ReportOptions& options, const Source& source, const LaneFiles& lanes) {
  const AnalysisContext context(source, load_rank_options(options.roots, options.compute), lanes, options.host_order);
  ReportPage page = with_threads(options.threads, [&] { return report_page(context, options.limits); });
  page.title = options.title.empty() ? source.net_title() : options.title;
  page.subtitle = fmt::format("Tables: {}; hosts by {}; espalier {}, {}", source.tables_title(), context.order.basis,
                              ESPALIER_VERSION, date());
  return page;
}

void report_command(const ReportOptions& options) {
  refuse_mixed_output(options.json, options.output);
  // Lanes in files belong to the first tables.
  std::vector<ReportPage> pages{page_of(options, options.source, options.lanes)};
  if (!options.other.empty()) pages.push_back(page_of(options, with_tables(options.source, options.other), {}));
  const std::string html = pages.size() == 1 ? write_report_page(pages[0]) : write_report_pair(pages[0], pages[1]);
  save_text(options.output, html);
  if (!options.json) return;
  nlohmann::ordered_json summary{{"bytes", html.size()}};
  for (const ReportPage& page : pages) summary["pages"].push_back(summary_of(page));
  print_json(summary);
}

void add_report_options(CLI::App& command, ReportOptions& options) {
  add_source(command, options.source, TablesNeed::kRequired, "Fabric with the LIDs of the tables",
             "Forwarding tables from any source");
  command.add_option(
      "OTHER", options.other,
      "Other tables of the same fabric, a file or the name of an engine: both routings side by side on one page");
  command.add_option("-o,--output", options.output, "HTML file to write, self-contained; default: standard output");
  command.add_option("--title", options.title, "Title of the page; default: the name of NET, or \"Live subnet\"");
  command.add_option("--shifts", options.limits.shifts, "Largest number of shift permutations, evenly spread over all")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--permutations", options.limits.permutations, "Number of random permutations")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--hot-links", options.limits.hot_links, "Number of links in the table of the fullest links")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_host_order_option(command, options.host_order, "How jobs number hosts");
  add_lane_options(command, options.lanes);
  add_rank_options(command, options.roots, options.compute);
  add_threads_option(command, options.threads);
  add_summary_option(command, options.json, "what the pages say in words: verdict, facts, fullest links");
}

}  // namespace

void add_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write an HTML page with the tree, its load and its irregularities");
  add_report_options(*command, *options);
  command->footer(
      "The page works offline, without other files. The exit code is 0 even if the tables are not sound.\n"
      "Example: what OpenSM computed\n"
      "  espalier report ibnetdiscover.txt /var/log/opensm-lfts.dump -o report.html\n"
      "Example: two routings side by side\n"
      "  espalier report tree.net before.lfts balanced -o both.html");
  command->callback([options] { report_command(*options); });
}

}  // namespace espalier::tools
