// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier convert`: from any format that core/io reads to any that it writes. Levels and orders, of which core/io
// knows nothing, come from core/tree.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/dragonfly/detect.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/rules/host_name.h"
#include "core/io/export/csv_writer.h"
#include "core/io/export/dot_writer.h"
#include "core/io/export/graphml_writer.h"
#include "core/io/export/json_writer.h"
#include "core/io/export/slurm_writer.h"
#include "core/io/lft/fdbs_writer.h"
#include "core/io/lft/lft_dump.h"
#include "core/io/lists/ca_order.h"
#include "core/io/lists/guid_file.h"
#include "core/io/net/net_writer.h"
#include "core/io/subnet/subnet_list.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/group_options.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/node_names.h"
#include "core/tools/inputs/source.h"
#include "core/tools/summary.h"
#include "core/tree/levels.h"
#include "core/tree/order/node_order.h"

namespace espalier::tools {
namespace {

struct ConvertOptions {
  Source source;
  std::string to;
  std::string output;
  std::string roots;
  std::string compute;
  std::string rail;   // regular expression
  std::string names;  // file
  GroupOptions groups;
  bool ibsim_guids = false;
  bool json = false;
};

// Everything that a writer may ask for.
struct Input {
  const Fabric& fabric;
  const ForwardingTables* tables;  // nullptr: not given
  const RankOptions& rank_options;
  const ConvertOptions& options;

