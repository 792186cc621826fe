// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables that a subcommand computes for itself: rank, route, verify, by the same function as in the plugin.
#pragma once

#include <string>

#include "core/engines/options.h"
#include "core/engines/routing_engine.h"
#include "core/fabric/fabric.h"
#include "core/tools/cli_fwd.h"
#include "core/tree/rank.h"

namespace espalier::tools {

// Hosts are numbered by names unless the options say otherwise. Or Refused: what the engine says against the fabric, or
// what verify() says against the tables.
[[nodiscard]] Routing route_or_refuse(const Fabric& fabric, const std::string& engine, EngineOptions options = {},
                                      const RankOptions& rank_options = {});

// The option takes names of engines; `of_opensm` says where OpenSM's own may stand.
CLI::Option* check_engines(CLI::Option& option, const std::string& of_opensm);

// -e,--engine with the names of all engines.
CLI::Option* add_engine_option(CLI::App& command, std::string& engine, const std::string& help);

}  // namespace espalier::tools
