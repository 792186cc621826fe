// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier rank`: what shape the fabric has, and where it is not the fat tree that it was meant to be.
#include "core/tree/rank.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/io/export/json_text.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct LevelCounts {
  std::size_t switches = 0;
  std::size_t with_hosts = 0;
  std::size_t host_ports = 0;
  std::size_t up = 0;    // cables to higher switches
  std::size_t down = 0;  // cables to lower switches
};

std::vector<LevelCounts> count_levels(const FatTree& tree) {
  std::vector<LevelCounts> levels(tree.num_levels());
  for (const SwitchId s : tree.fabric().switches()) {
    LevelCounts& level = levels[index(tree.level(s))];
    ++level.switches;
    level.with_hosts += tree.hosts(s).empty() ? 0 : 1;
    level.host_ports += tree.hosts(s).size();
    for (const PortGroup& group : tree.up_groups(s)) level.up += group.num_ports;
    for (const PortGroup& group : tree.down_groups(s)) level.down += group.num_ports;
  }
  return levels;
}

void print(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  fmt::print("{} on {}, {}, {}, {}\n", counted(fabric.num_switches(), "switch", "switches"),
             counted(tree.num_levels(), "level"), counted(fabric.num_endports(), "end port"),
             counted(fabric.num_switch_links(), "link between switches", "links between switches"),
             counted(tree.num_components(), "connected part"));
  const std::vector<LevelCounts> levels = count_levels(tree);
  fmt::print("{:>5} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "level", "switches", "with hosts", "host ports", "links up",
             "down");
  for (std::size_t i = levels.size(); i-- > 0;)
    fmt::print("{:>5} {:>10} {:>10} {:>10} {:>10} {:>10}\n", i, levels[i].switches, levels[i].with_hosts,
               levels[i].host_ports, levels[i].up, levels[i].down);

  if (tree.irregularities().empty()) return fmt::print("no irregularities\n");
  const std::size_t count = tree.irregularities().size();
  fmt::print("{}, worst first:\n", counted(count, "irregularity", "irregularities"));
  for (const Irregularity& irregularity : tree.irregularities())
    fmt::print("  {}: {}\n", name(irregularity.kind), irregularity.text);
}

Json as_json(const FatTree& tree) {
  Json result{{"switches", tree.fabric().num_switches()},
              {"end_ports", tree.fabric().num_endports()},
              {"links", tree.fabric().num_switch_links()},
              {"parts", tree.num_components()}};
  result["levels"] = Json::array();
  for (const LevelCounts& level : count_levels(tree))
    result["levels"].push_back({{"switches", level.switches},
                                {"with_hosts", level.with_hosts},
                                {"host_ports", level.host_ports},
                                {"links_up", level.up},
                                {"links_down", level.down}});
  result["irregularities"] = Json::array();
  for (const Irregularity& irregularity : tree.irregularities())
    result["irregularities"].push_back({{"kind", name(irregularity.kind)}, {"text", irregularity.text}});
  return result;
}

}  // namespace

void add_rank(CLI::App& app) {
  struct Options {
    Source source;
    std::string roots;
    std::string compute;
    bool json = false;
    std::string switch_rules;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* rank_command = app.add_subcommand("rank", "Find the levels of a fabric and its irregularities");
  add_source(*rank_command, options->source, TablesNeed::kNone, "Net file or ibnetdiscover text; - is standard input");
  rank_command->add_option("--roots", options->roots, "GUIDs of the top switches, as OpenSM's root_guid_file");
  rank_command->add_option("--cn-guids", options->compute, "Port GUIDs of compute hosts, as OpenSM's cn_guid_file");
  rank_command->add_option("--switch-rules", options->switch_rules,
                           "File with roots, ranks and exclusions by name, as in conf/switch-rules.example");
  rank_command->add_flag("--json", options->json,
                         "Print one JSON object: levels from the leaves up, and irregularities");
  rank_command->footer("Leaves are level 0.\nExample: look for cabling errors\n  espalier rank ibnetdiscover.txt");
  rank_command->callback([options] {
    const RankOptions rank_options = load_rank_options(options->roots, options->compute, options->switch_rules);
    const Fabric fabric = load(options->source, TablesNeed::kNone).fabric;
    if (fabric.num_switches() == 0) throw Refused{{"it contains no switch", options->source.net, 0, {}}};
    const FatTree tree = value_or_refuse(rank(fabric, rank_options));
    if (!options->json) return print(tree);
    fmt::print("{}\n", json_text(as_json(tree), 2));
  });
}

}  // namespace espalier::tools
