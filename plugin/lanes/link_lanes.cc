// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/link_lanes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/io/lanes/vl_arbitration.h"
#include "core/io/lanes/vl_code.h"
#include "plugin/opensm.h"
#include "plugin/readings.h"

namespace espalier {
namespace {

// How many entries of a list OpenSM writes into a table with so much room. Without room it writes none, and what the port
// has there of its own is not known: as if all were there.
unsigned entries_written(unsigned room) {
  constexpr unsigned kBlock = IB_NUM_VL_ARB_ELEMENTS_IN_BLOCK;
  if (room == 0) return kMostVlArbEntries;
  return room <= kBlock ? room : kBlock + room % kBlock;
}

std::vector<std::uint8_t> are_of_switches(const Readings& read) {
  std::vector<std::uint8_t> of_switch(read.live.size());
  for (const Readings::Switch& sw : read.switches)
    if (sw.first != LivePorts::kNone) std::fill_n(of_switch.begin() + sw.first, sw.table_size, std::uint8_t{1});
  return of_switch;
}

}  // namespace

LinkFigures link_figures(const Readings& read) {
  LinkFigures least{kMostVls, kMostVls, kMostVlArbEntries, kMostVlArbEntries};
  const auto lower = [](unsigned& figure, unsigned other) { figure = std::min(figure, other); };
  const std::vector<std::uint8_t> of_switch = are_of_switches(read);
  for (const Readings::Switch& sw : read.switches)
    for (std::uint32_t p = 1; sw.first != LivePorts::kNone && p <= sw.num_ports && p < sw.table_size; ++p) {
      const Readings::Port& port = read.ports[sw.first + p];
      if (!port.may_carry || port.remote == LivePorts::kNone || of_switch[port.remote] == 0) continue;
      const Readings::PortLanes& lanes = read.lanes[sw.first + p];
      lower(least.possible, lanes_of_code(lanes.vl_cap));
      lower(least.in_operation, lanes_of_code(lanes.op_vls));
      lower(least.low_entries, entries_written(lanes.low_entries));
      lower(least.high_entries, entries_written(lanes.high_entries));
    }
  return least;
}

unsigned lanes_of_links(const OpensmOptions& opensm, const LinkFigures& links) {
  return std::min(links.possible, lanes_of_max_op_vls(opensm.max_op_vls));
}

unsigned served_lanes(const OpensmOptions& opensm, const LinkFigures& links) {
  return served_lanes({opensm.vlarb_low, opensm.vlarb_high}, links.low_entries, links.high_entries);
}

}  // namespace espalier
