// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier rank`: what shape the fabric has, and where it is not the fat tree that it was meant to be.
#include "core/tree/rank.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/dragonfly/missing_links.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/group_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/summary.h"

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

// A fabric that is a dragonfly, and what the site says of its groups.
struct Groups {
  Dragonfly dragonfly;
  std::optional<GroupNames> given;
  MissingLinks missing = find_missing_links(dragonfly);
  std::vector<GroupDifference> differences = given ? compare_groups(dragonfly, *given) : std::vector<GroupDifference>();
};

struct GroupCounts {
  std::size_t hosts = 0;
  std::size_t local = 0;   // links, each once
  std::size_t global = 0;  // that leave the group
};

GroupCounts count_group(const FatTree& tree, const Dragonfly& dragonfly, std::size_t group) {
  GroupCounts counts;
  std::size_t ends = 0;
  for (const SwitchId s : dragonfly.routers(group)) {
    counts.hosts += tree.hosts(s).size();
    for (const PortNum p : tree.fabric().ports(s)) {
      ends += dragonfly.port_class(s, p) == PortClass::kLocal ? 1 : 0;
      counts.global += dragonfly.port_class(s, p) == PortClass::kGlobal ? 1 : 0;
    }
  }
  counts.local = ends / 2;
  return counts;
}

std::string difference_text(const Fabric& fabric, const GroupDifference& difference) {
  return fmt::format("{} is said to be in group {}, but is cabled as one of group {}", fabric.label(difference.at),
                     printable(difference.given), printable(difference.cabled_with));
}

void print(const FatTree& tree, const Groups& groups) {
  const Dragonfly& dragonfly = groups.dragonfly;
  const bool plus = dragonfly.kind() == Dragonfly::Kind::kLeavesAndSpines;
  fmt::print("a {} of {}\n", plus ? "dragonfly+" : "dragonfly", counted(dragonfly.num_groups(), "group"));
  fmt::print("{:>10} {:>10} {:>10} {:>10} {:>10}\n", "group", "switches", "hosts", "local", "global");
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    const GroupCounts counts = count_group(tree, dragonfly, g);
    const std::string title = group_title(dragonfly, g, groups.given);
    fmt::print("{:>10} {:>10} {:>10} {:>10} {:>10}\n", title.substr(title.find(' ') + 1), dragonfly.routers(g).size(),
               counts.hosts, counts.local, counts.global);
  }
  for (const MissingLocal& pair : groups.missing.local)
    fmt::print("  missing local link: {} and {} have {} instead of {}\n", tree.fabric().label(pair.a),
               tree.fabric().label(pair.b), counted(pair.links, "link"), pair.wanted);
  for (const MissingGlobal& pair : groups.missing.global)
    fmt::print("  missing global link: {} and {} have {} instead of {}\n", group_title(dragonfly, pair.a, groups.given),
               group_title(dragonfly, pair.b, groups.given), counted(pair.links, "link"), pair.wanted);
  for (const GroupDifference& difference : groups.differences)
    fmt::print("  wrong group: {}\n", difference_text(tree.fabric(), difference));
}

Json as_json(const FatTree& tree, const Groups& groups) {
  const Dragonfly& dragonfly = groups.dragonfly;
  Json result{{"kind", dragonfly.kind() == Dragonfly::Kind::kRouters ? "dragonfly" : "dragonfly+"},
              {"groups", Json::array()},
              {"missing_local_links", groups.missing.local.size()},
              {"missing_global_links", groups.missing.global.size()},
              {"wrong_groups", Json::array()}};
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    const GroupCounts counts = count_group(tree, dragonfly, g);
    const std::string title = group_title(dragonfly, g, groups.given);
    result["groups"].push_back({{"name", title.substr(title.find(' ') + 1)},
                                {"switches", dragonfly.routers(g).size()},
                                {"hosts", counts.hosts},
                                {"local_links", counts.local},
                                {"global_links", counts.global}});
  }
  for (const GroupDifference& difference : groups.differences)
    result["wrong_groups"].push_back(difference_text(tree.fabric(), difference));
  return result;
}

