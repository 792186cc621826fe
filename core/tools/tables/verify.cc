// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier verify`: judges anybody's tables.
#include "core/analysis/soundness/verify.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "core/fabric/endport_role.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {
namespace {

VerifyReport judge(const FabricAndTables& subject, const std::string& traffic) {
  if (traffic == "all") return verify(subject.fabric, *subject.tables);
  std::vector<EndportId> endports;
  for (const EndportId e : subject.fabric.endports())
    if (traffic == "end-ports" || is_host(subject.fabric.at(e))) endports.push_back(e);
  return verify_between(subject.fabric, *subject.tables, endports);
}

}  // namespace

void add_verify(CLI::App& app) {
  struct Options {
    Source source;
    std::string traffic = "all";
    unsigned threads = 0;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* verify_command =
      app.add_subcommand("verify", "Prove that tables reach every LID without loops and credit loops");
  add_source(*verify_command, options->source, TablesNeed::kRequired);
  verify_command
      ->add_option(
          "--traffic", options->traffic,
          "Whose packets count: all, also of switches; end-ports, between adapters and routers, as ibdmchk does; "
          "hosts, without Aggregation Nodes")
      ->check(CLI::IsMember({"all", "end-ports", "hosts"}))
      ->capture_default_str();
  verify_command->add_option("-j,--threads", options->threads, "Threads; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  verify_command->footer(
      "Exit code 0: sound. 1: not, and why; a credit loop is printed channel by channel. 2: bad input, or with\n"
      "--live a switch that does not tell its table.\n"
      "Example: what OpenSM computed\n  espalier verify ibnetdiscover.txt /var/log/opensm-lfts.dump\n"
      "Example: what the switches do now\n  espalier verify --live");
  verify_command->callback([options] {
    const FabricAndTables subject = load(options->source, TablesNeed::kRequired);
    const VerifyReport report = with_threads(options->threads, [&] { return judge(subject, options->traffic); });
    if (!report.ok()) {
      fmt::print("{}", describe(report));
      throw AnswerIsNo{};
    }
    fmt::print("sound: {} entries of {} switches deliver, and {} channel dependencies close no credit loop\n",
               report.num_entries, subject.fabric.num_switches(), report.num_dependencies);
  });
}

}  // namespace espalier::tools
