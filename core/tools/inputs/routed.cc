// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/routed.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "core/engines/engines.h"
#include "core/io/spelling.h"
#include "core/pipeline/route_and_verify.h"
#include "core/tools/command.h"
#include "core/tools/inputs/opensm_engines.h"

namespace espalier::tools {

Routing route_or_refuse(const Fabric& fabric, const std::string& engine, EngineOptions options,
                        const RankOptions& rank_options) {
  const FatTree tree = value_or_refuse(rank(fabric, rank_options));
  if (options.host_order.basis.empty()) options.host_order = order_by_names(tree, descriptions(fabric));
  VerifiedRouting routed = value_or_refuse(route_and_verify(tree, engine, options));
  if (!routed.proof.ok())
    throw Refused{{fmt::format("the tables of {} are unsound: {}", engine, describe(routed.proof)), {}, 0, {}}};
  return std::move(routed.routing);
}

CLI::Option* check_engines(CLI::Option& option, const std::string& of_opensm) {
  const std::string names = fmt::format("{{{}}}", fmt::join(engine_names(), ","));
  const auto known = [names, of_opensm](const std::string& word) {
    const auto engines = engine_names();
    const std::vector<std::string> all(engines.begin(), engines.end());
    if (std::find(all.begin(), all.end(), word) != all.end()) return std::string();
    return fmt::format("{} not in {}{}", word, names,
                       is_of_opensm(word) ? fmt::format("; {}", of_opensm) : did_you_mean(word, all));
  };
  return option.check(known, names);
}

CLI::Option* add_engine_option(CLI::App& command, std::string& engine, const std::string& help) {
  return check_engines(*command.add_option("-e,--engine", engine, help),
                       "for OpenSM's own engines see espalier compare --stock");
}

}  // namespace espalier::tools
