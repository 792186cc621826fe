// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier types`: who is of which type, and by which rule.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/text.h"
#include "core/fabric/endport_role.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/node_type_options.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct TypesOptions {
  std::string input;
  NodeTypeOptions node_types;
  bool json = false;
};

std::string reason(std::int32_t rule, const NodeTypeRules& rules) {
  if (rule == NodeTypeAssignment::kAutomatic) return "by its kind";
  if (rule == NodeTypeAssignment::kNoRule) return "no rule matches";
  const NodeTypeRule& decided = rules.rules[static_cast<std::size_t>(rule)];
  return fmt::format("{}: {}", decided.origin, decided.text);
}

std::vector<std::size_t> count_hosts_of_types(const Fabric& fabric, const NodeTypes& types) {
  std::vector<std::size_t> hosts(types.types.size());
  for (const EndportId e : fabric.endports())
    if (is_host(fabric.at(e))) ++hosts[index(types.of_endport[e])];
  return hosts;
}

Json to_json(const Fabric& fabric, const NodeTypeRules& rules, const NodeTypeAssignment& assignment) {
  const NodeTypes& types = assignment.types;
  const std::vector<std::size_t> hosts = count_hosts_of_types(fabric, types);
  Json result{{"types", Json::array()}, {"endports", Json::array()}, {"warnings", assignment.warnings(fabric, rules)}};
  for (const NodeTypeId t : types.types.ids())
    result["types"].push_back(
        {{"type", types.types[t].name}, {"weight", types.types[t].weight}, {"hosts", hosts[index(t)]}});
  for (const EndportId e : fabric.endports())
    result["endports"].push_back({{"port_guid", fmt::format("0x{:016x}", index(fabric.at(e).port_guid))},
                                  {"description", fabric.at(e).description},
                                  {"type", types.types[types.of_endport[e]].name},
                                  {"reason", reason(assignment.rule[e], rules)}});
  return result;
}

void print(const Fabric& fabric, const NodeTypeRules& rules, const NodeTypeAssignment& assignment) {
  const NodeTypes& types = assignment.types;
  for (const EndportId e : fabric.endports())
    fmt::print("{:<16} {}  [{}]\n", types.types[types.of_endport[e]].name, fabric.label(e),
               printable(reason(assignment.rule[e], rules)));
  const std::vector<std::size_t> hosts = count_hosts_of_types(fabric, types);
  for (const NodeTypeId t : types.types.ids())
    fmt::print("{} of type {}, weight {}\n", counted(hosts[index(t)], "host"), types.types[t].name,
               types.types[t].weight);
}

void types_command(const TypesOptions& options) {
  const NodeTypeRules rules = load_node_type_rules(options.node_types);
  const Fabric fabric = load_fabric(options.input);
  const NodeTypeAssignment assignment = value_or_refuse(assign_node_types(fabric, rules));
  if (options.json) return print_json(to_json(fabric, rules, assignment));
  print(fabric, rules, assignment);
  for (const std::string& warning : assignment.warnings(fabric, rules)) warn(warning);
}

}  // namespace

void add_types(CLI::App& app) {
  const auto options = std::make_shared<TypesOptions>();
  CLI::App* command = app.add_subcommand("types", "Show which type each host has, and why");
  command->add_option("NET", options->input, "Net file or ibnetdiscover text; - is standard input")->required();
  add_node_type_options(*command, options->node_types);
  command->add_option("--cn-guids", options->node_types.compute,
                      "Port GUIDs of hosts of type compute, as OpenSM's cn_guid_file");
  command->add_flag("--json", options->json, "Print one JSON object instead of lines");
  command->footer(
      "The engine gxmodk balances each type on its own. Rules apply in the order of the file, then the lists.\n"
      "Example: try out rules before using them\n"
      "  espalier types ibnetdiscover.txt --node-types /etc/opensm/node-types");
  command->callback([options] { types_command(*options); });
}

}  // namespace espalier::tools
