// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A Reference: the fabric that tables were made for, its orientation, the tables. Repair measures every later state of
// the fabric against it. What is gone stays in it as a ghost, with its number, its LIDs and its entries: so equipment
// that returns finds its place, and the tables of the reference come back byte for byte.
//
// A Reference is a value: engines make them, slowly and well; nothing changes one afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct Reference {
  std::string engine;  // who made the tables, for people
  Fabric fabric;
  // The orientation: of a link's two ends the one with the higher position is the upper (fat_tree.h).
  IdVector<SwitchId, Level> level;
  IdVector<SwitchId, std::uint32_t> position;  // 0 .. number of switches - 1, each once
  ForwardingTables tables;                     // one row per switch; width: top LID + 1
  // As jobs number them, which is what the tables are good for; others follow by name (order_by_parts()).
  std::vector<EndportId> hosts;
  std::optional<Lanes> lanes = std::nullopt;  // of tables that need more than VL 0
};

// Copies the fabric and the orientation of `tree`. `hosts`: as in Reference; empty: by name.
// REQUIRES: `tables` and `lanes` are of the tree's fabric.
[[nodiscard]] Reference make_reference(std::string engine, const FatTree& tree, ForwardingTables tables,
                                       std::vector<EndportId> hosts = {}, std::optional<Lanes> lanes = std::nullopt);

// The tree of the reference's own fabric, without its list of irregularities. Wrong links (wrong_links.h) that its tables
// do not use are set aside here as they were when the tables were made. `reference` has to outlive it.
[[nodiscard]] FatTree tree_of(const Reference& reference);

}  // namespace espalier
