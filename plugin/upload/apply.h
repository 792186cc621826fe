// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ForwardingTables -> OpenSM's new_lft. Writes and decides nothing: the tables come verified.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/table_rows.h"

extern "C" {
struct osm_opensm;
struct osm_switch;
}

namespace espalier {

// What differs from the tables that the switches have now.
struct ApplyReport {
  struct OfSwitch {
    osm_switch* sw = nullptr;
    std::uint64_t changed_entries = 0;
    std::uint64_t changed_blocks = 0;
    bool is_unacknowledged = false;  // OpenSM still waits for the answer to a block
  };
  IdVector<SwitchId, OfSwitch> switches;
  std::uint64_t changed_entries = 0;
  std::uint64_t changed_blocks = 0;  // blocks of 64 LIDs = SMPs that OpenSM will send
  std::uint64_t blocks_of_table = 0;
};

class UploadAhead;

// REQUIRES: `tables` were made for `fabric`, and `fabric` is a snapshot of `osm` taken under the same lock; `ahead` has
// written these tables, as far as it came.
// Errors, before anything is written: a switch that has gone, or whose table cannot hold the LIDs.
[[nodiscard]] Result<ApplyReport> apply(osm_opensm& osm, const Fabric& fabric, const TableRows& tables,
                                        UploadAhead* ahead = nullptr);

// How many entries of each row are written.
[[nodiscard]] std::size_t width_to_write(const Fabric& fabric, const TableRows& tables);

// The table of one switch, as long as its new_lft is, to `to`. REQUIRES: `width` entries and this LID have room there.
[[nodiscard]] ApplyReport::OfSwitch write_table(osm_switch& sw, const TableRow& row, std::size_t width,
                                                std::uint8_t* to);

// What OpenSM believes the switches to have, for all LIDs of the fabric. REQUIRES and errors: as apply().
[[nodiscard]] Result<ForwardingTables> tables_in_switches(osm_opensm& osm, const Fabric& fabric);

}  // namespace espalier
