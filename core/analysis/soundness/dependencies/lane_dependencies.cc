// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// ChannelDependencies on virtual channels. Neighboring entries are not enough here: on which lanes packets of a LID
// cross a channel depends on where they have come from, so each LID is traced from all its sources (lane_trace.h).
//
// Cost. LIDs are taken switch by switch, in blocks of 64, which touch few cache lines of every row, and turned into
// columns; a LID with the column and the class of the one before it has its dependencies, too, and is done: those of a
// switch and of its hosts mostly are. The others take O(switches x pairs of SL and VL) each. Threads set bits of the same
// words, and look before they do.
#include <algorithm>
#include <span>
#include <tuple>

#include "core/analysis/soundness/dependencies/alike_ranges.h"
#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/analysis/soundness/dependencies/entry_columns.h"
#include "core/analysis/soundness/dependencies/lane_trace.h"
#include "core/analysis/soundness/dependencies/lid_ranges.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kLidsAtOnce = 64;  // LIDs

// Those that somebody owns, by the switch that delivers them, which comes first.
std::vector<Lid> lids_by_switch(const Fabric& fabric, std::size_t width) {
  std::vector<std::tuple<SwitchId, LidOwner::Kind, Lid>> sorted;
  for (const LidRange& range : owned_lids(fabric, width))
    for (std::size_t at = range.first; at < range.end; ++at) {
      const Lid lid = id_at<Lid>(at);
      sorted.emplace_back(fabric.destination_switch(lid), fabric.owner(lid).kind, lid);
    }
  std::sort(sorted.begin(), sorted.end());
  std::vector<Lid> lids;
  for (const auto& [at, kind, lid] : sorted) lids.push_back(lid);
  return lids;
}

// Without those that are sent, and have service levels, as the one before them.
std::vector<Lid> without_repeats(std::vector<Lid> lids, const Fabric& fabric, const ForwardingTables& tables,
                                 const Lanes& lanes) {
  const std::vector<LidRange> alike = alike_ranges(fabric, tables, owned_lids(fabric, tables.width()));
  if (alike.empty()) return lids;
  std::vector<std::uint8_t> repeats(tables.width(), 0);
  for (const LidRange& range : alike)
    for (std::size_t lid = range.first + 1; lid < range.end; ++lid)
      repeats[lid] =
          lanes.levels().destination_class(id_at<Lid>(lid)) == lanes.levels().destination_class(id_at<Lid>(lid - 1));
  std::erase_if(lids, [&](Lid lid) { return repeats[index(lid)] != 0; });
  return lids;
}

LaneFaults join_faults(const LaneFaults& a, const LaneFaults& b) {
  const auto key = [](const LaneFaults& f) { return std::tuple(f.at, f.lid, f.in, f.sl); };
  LaneFaults both = key(a) < key(b) ? a : b;
  both.num_discarded = a.num_discarded + b.num_discarded;
  both.num_looping = a.num_looping + b.num_looping;
  return both;
}

}  // namespace

ChannelDependencies::ChannelDependencies(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                                         const std::vector<EndportId>* endports) {
  check(tables.num_switches() == fabric.num_switches(), "tables of another fabric");
  lay_out(fabric, lanes.num_vls());
  const LaneTrace tracer(fabric, lanes, endports);
  const TableRows rows(tables);
  const auto add = [&](const LaneStep& step) { add_beside_others(step.from, step.vl, step.port, step.next_vl); };
  const std::vector<Lid> lids = without_repeats(lids_by_switch(fabric, tables.width()), fabric, tables, lanes);
  const auto trace_blocks = [&](std::size_t begin, std::size_t end, LaneFaults faults) {
    LaneTrace::Scratch scratch;
    for (std::size_t first = begin * kLidsAtOnce; first < std::min(end * kLidsAtOnce, lids.size());
         first += kLidsAtOnce) {
      const auto block = std::span(lids).subspan(first, std::min(kLidsAtOnce, lids.size() - first));
      const EntryColumns columns(fabric, rows, block);
      const auto same_as_before = [&](std::size_t i) {
        const auto class_of = [&](std::size_t j) { return lanes.levels().destination_class(block[j]); };
        if (i == 0 || class_of(i) != class_of(i - 1)) return false;
        const auto one = columns.column(i);
        return std::equal(one.begin(), one.end(), columns.column(i - 1).begin());
      };
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (same_as_before(i)) continue;
        const auto column = columns.column(i);
        scratch.ports.assign(column.begin(), column.end());
        const Lid lid = block[i];
        tracer.trace(lid, scratch, add, [&](SwitchId at, PortNum in, std::uint8_t sl) {
          faults = join_faults(faults, {1, at, lid, in, sl, 0});
        });
        if (scratch.order.size() < fabric.num_switches()) ++faults.num_looping;
      }
    }
    return faults;
  };
  faults_ = parallel_reduce((lids.size() + kLidsAtOnce - 1) / kLidsAtOnce, 1, LaneFaults{}, trace_blocks, join_faults);
}

}  // namespace espalier
