// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The virtual channels to which packets of some lanes lead, these lanes of all channels included, with numbers of their
// own. What no such packet leads to is on no cycle with a tree on these lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/base/ordered_graph.h"

namespace espalier {

class ReachedChannels {
 public:
  using Vertex = OrderedGraph::Vertex;
  using Step = std::pair<Vertex, Vertex>;

  // `vls`, bit v: VL v. REQUIRES: fabric and graph outlive it.
  ReachedChannels(const Fabric& fabric, const ChannelDependencies& unicast, std::uint32_t vls);

  // REQUIRES: it is reached.
  [[nodiscard]] Vertex number(ChannelId c, std::uint8_t vl) const {
    return number_[index(unicast_.virtual_channel(c, vl))];
  }

  // Whether these steps close a cycle with the dependencies of unicast, which have none.
  [[nodiscard]] bool close_cycle(std::span<const Step> steps) const;

  // The dependencies of unicast in an order that most steps of a tree from a root agree with, as far as unicast lets it be:
  // toward the root from far away, then away from it. `hops`: of switches from the root.
  [[nodiscard]] OrderedGraph toward_and_away(const IdVector<SwitchId, std::uint32_t>& hops) const;

 private:
  static constexpr Vertex kUnreached = UINT32_MAX;

  void reach(VirtualChannelId v);
  [[nodiscard]] std::vector<std::uint32_t> turns(const IdVector<SwitchId, std::uint32_t>& hops) const;

  const Fabric& fabric_;
  const ChannelDependencies& unicast_;
  std::vector<Vertex> number_;  // per virtual channel
  std::vector<VirtualChannelId> channels_;
  std::shared_ptr<const SharedEdges> edges_;
};

}  // namespace espalier
