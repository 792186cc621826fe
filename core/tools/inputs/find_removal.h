// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a person means to take out of service: a switch, a host, or one link, by the names of find_node.h.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/faults.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// Each word is a node as find_node() takes it, or a node, "/" and one of its port numbers: the link at that port.
// A whole word that names a node wins over its part before the "/", since descriptions may contain slashes.
// Errors: those of find_node(), with the word; a port that the node does not have or that has no link.
[[nodiscard]] Result<Removal> find_removal(const Fabric& fabric, const std::vector<std::string>& words);

// --remove NAME|GUID[/PORT]...
void add_remove_option(CLI::App& command, std::vector<std::string>& words);

}  // namespace espalier::tools
