// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Engine `flows`: known flows first, also at the price of detours, and all other traffic around them, on any fabric
// (SDN-single of Faizian 2018, 5.2.1: the least loaded path first, then the shorter one), within what tables by
// destination can do: all that goes to one LID shares a tree.
// Loads are by what channels carry: a flow over a link at a quarter of the rate counts four times.
//
//   1. What engines make of the fabric that know nothing of the flows is judged by these: engine `layers`, a dragonfly's,
//      a tree's. The result is never worse than any of them.
//   2. The paths that flows would take if no loop could close, and lanes for these. Only known flows take detours: all
//      other sources come by as few hops as they can, or there would not be lanes enough.
//   3. Unless that is the least there can be, lanes come first: one for up*/down*, the others for what the paths of step 2
//      want most, and flows are routed on what these allow (flow_trees.h).
//      With few lanes also the best that one lane can do.
//   4. Lanes that loops do not need repeat the others, and flows that meet on a channel wait on different lanes: what
//      queues up for one channel otherwise holds up, channel by channel, flows that never come there.
//
// Where hosts have several LIDs and sources choose among them (Routing::choices), flows to one host are dealt out over
// its LIDs before, and turn to others after, as long as that makes the fullest channel emptier (flow_offsets.h).
//
// Rejected: a detour for every source of a LID to which a flow is known, by one search for the whole tree. On a dragonfly of
// 1 024 hosts eight lanes did not carry these, so that all took the shortest path.
// Rejected, at a first try: lanes along orders of a dragonfly's groups (paths that ascend in one): some pairs found no lane.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/engines/layers/layers.h"
#include "core/fabric/known_flows.h"

namespace espalier {

struct FlowOptions {
  unsigned max_vls = 8;  // as Layers has them
  std::vector<KnownFlow> flows;
  bool choose_lids = false;  // Routing::choices, where some host has several LIDs; else all flows go to offset 0
};

class Flows : public RoutingEngine {
 public:
  // `tree_engine` and `other` as Layers has them; without flows it is engine `layers`.
  explicit Flows(FlowOptions options, std::shared_ptr<const RoutingEngine> tree_engine = nullptr,
                 OtherRouting other = {})
      : options_(std::move(options)), tree_engine_(std::move(tree_engine)), other_(std::move(other)) {}
  [[nodiscard]] std::string_view name() const override { return "flows"; }
  // Never fails.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  FlowOptions options_;
  std::shared_ptr<const RoutingEngine> tree_engine_;
  OtherRouting other_;
};

}  // namespace espalier
