// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables and the tree that they are looked at by: what explain and report start from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/tools/inputs/find_node.h"
#include "core/tools/inputs/lane_files.h"
#include "core/tools/inputs/source.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/order/host_order.h"
#include "core/tree/rank.h"

namespace espalier::tools {

struct AnalysisContext {
  // Reads fabric and tables, or throws Refused.
  // `host_order`: as --host-order.
  AnalysisContext(const Source& source, const RankOptions& rank_options, const LaneFiles& lane_files = {},
                  const std::string& host_order = "names");
  AnalysisContext(const AnalysisContext&) = delete;  // the tree points to the fabric
  AnalysisContext& operator=(const AnalysisContext&) = delete;

  Fabric fabric;
  ForwardingTables tables;
  FatTree tree;
  UpDownCosts costs;
  HostOrder order;
  std::vector<EndportId> hosts;  // in that order
  std::optional<Lanes> lanes;    // of the tables, where they have several

  [[nodiscard]] Node find(const std::string& words) const;  // or Refused
  // The rank of a host. Throws Refused for a switch, an Aggregation Node, ...
  [[nodiscard]] std::size_t host_rank(const Node& node) const;

 private:
  AnalysisContext(FabricAndTables loaded, const RankOptions& rank_options, const std::string& host_order);
};

}  // namespace espalier::tools
