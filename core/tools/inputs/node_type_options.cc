// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/node_type_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "core/io/lists/guid_file.h"
#include "core/io/lists/node_types_file.h"
#include "core/tools/command.h"

namespace espalier::tools {

void add_node_type_options(CLI::App& command, NodeTypeOptions& options) {
  command.add_option("--node-types", options.types,
                     "File with the types of hosts, as in node-types.example (conf/ of the source, or "
                     "/usr/share/doc/espalier-plugin)");
  command.add_option("--io-guids", options.io, "Port GUIDs of hosts of type io, as OpenSM's io_guid_file");
}

NodeTypeRules load_node_type_rules(const NodeTypeOptions& options) {
  const auto guids = [](const std::string& path) {
    return path.empty() ? std::vector<Guid>{} : value_or_refuse(read_guids(load_text(path), path));
  };
  NodeTypeRules rules;
  if (!options.types.empty()) rules = value_or_refuse(read_node_types(load_text(options.types), options.types));
  add_guid_lists(rules, {guids(options.io), options.io}, {guids(options.compute), options.compute});
  return rules;
}

NodeTypes load_node_types(const Fabric& fabric, const NodeTypeOptions& options) {
  const NodeTypeRules rules = load_node_type_rules(options);
  NodeTypeAssignment assignment = value_or_refuse(assign_node_types(fabric, rules));
  for (const std::string& warning : assignment.warnings(fabric, rules)) warn(warning);
  return std::move(assignment.types);
}

}  // namespace espalier::tools
