// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/routed.h"

#include <fmt/format.h>

#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/tools/command.h"
#include "core/tree/rank.h"

namespace espalier::tools {

Routing route_or_refuse(const Fabric& fabric, const std::string& engine, EngineOptions options) {
  const FatTree tree = value_or_refuse(rank(fabric));
  if (options.host_order.basis.empty()) options.host_order = order_by_names(tree, descriptions(fabric));
  Routing routing = value_or_refuse(make_engine(engine, options)->route(tree));
  const VerifyReport report = verify(fabric, routing.tables, routing.lanes);
  if (!report.ok())
    throw Refused{{fmt::format("the tables of {} are unsound: {}", engine, describe(report)), {}, 0, {}}};
  return routing;
}

CLI::Option* add_engine_option(CLI::App& command, std::string& engine, const std::string& help) {
  std::vector<std::string> names;
  for (const std::string_view name : engine_names()) names.emplace_back(name);
  return command.add_option("-e,--engine", engine, help)->check(CLI::IsMember(names));
}

}  // namespace espalier::tools
