// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What kind of work an end port does: compute, io, service, ... Traffic often comes in phases between two kinds
// (compute nodes write to storage), and who numbers all hosts alike then uses a fraction of the spines; see
// grouped_order.h.
//
// Automatic types: Aggregation Nodes are "aggregation-node", whatever the rules say (they are no hosts), and routers
// that no rule names are "router". Switches have an order of their own and no type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/rules/node_type_rules.h"

namespace espalier {

// 0 .. NodeTypes::types.size()-1, in the "deterministic order" of Gliksberg 2022, Algorithm 4.
enum class NodeTypeId : std::uint16_t {};

struct NodeType {
  std::string name;
  std::uint32_t weight = 1;  // traffic of one such host, in multiples of a usual one; at least 1

  bool operator==(const NodeType&) const = default;
};

struct NodeTypes {
  IdVector<NodeTypeId, NodeType> types;
  IdVector<EndportId, NodeTypeId> of_endport;  // one per end port; empty: all are alike

  bool operator==(const NodeTypes&) const = default;
};

// Which types have less than a quarter of these hosts: storage among compute nodes. REQUIRES: types are known.
[[nodiscard]] IdVector<NodeTypeId, std::uint8_t> small_types(const NodeTypes& types, std::span<const EndportId> hosts);

struct NodeTypeAssignment {
  static constexpr std::int32_t kAutomatic = -1;
  static constexpr std::int32_t kNoRule = -2;  // the type is NodeTypeRules::others

  NodeTypes types;
  IdVector<EndportId, std::int32_t> rule;  // index into NodeTypeRules::rules, or one of the above
  std::vector<std::uint32_t> matches;      // per rule: end ports whose type it decides

  // Types that no rule gives, rules that decide no end port's type, and how many hosts no rule matches, as sentences for
  // an admin.
  [[nodiscard]] std::vector<std::string> warnings(const Fabric& fabric, const NodeTypeRules& rules) const;
};

// Errors: more than 65535 types.
[[nodiscard]] Result<NodeTypeAssignment> assign_node_types(const Fabric& fabric, const NodeTypeRules& rules);

}  // namespace espalier