  [[nodiscard]] FatTree tree() const { return value_or_refuse(rank(fabric, rank_options)); }
};

std::vector<std::uint8_t> levels_of(const FatTree& tree) {
  std::vector<std::uint8_t> levels;
  for (const SwitchId s : tree.fabric().switches()) levels.push_back(static_cast<std::uint8_t>(tree.level(s)));
  return levels;
}

std::vector<EndportId> hosts_in_order(const FatTree& tree) { return topological_order(tree, UpDownCosts(tree)).hosts; }

// The highest switches of each connected component, for OpenSM's root_guid_file.
std::string write_roots(const Input& in) {
  const FatTree tree = in.tree();
  std::vector<Level> top(tree.num_components(), Level{0});
  for (const SwitchId s : in.fabric.switches())
    top[tree.component(s)] = std::max(top[tree.component(s)], tree.level(s));
  std::vector<Guid> roots;
  for (const SwitchId s : in.fabric.switches())
    if (tree.level(s) == top[tree.component(s)]) roots.push_back(in.fabric.at(s).guid);
  return write_guids(roots);
}

// What annex 2 of the thesis finds alone, to compare it with others.
std::string write_statistical_roots(const Input& in) {
  std::vector<Guid> roots;
  for (const SwitchId s : HostViews(in.fabric, count_hosts(in.fabric)).statistical_roots())
    roots.push_back(in.fabric.at(s).guid);
  return write_guids(roots);
}

std::string write_compute_nodes(const Input& in) {
  std::vector<Guid> guids;
  for (const EndportId e : hosts_in_order(in.tree()))
    if (in.fabric.at(e).kind == EndportKind::kChannelAdapter) guids.push_back(in.fabric.at(e).port_guid);
  return write_guids(guids);
}

template <std::string (*write)(const Fabric&, const Annotations&)>
std::string annotated(const Input& in) {
  const std::vector<std::uint8_t> levels = levels_of(in.tree());
  return write(in.fabric, {in.tables, levels});
}

// "node01" of "node01 mlx5_0"; of "host 12", which generators write, "host12": the number is no adapter.
std::optional<std::string> node_in_description(const std::string& description) {
  const std::optional<std::string_view> host = host_in_description(description);
  if (!host) return std::nullopt;
  const std::size_t blank = description.find(' ');
  std::string node(*host);
  if (blank != std::string::npos && parse_number<std::uint64_t>(std::string_view(description).substr(blank + 1)))
    node += description.substr(blank + 1);
  return node;
}

std::optional<std::regex> rail_of(const std::string& pattern) {
  constexpr std::size_t kLongest = 1000;  // a compiler of expressions calls itself for each parenthesis
  if (pattern.empty()) return std::nullopt;
  if (pattern.size() > kLongest)
    throw Refused{
        {fmt::format("--rail has {} characters; at most {} are allowed", pattern.size(), kLongest), {}, 0, {}}};
  try {
    return std::regex(pattern, std::regex_constants::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    throw Refused{{fmt::format("--rail \"{}\" is not a regular expression", pattern), {}, 0, {}}};
  }
}

// The node that each end port belongs to: by --names, else as its description says. Others are told of.
std::vector<SlurmHost> slurm_hosts(const Input& in, std::span<const EndportId> endports) {
  std::map<Guid, std::string> names;
  if (!in.options.names.empty()) names = load_node_names(in.options.names);
  const std::optional<std::regex> rail = rail_of(in.options.rail);
  std::vector<SlurmHost> hosts;
  std::size_t nameless = 0;
  for (const EndportId e : endports) {
    const Endport& endport = in.fabric.at(e);
    if (endport.kind == EndportKind::kRouter || (rail && !std::regex_search(endport.description, *rail))) continue;
    auto named = names.find(endport.port_guid);
    if (named == names.end()) named = names.find(endport.node_guid);
    const std::optional<std::string> node =
        named != names.end() ? std::optional(named->second) : node_in_description(endport.description);
    if (node)
      hosts.push_back({e, *node});
    else
      ++nameless;
  }
  if (nameless > 0)
    warn(fmt::format("{} left out: no description that names a host; give names with --names",
                     counted(nameless, "end port is", "end ports are")));
  return hosts;
}

// What Slurm is told of a dragonfly: its groups, not what links within a level would make of a tree.
std::optional<SlurmTree> tree_of_groups(const Input& in, std::span<const EndportId> hosts) {
  const std::optional<GroupNames> given = load_groups(in.fabric, in.options.groups);
  const Result<Dragonfly> dragonfly = detect_dragonfly(in.fabric);
  if (!dragonfly && given) throw Refused{dragonfly.error()};
  if (!dragonfly) return std::nullopt;
  std::vector<std::uint32_t> group_of;
  for (const SwitchId s : in.fabric.switches()) group_of.push_back(dragonfly->group(s));
  std::vector<std::string> names;
  for (std::size_t g = 0; g < dragonfly->num_groups(); ++g) names.push_back(group_title(*dragonfly, g, given));
  return value_or_refuse(slurm_groups(in.fabric, group_of, names, slurm_hosts(in, hosts)));
}

template <std::string (*write)(const SlurmTree&)>
std::string slurm(const Input& in) {
  const FatTree tree = in.tree();
  if (const std::optional<SlurmTree> groups = tree_of_groups(in, hosts_in_order(tree))) return write(*groups);
  return write(value_or_refuse(slurm_tree(in.fabric, levels_of(tree), slurm_hosts(in, hosts_in_order(tree)))));
}

enum class Reads : std::uint8_t { kFabric, kLevels };

struct Format {
  std::string_view name;
  TablesNeed tables;
  Reads reads;
  std::string (*write)(const Input& in);
  std::string_view what;
};

constexpr std::array kFormats{
    Format{"net", TablesNeed::kNone, Reads::kFabric, [](const Input& in) { return write_net(in.fabric); },
           "net file for ibsim, like ibnetdiscover output"},
    Format{"subnet-lst", TablesNeed::kNone, Reads::kFabric,
           [](const Input& in) { return write_subnet_list(in.fabric); }, "opensm-subnet.lst, for ibdmchk"},
    Format{"lfts", TablesNeed::kRequired, Reads::kFabric,
           [](const Input& in) { return write_lfts(in.fabric, *in.tables); }, "opensm-lfts.dump, for opensm -R file"},
    Format{"fdbs", TablesNeed::kRequired, Reads::kFabric,
           [](const Input& in) { return write_fdbs(in.fabric, *in.tables); }, "opensm.fdbs, for ibdmchk"},
    Format{"dot", TablesNeed::kOptional, Reads::kLevels, annotated<write_dot>,
           "Graphviz; with tables, in the form that ORCS reads"},
    Format{"graphml", TablesNeed::kNone, Reads::kLevels, annotated<write_graphml>,
           "GraphML, for networkx, igraph, Gephi"},
    Format{"json", TablesNeed::kOptional, Reads::kLevels, annotated<write_json>, "JSON, for scripts"},
    Format{"csv", TablesNeed::kNone, Reads::kFabric, [](const Input& in) { return write_links_csv(in.fabric); },
           "cables"},
    Format{"csv-switches", TablesNeed::kNone, Reads::kFabric,
           [](const Input& in) { return write_switches_csv(in.fabric); }, "switches"},
    Format{"csv-end-ports", TablesNeed::kNone, Reads::kFabric,
           [](const Input& in) { return write_endports_csv(in.fabric); }, "end ports"},
    Format{"slurm", TablesNeed::kNone, Reads::kLevels, slurm<write_slurm_conf>,
           "Slurm's topology.conf; of a dragonfly by its groups"},
    Format{"slurm-yaml", TablesNeed::kNone, Reads::kLevels, slurm<write_slurm_yaml>,
           "Slurm's topology.yaml, with topology/tree"},
    Format{"ca-order", TablesNeed::kNone, Reads::kLevels,
           [](const Input& in) { return write_ca_order(in.fabric, hosts_in_order(in.tree())); },
           "hosts in topological order, like opensm-ftree-ca-order.dump"},
    Format{"roots", TablesNeed::kNone, Reads::kLevels, write_roots, "GUIDs of the top switches, as root_guid_file"},
    Format{"statistical-roots", TablesNeed::kNone, Reads::kFabric, write_statistical_roots,
           "the same, but only by the most frequent distance to hosts"},
    Format{"cn-guids", TablesNeed::kNone, Reads::kLevels, write_compute_nodes,
           "port GUIDs of the hosts, as cn_guid_file"}};

const Format& format_named(const std::string& name) {
  const auto at = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& f) { return f.name == name; });
  if (at == kFormats.end())
    throw Refused{{fmt::format("unknown format \"{}\"", name), {}, 0, "see espalier convert --help"}};
  return *at;
}

void refuse_idle_beside_format(const CLI::App& command, const ConvertOptions& options, const Format& format) {
  refuse_idle(command, {"--roots", "--cn-guids"}, format.reads == Reads::kLevels,
              "formats with levels or an order: dot, graphml, json, slurm, ca-order, roots and cn-guids");
  refuse_idle(command, {"--rail", "--names", "--groups", "--group-names"}, format.name.starts_with("slurm"),
              "--to slurm and slurm-yaml");
  refuse_idle(command, {"--ibsim"}, !options.source.live, "files");
}

void convert(const CLI::App& command, const ConvertOptions& options) {
  refuse_mixed_output(options.json, options.output);
  const Format& format = format_named(options.to);
  refuse_idle_beside_format(command, options, format);
  if (format.tables == TablesNeed::kRequired && options.source.tables.empty() && !options.source.live)
    throw Refused{{fmt::format("{} is a format for tables, but no tables are given", format.name),
                   {},
                   0,
                   "give them after the fabric, or compute them with espalier route"}};
  if (format.tables == TablesNeed::kNone && !options.source.tables.empty())
    throw Refused{{fmt::format("{} does not hold tables", format.name), options.source.tables, 0, "omit them"}};
  const RankOptions rank_options = load_rank_options(options.roots, options.compute);
  const FabricAndTables loaded =
      load(options.source, format.tables, options.ibsim_guids ? PortGuids::kNodePlusPort : PortGuids::kAsWritten);
  const Fabric& fabric = loaded.fabric;
  const std::optional<ForwardingTables>& tables = loaded.tables;
  const std::string text = format.write({fabric, tables ? &*tables : nullptr, rank_options, options});
  save_text(options.output, text);
  if (!options.json) return;
  nlohmann::ordered_json summary{{"to", format.name}, {"bytes", text.size()}};
  summary.update(size_of(fabric));
  print_json(summary);
}

}  // namespace

