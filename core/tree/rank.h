// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Finds the levels of a fabric (Gliksberg 2022, 1.4.5 and annex 2).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/fabric/rules/switch_rules.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct RankOptions {
  // Root switches, by switch GUID or by the port GUID of a CA on them (root_guid_file); empty: derive.
  std::vector<Guid> roots = {};
  // Port GUIDs of compute hosts (cn_guid_file); their switches are the leaves. Empty: derive.
  std::vector<Guid> compute_ports = {};
  // Where hosts were seen before: a place keeps its topological id while nobody is there (node_order.h).
  std::vector<HostPlace> ghosts = {};
  // Roots, ranks and exclusions by name.
  SwitchRules switches = {};

  bool operator==(const RankOptions&) const = default;
};

// REQUIRES: `fabric` outlives the tree.
// Accepts every fabric. Errors: a root or compute GUID list of which no entry is in the fabric; rules for roots of
// which none matches a switch; more than 250 levels.
[[nodiscard]] Result<FatTree> rank(const Fabric& fabric, const RankOptions& options = {});

// The breadth-first orientation of the tree's fabric from one root per connected component (thesis 5.1.3, Algorithm
// 10): every pair has an up-down path, whatever the fabric looks like. A part of which no switch is in `roots` gets its
// lowest id.
// Errors: more than 250 levels.
[[nodiscard]] Result<FatTree> orient_from_roots(const FatTree& tree, std::vector<SwitchId> roots);

}  // namespace espalier
