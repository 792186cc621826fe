// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier verify`: judges anybody's tables.
#include "core/analysis/verify.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "core/io/lft_dump.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"

namespace espalier::tools {

void add_verify(CLI::App& app) {
  struct Options {
    std::string net;
    std::string tables;
    unsigned threads = 0;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* verify_command =
      app.add_subcommand("verify", "Prove that tables reach every LID without loops and credit loops");
  verify_command->add_option("NET", options->net, "Net file or ibnetdiscover text, with the LIDs of the tables")
      ->required();
  verify_command->add_option("LFTS", options->tables, "Tables, as opensm-lfts.dump or from dump_lfts")->required();
  verify_command->add_option("-j,--threads", options->threads, "Threads; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verify_command->footer(
      "Exit code 0: sound. 1: not, and why; a credit loop is printed channel by channel. 2: bad input.\n"
      "Example: what OpenSM computed\n  espalier verify ibnetdiscover.txt /var/log/opensm-lfts.dump");
  verify_command->callback([options] {
    const Fabric fabric = load_fabric(options->net);
    const ForwardingTables tables = value_or_refuse(read_lfts(load_text(options->tables), options->tables, fabric));
    const VerifyReport report = with_threads(options->threads, [&] { return verify(fabric, tables); });
    if (!report.ok()) {
      fmt::print("{}", describe(report));
      throw AnswerIsNo{};
    }
    fmt::print("sound: {} entries of {} switches deliver, and {} channel dependencies close no credit loop\n",
               report.num_entries, fabric.num_switches(), report.num_dependencies);
  });
}

}  // namespace espalier::tools
