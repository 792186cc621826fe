// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Verification of a change of tables with lanes: that they are sound follows from others, of another fabric or the same, that
// are, and from what differs.
//
// Each entry is looked at, whether it is right by itself. Of paths, only those that pass something that differs
// (lane_changes.h) are followed. All others are paths of the tables of before, and make no dependency that
// these have not made. If those together with the dependencies of the paths that were followed close no cycle, nothing
// does that is in use now. That is more than verify() asks: what nobody uses any more is asked to close no cycle, either.
// Tables of before and after may so be in use at the same time, but for paths that change from one to the other underway.
#pragma once

#include <memory>
#include <optional>

#include "core/analysis/soundness/changes/lane_changes.h"
#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/verify.h"
#include "core/base/ordered_graph.h"

namespace espalier {

class SoundLanes {
 public:
  // REQUIRES: verify() has found nothing wrong with these tables and lanes, and `graph` is that of its report; `order` has the
  // same edges between the same numbers. What is given by reference outlives this.
  SoundLanes(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
             std::shared_ptr<const ChannelDependencies> graph, const OrderedGraph& order);

  // That verify(now, tables, lanes) finds nothing wrong. `dependencies` of the report, and their number, have all that
  // these tables make, and those that the others made on links that are left. Nothing where that cannot be
  // concluded: something is wrong, or only what nobody uses any more closes a cycle.
  [[nodiscard]] std::optional<VerifyReport> verify_change(const Fabric& now, const TableRows& tables,
                                                          const Lanes& lanes) const;

 private:
  TablesOnLanes tables_;
  std::shared_ptr<const ChannelDependencies> graph_;
  const OrderedGraph& order_;
};

}  // namespace espalier
