// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Engine `updown`: up*/down* routing (Schroeder et al., Autonet, 1991) on any connected fabric, on one virtual lane, in
// little more time than it takes to write the tables. The first tables of a large fabric that is no tree, until
// `layers` has found better ones.
//
// Of two orientations in rows from a switch in the middle (orientation.h) the one that leaves the fullest channel emptier.
// One tree for all LIDs of a switch and its hosts, on the loads of the trees before it; on small fabrics several, between
// which LID offsets of a host can choose.
#pragma once

#include <string>

#include "core/engines/routing_engine.h"

namespace espalier {

class UpDownTrees : public RoutingEngine {
 public:
  explicit UpDownTrees(std::string_view name) : name_(name) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  // Never fails.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;
  // The same; it needs no levels.
  [[nodiscard]] static Routing route(const Fabric& fabric);

 private:
  std::string name_;
};

}  // namespace espalier
