// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier modify`: gives a fabric the oddities of real ones, reproducibly.
#include <memory>
#include <string>

#include "core/fabric/generators/site_changes.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/fabric/modifier_options.h"

namespace espalier::tools {

void add_modifier_options(CLI::App& command, Modifiers& modifiers) {
  const auto count = [&](const char* option, std::size_t& value, const char* help) {
    command.add_option(option, value, help)->check(CLI::NonNegativeNumber);
  };
  command.add_flag_callback(
      "--aggregation-nodes",
      [&modifiers] { modifiers.aggregation_nodes = Modifiers::AggregationNodes::kOnEverySwitch; },
      "A CA inside every switch, as SHARP has it, on a new last port");
  count("--service-hosts", modifiers.service_hosts, "Hosts on the switches that are farthest from all others");
  count("--missing-hosts", modifiers.missing_hosts, "Channel adapters to take out, with all their ports");
  count("--empty-places", modifiers.empty_places, "The last channel adapters to take out: a rack that is not full");
  count("--mixed-speeds", modifiers.slow_cables, "Cables to slow down by one step, those of hosts included");
  count("--leaf-links", modifiers.leaf_links, "Cables between two leaves, at most one at each");
  command.add_option("--seed", modifiers.seed, "Which random order; the same seed picks the same")
      ->capture_default_str();
}

namespace {

void add_site_change_options(CLI::App& command, SiteChanges& changes) {
  const auto count = [&](const char* option, std::size_t& value, const char* help) {
    command.add_option(option, value, help)->check(CLI::NonNegativeNumber);
  };
  command.add_flag_callback(
      "--uneven-leaves", [&changes] { changes.leaves = SiteChanges::Leaves::kUneven; },
      "Each leaf keeps a random number of its hosts, none to all");
  command.add_flag_callback(
      "--shuffle-guids", [&changes] { changes.guids = SiteChanges::Guids::kShuffled; },
      "Switches exchange their GUIDs at random, so that these say nothing about where a switch stands");
  count("--swapped-uplinks", changes.swapped_uplinks, "Pairs of uplinks of leaves that exchange their far ends");
  count("--stray-links", changes.stray_links, "New cables between two switches that were not neighbors");
  count("--fast-spines", changes.fast_spines, "Switches farthest from the hosts, all of whose links run twice as fast");
  count("--fast-leaves", changes.fast_leaves, "Leaves all of whose links, those of hosts included, run twice as fast");
  count("--throttled-links", changes.throttled_links, "Links between switches that came up with a single lane");
}

}  // namespace

void add_modify(CLI::App& app) {
  struct Options {
    std::string input;
    std::string output;
    Modifiers modifiers;
    SiteChanges changes;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("modify", "Give a fabric the oddities of real ones");
  command->add_option("NET", options->input, "Net file or ibnetdiscover text; - is standard input")->required();
  add_modifier_options(*command, options->modifiers);
  add_site_change_options(*command, options->changes);
  command->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  command->footer(
      "What was there keeps its GUIDs, LIDs and ports. With one seed, more of a kind contains less of it.\n"
      "For cables and switches that fail see espalier degrade.\n"
      "Example: an Aggregation Node on each switch, two service hosts on spines\n"
      "  espalier modify tree.net --aggregation-nodes --service-hosts 2 --seed 7 -o real.net");
  command->callback([options] {
    const Fabric fabric = load_fabric(options->input);
    Fabric modified = value_or_refuse(modify(fabric, options->modifiers));
    options->changes.seed = options->modifiers.seed;
    if (options->changes.any()) modified = value_or_refuse(change(modified, options->changes));
    save_fabric(options->output, modified);
  });
}

}  // namespace espalier::tools
