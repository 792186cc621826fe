// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Routing of vPGFTs (Gliksberg 2022, annex 3): a tree whose tops have several paths down to a leaf is a PGFT once each
// top is split into parts with one path each (split_tops.h). Tables of the PGFT, joined again, route the tree.
//
// The annex offers Dmodk or Ftree for the PGFT. By Dmodk hosts get the routes of pqft.h (tests/golden/vpgft_test.cc),
// so here it is Ftree, which also takes a PGFT with missing hosts.
//
// Parts may differ in how they go down to a destination, and a top has one entry: the annex leaves the choice open.
// Here the part wins at which most hosts come in, the first of several. Any choice is sound: a part goes down to
// switches from which all tables go down. What is lost is that no route goes up to one part and down from another
// while the tables are made; hence trees of which one part would reach fewer leaves are declined.
#pragma once

#include "core/engines/routing_engine.h"
#include "core/engines/switch_paths.h"

namespace espalier {

class Vpgft : public RoutingEngine {
 public:
  explicit Vpgft(const SwitchPathOptions& switch_paths = {}) : switch_paths_(switch_paths) {}
  [[nodiscard]] std::string_view name() const override { return "vpgft"; }
  // Errors: also a tree that cannot be split.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  SwitchPathOptions switch_paths_;
};

}  // namespace espalier