void add_convert(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Convert a fabric, or its tables, to another format");
  add_source(*command, options->source, TablesNeed::kOptional,
             "Text of ibnetdiscover (also -g, -p) or ibdiagnet2, ibsim net file, opensm-subnet.lst, ibdm .topo; - is "
             "standard input",
             "opensm-lfts.dump, opensm.fdbs, or the output of ibroute or dump_fts");
  command->add_option("--to", options->to, "Format, see below")->type_name("FORMAT")->required();
  command->add_option("-o,--output", options->output, "File to write; - or nothing: standard output");
  add_summary_option(*command, options->json, "the format, its bytes and the size of the fabric");
  add_rank_options(*command, options->roots, options->compute);
  command->add_option("--rail", options->rail,
                      "For Slurm, where nodes have several adapters: use only end ports whose description matches this "
                      "regular expression, for example mlx5_0");
  command->add_option("--names", options->names,
                      "For Slurm: names of its nodes by GUID of the adapter or port, in lines 0xGUID \"name\"");
  add_group_options(*command, options->groups);
  command->add_flag("--ibsim", options->ibsim_guids, "Number port GUIDs as ibsim does instead of as in the file");
  std::string text = "Formats:\n";
  for (const Format& format : kFormats)
    text += fmt::format("  {:<17} {}{}\n", format.name, format.what,
                        format.tables == TablesNeed::kRequired   ? " (LFTS is required)"
                        : format.tables == TablesNeed::kOptional ? " (LFTS is optional)"
                                                                 : "");
  command->footer(text +
                  "Example: Slurm's topology.conf from what ibnetdiscover sees\n"
                  "  ibnetdiscover | espalier convert - --to slurm -o topology.conf\n"
                  "Example: load tables from ibroute or opensm.fdbs into OpenSM\n"
                  "  espalier convert ibnetdiscover.txt opensm.fdbs --to lfts -o opensm-lfts.dump");
  command->callback([options, command] { convert(*command, *options); });
}

}  // namespace espalier::tools