using IrregularityKind = Irregularity::Kind;

// What a graph that is hardly a tree has everywhere: of many, a few are shown.
bool is_shortened(IrregularityKind kind, std::size_t count) {
  constexpr std::size_t kMany = 20;
  return count > kMany && (kind == IrregularityKind::kSameLevelLink || kind == IrregularityKind::kLevelSkippingLink ||
                           kind == IrregularityKind::kHostAboveLeaf);
}

void print_irregularities(const FatTree& tree, bool has_groups) {
  constexpr std::size_t kFew = 3;
  std::map<IrregularityKind, std::size_t> count;
  std::vector<const Irregularity*> shown;
  for (const Irregularity& irregularity : tree.irregularities()) {
    // That links join switches of one level is what a dragonfly is.
    if (has_groups && irregularity.kind == IrregularityKind::kSameLevelLink) continue;
    ++count[irregularity.kind];
    shown.push_back(&irregularity);
  }
  if (shown.empty()) return fmt::print("no irregularities\n");
  fmt::print("{}, worst first:\n", counted(shown.size(), "irregularity", "irregularities"));
  std::map<IrregularityKind, std::size_t> seen;
  for (const Irregularity* irregularity : shown) {
    const IrregularityKind kind = irregularity->kind;
    const std::size_t place = ++seen[kind];
    if (!is_shortened(kind, count[kind]) || place <= kFew)
      fmt::print("  {}: {}\n", name(kind), irregularity->text);
    else if (place == kFew + 1)
      fmt::print("  {}: {} more; --json lists them\n", name(kind), count[kind] - kFew);
  }
}

void print(const FatTree& tree, const std::optional<Groups>& groups) {
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

  if (groups) print(tree, *groups);
  print_irregularities(tree, groups.has_value());
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

// Nothing where this is no dragonfly; Refused if groups are given all the same.
std::optional<Groups> find_groups(const Fabric& fabric, const GroupOptions& options) {
  std::optional<GroupNames> given = load_groups(fabric, options);
  std::optional<Dragonfly> dragonfly = find_dragonfly(fabric, given);
  if (!dragonfly) return std::nullopt;
  return Groups{*std::move(dragonfly), std::move(given)};
}

}  // namespace

void add_rank(CLI::App& app) {
  struct Options {
    Source source;
    std::string roots;
    std::string compute;
    bool json = false;
    std::string switch_rules;
    GroupOptions groups;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* rank_command = app.add_subcommand("rank", "Find the levels of a fabric and its irregularities");
  add_source(*rank_command, options->source, TablesNeed::kNone, "Net file or ibnetdiscover text; - is standard input");
  add_rank_options(*rank_command, options->roots, options->compute);
  add_switch_rules_option(*rank_command, options->switch_rules);
  add_group_options(*rank_command, options->groups);
  rank_command->add_flag("--json", options->json,
                         "Print one JSON object: levels from the leaves up, and irregularities");
  rank_command->footer(
      "Leaves are level 0. A dragonfly is shown by its groups, found from the cabling alone.\n"
      "Cables in the wrong place, such as two that are swapped, may leave all levels as they were: "
      "espalier check looks\nfor these.\n"
      "Example: levels, missing cables and what else is irregular\n  espalier rank ibnetdiscover.txt\n"
      "Example: is each switch cabled in the group that its name says?\n"
      "  espalier rank ibnetdiscover.txt --group-names 'g(\\d+)'");
  rank_command->callback([options] {
    const RankOptions rank_options = load_rank_options(options->roots, options->compute, options->switch_rules);
    const Fabric fabric = load(options->source, TablesNeed::kNone).fabric;
    if (fabric.num_switches() == 0) throw Refused{{"it contains no switch", options->source.net, 0, {}}};
    const FatTree tree = value_or_refuse(rank(fabric, rank_options));
    const std::optional<Groups> groups = find_groups(fabric, options->groups);
    if (!options->json) return print(tree, groups);
    Json json = as_json(tree);
    if (groups) json["dragonfly"] = as_json(tree, *groups);
    print_json(json);
  });
}

}  // namespace espalier::tools
