// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier repair`: tables for a damaged fabric out of those of a reference, as the plugin would make them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/base/large_array.h"
#include "core/base/stopwatch.h"
#include "core/base/text.h"
#include "core/repair/file/reference_file.h"
#include "core/repair/repairable_reference.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/quiet.h"
#include "core/tools/summary.h"
#include "core/tools/tables/lanes_to_write.h"

namespace espalier::tools {
namespace {

struct RepairOptions {
  std::string input;
  std::string output;
  std::string reference;
  std::string lanes;
  std::optional<unsigned> lmc;
  unsigned threads = 0;
  bool json = false;
};

const char* name(RepairReach reach) {
  switch (reach) {
    case RepairReach::kLocal:
      return "local";
    case RepairReach::kDetours:
      return "detours";
    case RepairReach::kAll:
      return "all";
  }
  return "unknown";
}

// A fabric after faults has most of the reference's switches; another one has few of them or none.
void warn_of_another_fabric(const Reference& reference, const Fabric& fabric) {
  const std::size_t all = reference.fabric.num_switches();
  std::size_t missing = 0;
  for (const SwitchId s : reference.fabric.switches())
    missing += fabric.find_switch(reference.fabric.at(s).guid) == kNoSwitch ? 1 : 0;
  if (2 * missing > all)
    warn(fmt::format("{} of the {} of the reference are not in this fabric; is it the reference of another one?",
                     missing, counted(all, "switch", "switches")));
}

// In OpenSM a thread of the plugin extends the reference a moment later; here nobody does.
void warn_of_followers(std::size_t count) {
  if (count == 0) return;
  warn(
      fmt::format("{} that the reference does not know share the paths of others, which may load links unevenly; "
                  "espalier route makes a reference in which they have paths of their own",
                  counted(count, "switch or end port", "switches and end ports")));
}

// Memory, as a subnet manager that has repaired before has it: to be handed it by the kernel took a first repair of hundreds
// of links a third of its time.
void prefault(const Reference& reference) {
  constexpr std::size_t kCopies = 6;  // of the tables: 432 lost links of 8 640 hosts take 64 MB
  constexpr std::size_t kMost = std::size_t{128} << 20;
  const ForwardingTables& tables = reference.tables;
  prefault_large(std::min(kMost, kCopies * tables.num_switches() * tables.width()));
}

struct Milliseconds {
  double prepare = 0;
  double repair = 0;
  double verify = 0;  // with a copy of the tables in one piece
};

void tell_outcome(const RepairOptions& options, const std::string& origin, const PatchedRepair& repaired,
                  const Milliseconds& ms) {
  // The plugin's references have its options behind the name.
  const std::string engine = printable(origin.substr(0, origin.find(' ')));
  tell(
      fmt::format("repair of {}: {} changed from the reference, {} repaired: prepare {:.1f} ms, repair {:.1f} "
                  "ms, verify {:.1f} ms",
                  engine, counted(repaired.entries, "entry", "entries"), counted(repaired.repaired_routes, "route"),
                  ms.prepare, ms.repair, ms.verify));
  if (!options.json) return;
  const nlohmann::ordered_json result{{"repair_ms", ms.repair},
                                      {"entries", repaired.entries},
                                      {"repaired_routes", repaired.repaired_routes},
                                      {"reach", name(repaired.reach)},
                                      {"engine", engine},
                                      {"vls", num_vls(repaired.lanes)},
                                      {"prepare_ms", ms.prepare},
                                      {"verify_ms", ms.verify}};
  print_json(result);
}

void repair_command(const RepairOptions& options) {
  Stopwatch watch;
  const Fabric fabric = load_fabric(options.input, options.lmc);
  refuse_no_switches(fabric, options.input);
  Reference read = value_or_refuse(read_reference(load_text(options.reference), options.reference));
  warn_of_another_fabric(read, fabric);
  with_threads(options.threads, [&] {
    const auto reference = prepare(std::move(read));
    prefault(reference->reference());
    Milliseconds ms{.prepare = watch.lap()};
    const PatchedRepair repaired = value_or_refuse(reference->patch(fabric, {}));
    ms.repair = watch.lap();
    const ForwardingTables tables = repaired.tables.whole();
    for (const std::string& warning : repaired.warnings) warn(warning);
    warn_of_followers(repaired.num_following);
    const VerifyReport report = verify(fabric, tables, repaired.lanes);
    ms.verify = watch.lap();
    if (!report.ok()) {
      fmt::print(stderr, "{}espalier: the repaired tables are unsound and were not written\n", describe(report));
      throw AnswerIsNo{};
    }
    save_lanes(options.lanes, fabric, repaired.lanes);
    save_tables(options.output, fabric, tables);
    tell_outcome(options, reference->reference().engine, repaired, ms);
  });
}

}  // namespace

void add_repair(CLI::App& app) {
  const auto options = std::make_shared<RepairOptions>();
  CLI::App* repair = app.add_subcommand("repair", "Repair tables after faults, keeping every route that still works");
  repair->add_option("NET", options->input, "The fabric as it is now; - is standard input")->required();
  repair->add_option("--reference", options->reference, "File written by `espalier route --save-reference`")
      ->required();
  repair
      ->add_option(
          "--lmc", options->lmc,
          "Give each end port 2^LMC LIDs, as route did for the reference; keeps the LIDs of the file where there is "
          "room for them, else reassigns all")
      ->check(CLI::Range(0, 7));
  repair->add_option("-o,--output", options->output,
                     "Tables to write, in the format of opensm-lfts.dump; default: standard output");
  add_lanes_to_write(*repair, options->lanes, "the reference has none");
  add_threads_option(*repair, options->threads, "The tables do not depend on it");
  add_summary_option(*repair, options->json,
                     "repair_ms, entries that differ from the reference, repaired_routes (from a switch with hosts to "
                     "a host's LID), ...");
  repair->footer(
      "The tables depend only on the reference and the fabric, and are proven sound before they are written; "
      "otherwise\nthe exit code is 1. When all equipment is back, so are the tables of the reference.\n"
      "Tables of a reference with virtual lanes are repaired on these: save them with --lanes, as those of route.\n"
      "Example: one cable fails\n"
      "  espalier route tree.net --engine balanced --save-reference tree.ref -o tree.lfts\n"
      "  espalier degrade tree.net --links 1 --seed 1 -o broken.net\n"
      "  espalier repair broken.net --reference tree.ref --json -o broken.lfts\n"
      "  espalier diff tree.lfts broken.lfts --json");
  repair->callback([options] {
    refuse_mixed_output(options->json, options->output);
    refuse_one_output_for_two({{"--output", options->output.empty() ? "-" : options->output},
                               {"--json", options->json ? "-" : ""},
                               {"--lanes", options->lanes}});
    repair_command(*options);
  });
}

}  // namespace espalier::tools
