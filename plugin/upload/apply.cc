// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "plugin/opensm.h"
#include "plugin/subnet/live_switches.h"
#include "plugin/upload/upload_ahead.h"

namespace espalier {
namespace {

static_assert(kLidsPerBlock == IB_SMP_DATA_SIZE);

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

// Entries of one block that differ: a loop of fixed length over bytes, which compilers turn into a few instructions.
std::uint8_t count_changes(const std::uint8_t* was, const std::uint8_t* is) {
  std::uint8_t changed = 0;
  for (std::size_t i = 0; i < kLidsPerBlock; ++i) changed = static_cast<std::uint8_t>(changed + (was[i] != is[i]));
  return changed;
}

// OpenSM fills a block with zeros when it sends it, and with what it sent when the answer comes. (Where a switch has 64
// LIDs of its own, a block may be all zeros by right: it is then sent once more than it has to.)
bool is_unacknowledged(const std::uint8_t* block) {
  return block[0] == 0 && std::all_of(block, block + kLidsPerBlock, [](std::uint8_t port) { return port == 0; });
}

constexpr std::size_t kPiece = 16 * kLidsPerBlock;  // is compared at once, since hardly anything ever changes

}  // namespace

std::size_t width_to_write(const Fabric& fabric, const TableRows& tables) {
  return std::min(tables.width(), index(fabric.top_lid()) + 1);
}

// Compared while all three tables are in the cache.
ApplyReport::OfSwitch write_table(osm_switch_t& sw, const TableRow& row, std::size_t width, std::uint8_t* to) {
  ApplyReport::OfSwitch report{&sw};
  row.copy_to(reinterpret_cast<PortNum*>(to), width);
  std::memset(to + width, OSM_NO_PATH, sw.lft_size - width);
  const std::size_t end_of_blocks = (width + kLidsPerBlock - 1) / kLidsPerBlock * kLidsPerBlock;
  for (std::size_t piece = 0; piece < end_of_blocks; piece += kPiece) {
    const std::size_t end = std::min(piece + kPiece, end_of_blocks);
    if (std::memcmp(sw.lft + piece, to + piece, end - piece) == 0) continue;
    for (std::size_t begin = piece; begin < end; begin += kLidsPerBlock) {
      const std::uint64_t changed = count_changes(sw.lft + begin, to + begin);
      report.changed_entries += changed;
      report.changed_blocks += changed != 0 ? 1 : 0;
    }
  }
  for (std::size_t end = kLidsPerBlock;
       end <= sw.lft_size && end - kLidsPerBlock <= sw.max_lid_ho && !report.is_unacknowledged; end += kLidsPerBlock)
    report.is_unacknowledged = is_unacknowledged(sw.lft + end - kLidsPerBlock);
  return report;
}

Result<ApplyReport> apply(osm_opensm& osm, const Fabric& fabric, const TableRows& tables, UploadAhead* ahead) {
  constexpr std::size_t kSwitches = 16;  // are worth a thread's attention
  ESPALIER_TRY(const auto switches, find_all(osm, fabric));
  ApplyReport report;
  report.switches = IdVector<SwitchId, ApplyReport::OfSwitch>(fabric.num_switches());
  const std::size_t width = width_to_write(fabric, tables);
  report.blocks_of_table = (width + kLidsPerBlock - 1) / kLidsPerBlock;
  parallel_blocks(fabric.num_switches(), kSwitches, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SwitchId s = id_at<SwitchId>(i);
      if (ahead == nullptr || !ahead->exchange(s, *switches[s], report.switches[s]))
        report.switches[s] = write_table(*switches[s], tables.row(s), width, switches[s]->new_lft);
    }
  });
  for (const ApplyReport::OfSwitch& of : report.switches) {
    report.changed_entries += of.changed_entries;
    const bool all = of.sw->need_update != 0 || osm.subn.need_update != 0;  // OpenSM sends all blocks of such a switch
    report.changed_blocks += all ? report.blocks_of_table : of.changed_blocks;
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
