// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables for OpenSM that are written, and compared with those in the switches, before the run that uploads them. OpenSM has
// its own (new_lft) cleared when it asks for routes, and to write and compare 21 MB of them takes a third of a run that finds
// everything else done. So the run exchanges them: OpenSM takes these from malloc(3) and gives them back to free(3).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"
#include "plugin/upload/apply.h"

namespace espalier {

class UploadAhead {
 public:
  // What is written now serves no run any more; its memory serves what comes next. REQUIRES: OpenSM's lock is held.
  void forget();
  // Writes the tables of one switch after the other, as long as there is no stop, a few under OpenSM's lock at a time; it
  // is to be called without it. Switches whose tables OpenSM has not prepared yet are left to the run.
  // REQUIRES: `tables` were made for `fabric`, and what was written before has been forgotten.
  void write(osm_opensm& osm, const Fabric& fabric, const TableRows& tables, const std::stop_token& stop,
             bool goes_first = false);

  // Gives the switch its table if it is written, and is as long as OpenSM wants it now. REQUIRES: the exclusive lock of OpenSM
  // is held; `s` is this switch in the fabric of write(); OpenSM has sent no table since.
  [[nodiscard]] bool exchange(SwitchId s, osm_switch& sw, ApplyReport::OfSwitch& report);

 private:
  struct Free {
    void operator()(std::uint8_t* table) const { std::free(table); }
  };
  struct Written {
    std::unique_ptr<std::uint8_t, Free> table;  // ours, or what OpenSM had
    std::size_t size = 0;
    std::size_t max_lid = 0;
    const std::uint8_t* lft = nullptr;  // that it was compared with
    ApplyReport::OfSwitch report = {};  // of no switch: the table serves no run
  };

  void write(SwitchId s, osm_switch& sw, const TableRow& row, std::size_t width);

  std::vector<Written> written_;  // per switch
};

}  // namespace espalier
