// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The options by which subcommands are told the types of hosts.
#pragma once

#include <string>

#include "core/fabric/rules/node_type_rules.h"
#include "core/tools/cli_fwd.h"
#include "core/tree/order/node_types.h"

namespace espalier::tools {

struct NodeTypeOptions {
  std::string types;
  std::string io;
  std::string compute;  // --cn-guids: added by the subcommand, where it means the leaves as well

  [[nodiscard]] bool given() const { return !types.empty() || !io.empty() || !compute.empty(); }
};

// --node-types, --io-guids.
void add_node_type_options(CLI::App& command, NodeTypeOptions& options);

// All rules, those of the file first; or Refused.
[[nodiscard]] NodeTypeRules load_node_type_rules(const NodeTypeOptions& options);

// Who is of which type by these, with warnings on standard error; or Refused.
[[nodiscard]] NodeTypes load_node_types(const Fabric& fabric, const NodeTypeOptions& options);

}  // namespace espalier::tools
