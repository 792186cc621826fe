// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Columns of forwarding tables that are alike: those of a switch's hosts mostly are, and what holds for the paths to one of
// them holds for all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// LIDs of one switch, or of hosts on it, to which every other switch sends alike.
struct TableColumn {
  SwitchId to = kNoSwitch;     // where they are delivered
  std::vector<Lid> lids;       // ascending
  std::vector<PortNum> ports;  // per switch; of `to` kManagementPort
};

// LIDs of different values are told apart, whatever their columns; empty: none are.
using LidKind = std::function<std::uint32_t(Lid)>;

// Of all LIDs of the fabric, in the order of their first ones.
[[nodiscard]] std::vector<TableColumn> table_columns(const Fabric& fabric, const ForwardingTables& tables,
                                                     const LidKind& kind = {});

}  // namespace espalier
