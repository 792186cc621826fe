// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/analysis_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

FabricAndTables load_with_lanes(const Source& source, const LaneFiles& lane_files) {
  FabricAndTables loaded = load(source, TablesNeed::kRequired);
  loaded.lanes = load_lanes(loaded, lane_files);
  return loaded;
}

}  // namespace

AnalysisContext::AnalysisContext(const Source& source, const RankOptions& rank_options, const LaneFiles& lane_files,
                                 const std::string& host_order)
    : AnalysisContext(load_with_lanes(source, lane_files), rank_options, host_order) {}

AnalysisContext::AnalysisContext(FabricAndTables loaded, const RankOptions& rank_options, const std::string& host_order)
    : fabric(std::move(loaded.fabric)),
      tables(*std::move(loaded.tables)),
      tree(value_or_refuse(rank(fabric, rank_options))),
      costs(tree),
      order(tools::host_order(tree, host_order)),
      hosts(hosts_in_order(tree, order)),
      lanes(std::move(loaded.lanes)) {}

Node AnalysisContext::find(const std::string& words) const { return value_or_refuse(find_node(fabric, words)); }

std::size_t AnalysisContext::host_rank(const Node& node) const {
  const auto it = node.is_switch() ? hosts.end() : std::find(hosts.begin(), hosts.end(), node.endport);
  if (it == hosts.end()) throw Refused{{fmt::format("{} is not a host", label(fabric, node)), {}, 0, {}}};
  return static_cast<std::size_t>(it - hosts.begin());
}

}  // namespace espalier::tools
