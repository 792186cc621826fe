// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/upload/upload_ahead.h"

#include <algorithm>
#include <utility>

#include "plugin/opensm.h"
#include "plugin/subnet/live_switches.h"
#include "plugin/subnet/shared_lock.h"

namespace espalier {

void UploadAhead::write(SwitchId s, osm_switch& sw, const TableRow& row, std::size_t width) {
  if (sw.lft == nullptr || sw.new_lft == nullptr || width > sw.lft_size || width > sw.max_lid_ho + 1U) return;
  Written& written = written_[index(s)];
  if (written.size != sw.lft_size) written.table.reset(static_cast<std::uint8_t*>(std::malloc(sw.lft_size)));
  written.size = written.table ? sw.lft_size : 0;
  if (!written.table) return;
  written.max_lid = sw.max_lid_ho;
  written.lft = sw.lft;
  written.report = write_table(sw, row, width, written.table.get());
}

void UploadAhead::forget() {
  for (Written& written : written_) written.report = {};
}

void UploadAhead::write(osm_opensm& osm, const Fabric& fabric, const TableRows& tables, const std::stop_token& stop,
                        bool goes_first) {
  constexpr std::size_t kSwitches = 32;  // take some tenths of a millisecond
  const std::size_t width = width_to_write(fabric, tables);
  for (std::size_t begin = 0; begin < fabric.num_switches(); begin += kSwitches) {
    const SharedLock lock(osm, goes_first);
    if (stop.stop_requested()) return;
    if (begin == 0) written_.resize(fabric.num_switches());
    const auto switches = live_switches(osm, fabric);
    for (std::size_t i = begin; i < std::min(begin + kSwitches, fabric.num_switches()); ++i) {
      const SwitchId s = id_at<SwitchId>(i);
      if (switches[s] != nullptr) write(s, *switches[s], tables.row(s), width);
    }
  }
}

bool UploadAhead::exchange(SwitchId s, osm_switch& sw, ApplyReport::OfSwitch& report) {
  if (index(s) >= written_.size()) return false;
  Written& written = written_[index(s)];
  if (written.report.sw != &sw || written.lft != sw.lft || written.size != sw.lft_size ||
      written.max_lid != sw.max_lid_ho)
    return false;
  sw.new_lft = std::exchange(written.table, decltype(Written::table)(sw.new_lft)).release();
  report = std::exchange(written.report, {});
  return true;
}

}  // namespace espalier
