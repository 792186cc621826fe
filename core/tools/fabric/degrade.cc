// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier degrade`: takes things out of a fabric: at random, reproducibly, or by name.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/fabric/faults.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/find_removal.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

// The size of what is left, and of what is gone.
nlohmann::ordered_json summary_of(const Fabric& whole, const Fabric& rest) {
  nlohmann::ordered_json summary = size_of(rest);
  nlohmann::ordered_json removed = size_of(whole);
  for (auto& [key, count] : removed.items()) count = count.get<std::size_t>() - summary.at(key).get<std::size_t>();
  summary["removed"] = std::move(removed);
  return summary;
}

}  // namespace

void add_degrade(CLI::App& app) {
  struct Options {
    std::string input;
    std::string output;
    Damage damage;
    std::vector<std::string> remove;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  Damage& damage = options->damage;
  CLI::App* degrade_command =
      app.add_subcommand("degrade", "Remove links, switches and end ports, at random or by name");
  degrade_command->add_option("NET", options->input, "Net file or ibnetdiscover text; - is standard input")->required();
  degrade_command->add_option("--links", damage.links, "Number of links between switches to remove");
  degrade_command->add_option("--switches", damage.switches,
                              "Number of switches without hosts to remove, with their links");
  degrade_command->add_option("--spines", damage.spines,
                              "Number of spine switches to remove: those farthest from any host");
  degrade_command->add_option("--endports", damage.endports, "Number of end ports to remove");
  degrade_command->add_option("--seed", damage.seed, "Seed of the random draw; the same seed removes the same things")
      ->capture_default_str();
  add_remove_option(*degrade_command, options->remove);
  degrade_command->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  add_summary_option(*degrade_command, options->json, "what is left and what was removed");
  degrade_command->footer(
      "What remains keeps its GUIDs, LIDs and ports. With the same seed, more damage includes the smaller damage.\n"
      "Example: remove 20 links and one spine\n"
      "  espalier degrade big.net --links 20 --spines 1 --seed 7 -o broken.net\n"
      "Example: remove one switch, and the link at port 7 of another\n"
      "  espalier degrade big.net --remove \"L2 0.3\" --remove \"leaf 12/7\" -o broken.net");
  degrade_command->callback([options] {
    refuse_mixed_output(options->json, options->output);
    const Fabric whole = load_fabric(options->input);
    const Fabric fabric = without(whole, value_or_refuse(find_removal(whole, options->remove)));
    const Fabric rest = value_or_refuse(degrade(fabric, options->damage));
    save_fabric(options->output, rest);
    if (options->json) print_json(summary_of(whole, rest));
  });
}

}  // namespace espalier::tools
