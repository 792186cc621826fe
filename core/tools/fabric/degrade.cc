// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier degrade`: breaks a fabric at random, reproducibly.
#include <memory>
#include <string>

#include "core/fabric/faults.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"

namespace espalier::tools {

void add_degrade(CLI::App& app) {
  struct Options {
    std::string input;
    std::string output;
    Damage damage;
  };
  const auto options = std::make_shared<Options>();
  Damage& damage = options->damage;
  CLI::App* degrade_command = app.add_subcommand("degrade", "Remove random links, switches and end ports");
  degrade_command->add_option("NET", options->input, "Net file or ibnetdiscover text; - is standard input")->required();
  degrade_command->add_option("--links", damage.links, "Cables between switches to remove")
      ->check(CLI::NonNegativeNumber);
  degrade_command->add_option("--switches", damage.switches, "Switches without hosts to remove, with their cables")
      ->check(CLI::NonNegativeNumber);
  degrade_command->add_option("--spines", damage.spines, "Of these, those farthest from any host")
      ->check(CLI::NonNegativeNumber);
  degrade_command->add_option("--endports", damage.endports, "End ports to remove")->check(CLI::NonNegativeNumber);
  degrade_command->add_option("--seed", damage.seed, "Which random order; the same seed removes the same")
      ->capture_default_str();
  degrade_command->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  degrade_command->footer(
      "What remains keeps its GUIDs, LIDs and ports. With one seed, more damage contains less damage.\n"
      "Example: the same tree with 20 cables and one spine less\n"
      "  espalier degrade big.net --links 20 --spines 1 --seed 7 -o broken.net");
  degrade_command->callback([options] {
    const Fabric fabric = load_fabric(options->input);
    save_fabric(options->output, value_or_refuse(degrade(fabric, options->damage)));
  });
}

}  // namespace espalier::tools
