// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which end ports are hosts. A managed switch carries a CA of its own for in-network reduction (SHARP), spines too; who
// takes these for hosts ranks every switch as a leaf, and loses most pairs of the fabric.
#pragma once

#include "core/fabric/fabric.h"

namespace espalier {

// Whether `e` is a switch-internal Aggregation Node: a CA that describes itself so.
[[nodiscard]] bool is_aggregation_node(const Endport& e);

// Whether `e` carries the users' traffic: cabled to a switch and not an Aggregation Node.
[[nodiscard]] bool is_host(const Endport& e);

// Hosts on each switch.
[[nodiscard]] IdVector<SwitchId, std::uint32_t> count_hosts(const Fabric& fabric);

}  // namespace espalier
