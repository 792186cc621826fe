// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier report`: one HTML page about tables, whoever made them.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/io/file.h"
#include "core/io/report/report_page.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/source.h"
#include "core/tools/report/report_page_data.h"

namespace espalier::tools {

void add_report(CLI::App& app) {
  struct Options {
    Source source;
    std::string output;
    std::string title;
    std::string roots;
    std::string compute;
    std::string host_order = "names";
    ReportLimits limits;
    unsigned threads = 0;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Write an HTML page: the tree, its load, its irregularities");
  add_source(*command, options->source, TablesNeed::kRequired, "Fabric, with the LIDs of the tables",
             "Tables of any origin");
  command->add_option("-o,--output", options->output,
                      "The page, one file that needs no other; default: standard output");
  command->add_option("--title", options->title, "Title of the page; default: the name of NET, or that it is live");
  command->add_option("--shifts", options->limits.shifts, "Shift permutations at most, evenly spread over all")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--permutations", options->limits.permutations, "Random permutations")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--hot-links", options->limits.hot_links, "Links in the table of the fullest")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  add_host_order_option(*command, options->host_order, "How jobs number hosts");
  command->add_option("--roots", options->roots, "GUIDs of the top switches, as OpenSM's root_guid_file");
  command->add_option("--cn-guids", options->compute, "Port GUIDs of compute hosts, as OpenSM's cn_guid_file");
  command->add_option("-j,--threads", options->threads, "Threads; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->footer(
      "The page works offline: no network, no other file. The exit code is 0 also for tables that are not sound.\n"
      "Example: what OpenSM computed\n"
      "  espalier report ibnetdiscover.txt /var/log/opensm-lfts.dump -o report.html");
  command->callback([options] {
    const Scene scene(options->source, load_rank_options(options->roots, options->compute), {}, options->host_order);
    ReportPage page = with_threads(options->threads, [&] { return report_page(scene, options->limits); });
    page.title = options->title.empty() ? options->source.net_title() : options->title;
    page.subtitle = fmt::format("Tables: {}; hosts by {}", options->source.tables_title(), scene.order.basis);
    const std::string html = write_report_page(page);
    if (options->output.empty() || options->output == "-")
      fmt::print("{}", html);
    else
      succeed_or_refuse(write_file(options->output, html));
  });
}

}  // namespace espalier::tools
