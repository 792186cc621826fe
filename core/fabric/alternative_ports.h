// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Several output ports per switch and LID, for switches that choose among them packet by packet (adaptive routing), as
// ForwardingTables are one. Gliksberg 2022, 4.6, calls them the alternative ports P(s,d).
//
// A switch has few different sets: all LIDs behind the same neighbors share one. So sets are kept once per switch, and
// each LID has the number of its set: 2 bytes per switch and LID.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

using PortSet = std::bitset<256>;  // bit p: port p

class AlternativePorts {
 public:
  // All sets empty. LIDs 0 .. top_lid.
  AlternativePorts(std::size_t num_switches, Lid top_lid);

  [[nodiscard]] std::size_t num_switches() const { return sets_.size(); }
  // LIDs per switch: top LID + 1.
  [[nodiscard]] std::size_t width() const { return width_; }

  // REQUIRES of both: s < num_switches(), lid < width().
  [[nodiscard]] const PortSet& at(SwitchId s, Lid lid) const { return sets_[s][set_of(s, lid)]; }
  void set(SwitchId s, Lid lid, const PortSet& ports);

  // The different sets of a switch; number 0 is the empty one.
  [[nodiscard]] const std::vector<PortSet>& sets(SwitchId s) const { return sets_[s]; }
  [[nodiscard]] std::uint16_t set_of(SwitchId s, Lid lid) const { return set_of_[index(s) * width_ + index(lid)]; }

 private:
  std::size_t width_ = 0;
  std::vector<std::uint16_t> set_of_;  // [switch][LID]
  IdVector<SwitchId, std::vector<PortSet>> sets_;
};

}  // namespace espalier
