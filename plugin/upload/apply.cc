// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/text.h"
#include "core/base/try.h"
#include "plugin/live_switches.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

constexpr std::size_t kEntriesOfBlock = IB_SMP_DATA_SIZE;  // entries in one block

Status check_room(const Fabric& fabric, SwitchId s, const osm_switch_t* sw) {
  if (sw == nullptr) return fail(fmt::format("switch {} has disappeared from the subnet", fabric.label(s)));
  const std::size_t top = index(fabric.top_lid());
  if (top >= fabric.at(s).lft_capacity)
    return fail(fmt::format("switch {} has room for {} in its forwarding table, but the subnet uses LIDs up to {}",
                            fabric.label(s), counted(fabric.at(s).lft_capacity, "LID"), top),
                "use a smaller LMC or reassign the LIDs");
  // OpenSM sizes these in osm_switch_prepare_path_rebuild(), before it asks an engine.
  if (sw->new_lft == nullptr || sw->lft == nullptr || top >= sw->lft_size || top > sw->max_lid_ho)
    return fail(fmt::format("OpenSM prepared a table for {} on switch {}, but the subnet uses LIDs up to {}",
                            counted(sw->lft_size, "LID"), fabric.label(s), top));
  return {};
}

Result<IdVector<SwitchId, osm_switch_t*>> find_all(const osm_opensm_t& osm, const Fabric& fabric) {
  IdVector<SwitchId, osm_switch_t*> switches = live_switches(osm, fabric);
  for (const SwitchId s : fabric.switches()) ESPALIER_TRY_STATUS(check_room(fabric, s, switches[s]));
  return switches;
}

// Entries of one block that differ; eight at a time, since this is most of what is done with tables under the lock.
std::uint64_t count_changes(const std::uint8_t* was, const std::uint8_t* is) {
  constexpr std::uint64_t kLowBits = 0x7F7F7F7F7F7F7F7FU;
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < kEntriesOfBlock; i += sizeof(std::uint64_t)) {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
    std::memcpy(&one, was + i, sizeof one);
    std::memcpy(&other, is + i, sizeof other);
    const std::uint64_t apart = one ^ other;
    // The highest bit of each byte that is not 0.
    const std::uint64_t marks = (((apart & kLowBits) + kLowBits) | apart) & ~kLowBits;
    changed += ((marks >> 7U) * kOnes) >> 56U;  // their number: the multiplication sums the bytes
  }
  return changed;
}

}  // namespace

Result<ApplyReport> apply(osm_opensm& osm, const Fabric& fabric, const ForwardingTables& tables) {
  ESPALIER_TRY(const auto switches, find_all(osm, fabric));
  ApplyReport report;
  for (const SwitchId s : fabric.switches()) {
    osm_switch_t& sw = *switches[s];
    const auto row = tables.row(s).first(std::min(tables.width(), index(fabric.top_lid()) + 1));
    std::memcpy(sw.new_lft, row.data(), row.size());
    std::memset(sw.new_lft + row.size(), OSM_NO_PATH, sw.lft_size - row.size());

    const bool all = sw.need_update != 0 || osm.subn.need_update != 0;  // OpenSM sends all blocks of such a switch
    for (std::size_t block = 0; block * kEntriesOfBlock < row.size(); ++block) {
      const std::uint64_t changed =
          count_changes(sw.lft + block * kEntriesOfBlock, sw.new_lft + block * kEntriesOfBlock);
      report.changed_entries += changed;
      report.changed_blocks += changed != 0 || all;
    }
  }
  return report;
}

Result<ForwardingTables> tables_in_switches(osm_opensm& osm, const Fabric& fabric) {
  ESPALIER_TRY(const auto switches, find_all(osm, fabric));
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches()) std::memcpy(tables.row(s).data(), switches[s]->lft, tables.width());
  return tables;
}

}  // namespace espalier
