// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Counts pairs of channels, switch by switch: the work behind EntryPairs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// Where the counts of one switch lie: [port * width + next port]; the last of a port is for entries that name no port
// of the switch behind.
struct PairCounts {
  std::uint16_t* counts = nullptr;
  std::size_t width = 0;

  [[nodiscard]] std::uint16_t* row(PortNum out) const { return counts + index(out) * width; }
  [[nodiscard]] std::uint16_t& at(PortNum out, PortNum next) const {
    return row(out)[std::min<std::size_t>(index(next), width - 1)];
  }
};

class PairCounter {
 public:
  // visit(s, lid) for each owned LID whose entry at s leads to no switch: ascending LIDs.
  using Visit = std::function<void(SwitchId, Lid)>;

  // REQUIRES: all outlive this.
  PairCounter(const Fabric& fabric, const ForwardingTables& tables, const std::vector<LidRange>& lids,
              const Visit& visit)
      : fabric_(fabric), tables_(tables), lids_(lids), visit_(visit) {}

  // Entry by entry. REQUIRES: all counts are 0.
  void count(SwitchId s, PairCounts own);
  // The same, where LIDs of a range are alike (alike_ranges.h).
  void count_alike(SwitchId s, PairCounts own);
  // The same from the counts of a sibling of the same width.
  void count_from(SwitchId s, PairCounts own, SwitchId sibling, const std::uint16_t* theirs);

 private:
  void enter(SwitchId s, PairCounts own);
  void mask(SwitchId s, SwitchId sibling);
  void correct(std::size_t lid);
  void add(std::size_t lid);
  void add_all(const LidRange& alike);

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  const std::vector<LidRange>& lids_;
  const Visit& visit_;
  // Of the switch in hand.
  SwitchId s_ = kNoSwitch;
  const PortNum* row_ = nullptr;
  PairCounts own_;
  std::array<const PortNum*, 256> behind_{};  // per port: the row of the switch behind it
  // Of the sibling that was used last.
  SwitchId masked_of_ = kNoSwitch;
  std::array<std::uint8_t, 256> shared_{};
  std::vector<PortNum> masked_;
};

}  // namespace espalier
