// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/node_names.h"

#include <utility>

#include "core/io/lists/guid_file.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

std::map<Guid, std::string> names_in_use;  // of the process: set once, before a subcommand runs

std::string unquoted(const std::string& text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

void name_node(Guid guid, std::string& description) {
  if (const auto named = names_in_use.find(guid); named != names_in_use.end()) description = named->second;
}

}  // namespace

std::map<Guid, std::string> load_node_names(const std::string& path) {
  std::map<Guid, std::string> names;
  for (const GuidLine& line : value_or_refuse(read_guid_lines(load_text(path), path)))
    names[line.guid] = unquoted(line.rest);
  return names;
}

void use_node_names(const std::string& path) { names_in_use = load_node_names(path); }

void name_nodes(FabricBuilder& builder) {
  for (std::size_t i = 0; i < builder.num_switches(); ++i) {
    Switch& s = builder.at(id_at<FabricBuilder::SwitchHandle>(i));
    name_node(s.guid, s.description);
  }
  for (std::size_t i = 0; i < builder.num_endports(); ++i) {
    Endport& e = builder.at(id_at<FabricBuilder::EndportHandle>(i));
    name_node(e.node_guid, e.description);
  }
}

Fabric with_names(Fabric fabric) {
  if (names_in_use.empty()) return fabric;
  FabricBuilder builder(fabric);
  name_nodes(builder);
  return value_or_refuse(std::move(builder).build());
}

}  // namespace espalier::tools
