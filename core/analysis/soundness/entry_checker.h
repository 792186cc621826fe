// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether each entry is right by itself: what verify() asks of which entry, whatever the others are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/analysis/soundness/loop_traffic.h"
#include "core/analysis/soundness/verify.h"
#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"

namespace espalier {

inline constexpr std::array kLocalKinds{Violation::Kind::kMissingEntry, Violation::Kind::kBadPort,
                                        Violation::Kind::kWrongDelivery};

// What is locally wrong in the row of one switch.
struct RowFindings {
  std::uint64_t count = 0;
  std::array<Lid, kLocalKinds.size()> first{};  // per kind; kNoLid: none

  void add(Violation::Kind kind, Lid lid) {
    ++count;
    Lid& slot = first[static_cast<std::size_t>(kind)];
    if (slot == kNoLid) slot = lid;
  }
};

class EntryChecker {
 public:
  // Of rows of `width` entries. `traffic` null: all of it. REQUIRES: both outlive this.
  EntryChecker(const Fabric& fabric, std::size_t width, const HostTraffic* traffic);

  [[nodiscard]] std::uint64_t num_entries() const;
  // Of LIDs that somebody owns.
  [[nodiscard]] const std::vector<LidRange>& lids() const { return lids_; }

  // An entry that leads to no switch: nearly all others are right.
  void check_entry(SwitchId s, Lid lid, PortNum port, RowFindings& findings) const;
  // What the switch has no entry for: its last LIDs.
  void check_end(SwitchId s, RowFindings& findings) const;
  // Every entry of its row.
  void check_row(SwitchId s, const PortNum* row, RowFindings& findings) const;

 private:
  [[nodiscard]] std::size_t row_end(SwitchId s) const;
  [[nodiscard]] bool is_needed(SwitchId s, Lid lid) const;

  const Fabric& fabric_;
  std::size_t width_;
  const HostTraffic* traffic_;
  IdVector<SwitchId, std::uint32_t> part_;
  std::vector<LidRange> lids_;
};

}  // namespace espalier
