// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/routed.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/engines/engines.h"
#include "core/pipeline/route_and_verify.h"
#include "core/tools/command.h"
#include "core/tools/inputs/opensm_engines.h"
#include "core/tree/rank.h"

namespace espalier::tools {

Routing route_or_refuse(const Fabric& fabric, const std::string& engine, EngineOptions options) {
  const FatTree tree = value_or_refuse(rank(fabric));
  if (options.host_order.basis.empty()) options.host_order = order_by_names(tree, descriptions(fabric));
  VerifiedRouting routed = value_or_refuse(route_and_verify(tree, engine, options));
  if (!routed.proof.ok())
    throw Refused{{fmt::format("the tables of {} are unsound: {}", engine, describe(routed.proof)), {}, 0, {}}};
  return std::move(routed.routing);
}

CLI::Option* add_engine_option(CLI::App& command, std::string& engine, const std::string& help) {
  const std::string names = fmt::format("{{{}}}", fmt::join(engine_names(), ","));
  const auto known = [names](const std::string& word) {
    const auto all = engine_names();
    if (std::find(all.begin(), all.end(), word) != all.end()) return std::string();
    return fmt::format("{} not in {}{}", word, names,
                       is_of_opensm(word) ? "; for OpenSM's own engines see espalier compare --stock" : "");
  };
  return command.add_option("-e,--engine", engine, help)->check(known, names);
}

}  // namespace espalier::tools
