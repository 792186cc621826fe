// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What kind of work an end port does: compute, io, service, ... Traffic often comes in phases between two kinds
// (compute nodes write to storage), and who numbers all hosts alike then uses a fraction of the spines; see
// grouped_order.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

// 0 .. NodeTypes::types.size()-1, in the "deterministic order" of Gliksberg 2022, Algorithm 4.
enum class NodeTypeId : std::uint8_t {};
inline constexpr std::size_t kMaxNodeTypes = 255;

struct NodeType {
  std::string name;
  std::uint32_t weight = 1;  // traffic of one such host, in multiples of a usual one; at least 1
};

struct NodeTypes {
  IdVector<NodeTypeId, NodeType> types;
  IdVector<EndportId, NodeTypeId> of_endport;  // one per end port; empty: all are alike
};

}  // namespace espalier
