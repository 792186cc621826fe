// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What each repair of a reference with lanes needs and no fault changes, computed once: which dependencies between
// virtual channels its routes make, in an order that shows that they close no cycle, and how full channels are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/base/ordered_graph.h"
#include "core/fabric/fabric.h"
#include "core/repair/reference/reference.h"

namespace espalier {

// The dependencies as a graph that more can be added to: vertex channel x num_vls + VL. Nothing where they close a cycle.
// REQUIRES: num_vls >= graph.num_vls().
[[nodiscard]] std::optional<OrderedGraph> in_order(const ChannelDependencies& graph, unsigned num_vls);

class PreparedLanes {
 public:
  explicit PreparedLanes(Reference reference);

  [[nodiscard]] const Reference& reference() const { return reference_; }
  [[nodiscard]] const Fabric& fabric() const { return reference_.fabric; }
  // Of a reference without lanes: one.
  [[nodiscard]] const Lanes& lanes() const { return lanes_; }
  // Whether its dependencies close no cycle. Below: REQUIRES that.
  [[nodiscard]] bool is_sound() const { return is_sound_; }
  // What its routes depend on, and the same as in_order() has it, with lanes().num_vls().
  [[nodiscard]] const std::shared_ptr<const ChannelDependencies>& graph() const { return graph_; }
  [[nodiscard]] const OrderedGraph& dependencies() const { return dependencies_; }
  // Service levels that some path has.
  [[nodiscard]] const std::vector<std::uint8_t>& levels_in_use() const { return levels_in_use_; }
  // Others that SL2VL tables have lanes for, of those that there are.
  [[nodiscard]] const std::vector<std::uint8_t>& spare_levels() const { return spare_levels_; }
  // first_alike() of its LIDs.
  [[nodiscard]] const std::vector<Lid>& first_alike() const { return first_alike_; }
  // Flows between hosts, of all LIDs, that cross each channel.
  [[nodiscard]] const std::vector<double>& loads() const { return loads_; }

 private:
  Reference reference_;
  Lanes lanes_;
  bool is_sound_ = false;
  std::shared_ptr<const ChannelDependencies> graph_;
  OrderedGraph dependencies_;
  std::vector<std::uint8_t> levels_in_use_, spare_levels_;
  std::vector<Lid> first_alike_;
  std::vector<double> loads_;
};

}  // namespace espalier
