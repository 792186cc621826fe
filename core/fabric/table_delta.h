// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The difference between two sets of tables: what a subnet manager has to send after a change. It sends 64 LIDs at a
// time, so blocks are the price in packets and entries the price in routes that move.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/forwarding_tables.h"

namespace espalier {

struct TableDelta {
  struct SwitchChange {
    SwitchId where = kNoSwitch;
    std::uint32_t num_entries = 0;      // LIDs that leave by another port than before
    std::vector<std::uint16_t> blocks;  // ascending; block b holds LIDs 64 b .. 64 b + 63

    bool operator==(const SwitchChange&) const = default;
  };
  std::vector<SwitchChange> switches;  // ascending; only those that change
  std::uint64_t num_entries = 0;       // of all switches
  std::uint64_t num_blocks = 0;

  [[nodiscard]] bool empty() const { return switches.empty(); }
  bool operator==(const TableDelta&) const = default;
};

// What is beyond the width of one of the two counts as kNoPort there.
// REQUIRES: both have the same switches.
[[nodiscard]] TableDelta difference(const ForwardingTables& before, const ForwardingTables& after);

}  // namespace espalier
