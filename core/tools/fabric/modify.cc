// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier modify`: gives a fabric the irregularities of real fabrics, reproducibly.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "core/fabric/generators/site_changes.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/fabric/modifier_options.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

void add_count(CLI::App& command, const char* option, std::size_t& value, const char* help) {
  command.add_option(option, value, help);
}

}  // namespace

void add_modifier_options(CLI::App& command, Modifiers& modifiers) {
  command.add_flag_callback(
      "--aggregation-nodes",
      [&modifiers] { modifiers.aggregation_nodes = Modifiers::AggregationNodes::kOnEverySwitch; },
      "Add a CA inside every switch, as with SHARP, on a new last port");
  add_count(command, "--service-hosts", modifiers.service_hosts,
            "Hosts to add on the switches farthest from all others");
  add_count(command, "--missing-hosts", modifiers.missing_hosts, "Channel adapters to remove, with all their ports");
  add_count(command, "--empty-places", modifiers.empty_places,
            "Channel adapters to remove from the end: a rack that is not full");
  add_count(command, "--mixed-speeds", modifiers.slow_links,
            "Cables to slow down by one speed step, including those of hosts");
  add_count(command, "--leaf-links", modifiers.leaf_links, "Cables to add between two leaves, at most one per leaf");
  command.add_option("--seed", modifiers.seed, "Seed of the random choice; the same seed makes the same choice")
      ->capture_default_str();
}

namespace {

void add_site_change_options(CLI::App& command, SiteChanges& changes) {
  command.add_flag_callback(
      "--uneven-leaves", [&changes] { changes.leaves = SiteChanges::Leaves::kUneven; },
      "Keep a random number of hosts on each leaf, from none to all");
  command.add_flag_callback(
      "--shuffle-guids", [&changes] { changes.guids = SiteChanges::Guids::kShuffled; },
      "Shuffle the GUIDs of the switches, so that they say nothing about where a switch is");
  command
      .add_option_function<std::string>(
          "--host-names",
          [&changes](const std::string& word) {
            changes.host_names =
                word == "random" ? SiteChanges::HostNames::kRandom : SiteChanges::HostNames::kAlternate;
          },
          "Reassign the names of hosts: alternate (consecutive names on two leaves in turn) or random")
      ->check(CLI::IsMember({"alternate", "random"}));
  add_count(command, "--swapped-uplinks", changes.swapped_uplinks, "Pairs of leaf uplinks that swap their far ends");
  add_count(command, "--stray-links", changes.stray_links,
            "Cables to add between two switches that were not neighbors");
  add_count(command, "--fast-spines", changes.fast_spines,
            "Switches farthest from the hosts whose links all run twice as fast");
  add_count(command, "--fast-leaves", changes.fast_leaves,
            "Leaves whose links all run twice as fast, including those of hosts");
  add_count(command, "--throttled-links", changes.throttled_links, "Links between switches that come up at width 1x");
}

}  // namespace

void add_modify(CLI::App& app) {
  struct Options {
    std::string input;
    std::string output;
    Modifiers modifiers;
    SiteChanges changes;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("modify", "Give a fabric irregularities of real fabrics");
  command->add_option("NET", options->input, "Net file or ibnetdiscover text; - is standard input")->required();
  add_modifier_options(*command, options->modifiers);
  add_site_change_options(*command, options->changes);
  command->add_option("-o,--output", options->output, "Net file to write; default: standard output");
  add_summary_option(*command, options->json, "the size of the fabric, before and now");
  command->footer(
      "Existing equipment keeps its GUIDs, LIDs and ports. With the same seed, a larger number includes the changes "
      "of\n"
      "a smaller one.\n"
      "To remove cables and switches, see espalier degrade.\n"
      "Example: an Aggregation Node on each switch, two service hosts on spines\n"
      "  espalier modify tree.net --aggregation-nodes --service-hosts 2 --seed 7 -o real.net");
  command->callback([options] {
    refuse_mixed_output(options->json, options->output);
    const Fabric fabric = load_fabric(options->input);
    Fabric modified = value_or_refuse(modify(fabric, options->modifiers));
    options->changes.seed = options->modifiers.seed;
    if (options->changes.any()) modified = value_or_refuse(change(modified, options->changes));
    save_fabric(options->output, modified);
    if (!options->json) return;
    nlohmann::ordered_json summary = size_of(modified);
    summary["before"] = size_of(fabric);
    print_json(summary);
  });
}

}  // namespace espalier::tools
