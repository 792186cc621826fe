// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many LIDs go from each channel to each next one: channel dependencies (channel_dependencies.h) with their
// multiplicities.
//
// Known as reference counting: one changed entry takes its LID out of one pair of channels, and puts it into another,
// so what depends on a few entries is known without a look at the others.
//
// Switches of one level that are cabled alike (the same switch behind the same port) have nearly the same
// rows: two leaves of a pod differ in the entries for their own hosts. So of each family of such switches one is counted
// entry by entry, and its siblings start from its counts and correct the entries in which they differ, which a
// comparison of rows finds many bytes at a time. Entry by entry costs a read from another row for each, at another
// place for each port; the siblings cost a read of their own row. With no sibling alike all are counted entry by entry:
// it is the same sums in another order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/analysis/soundness/dependencies/pair_counter.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// visit(s, lid) for each owned LID whose entry at s leads to no switch: ascending LIDs, from the task of s.
using VisitEntry = PairCounter::Visit;
// The counts of one switch, from its task; they are gone afterwards.
using TakePairs = std::function<void(SwitchId, PairCounts)>;

// Counts switch by switch: for who needs none of the counts later, since all of them are 14 MB at 27 648 hosts.
// REQUIRES: tables.num_switches() == fabric.num_switches().
void count_entry_pairs(const Fabric& fabric, const ForwardingTables& tables, const VisitEntry& visit,
                       const TakePairs& take);

class EntryPairs {
 public:
  // REQUIRES: tables.num_switches() == fabric.num_switches().
  EntryPairs(const Fabric& fabric, const ForwardingTables& tables, const VisitEntry& visit);

  // Per port of the switch behind `out`: the LIDs that s sends by `out`, and that switch by this port.
  // REQUIRES: `out` leads to a switch. Elements above that switch's ports mean nothing.
  [[nodiscard]] std::span<const std::uint16_t> counts(SwitchId s, PortNum out) const {
    return {counts_.data() + first_[index(s)] + index(out) * width_[s], width_[s]};
  }

  [[nodiscard]] std::size_t width(SwitchId s) const { return width_[s]; }

 private:
  std::vector<std::size_t> first_;           // per switch: its counts, [port * width + next port]
  IdVector<SwitchId, std::uint16_t> width_;  // next ports, and one more for entries that name no port
  LargeVector<std::uint16_t> counts_;        // a switch has at most 49 151 LIDs
};

}  // namespace espalier
