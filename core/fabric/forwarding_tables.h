// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who goes where: one output port per switch and LID. Engines write it, analysis reads it, plugin/ uploads it; these
// three know each other only through this type.
#pragma once

#include <span>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

class ForwardingTables {
 public:
  ForwardingTables() = default;
  // All entries kNoPort. Rows hold LIDs 0 .. top_lid.
  ForwardingTables(std::size_t num_switches, Lid top_lid)
      : width_(index(top_lid) + 1), num_switches_(num_switches), ports_(num_switches * width_, kNoPort) {}

  [[nodiscard]] std::size_t num_switches() const { return num_switches_; }
  // Entries per row: top LID + 1.
  [[nodiscard]] std::size_t width() const { return width_; }

  // REQUIRES: s < num_switches(), lid < width().
  [[nodiscard]] PortNum at(SwitchId s, Lid lid) const { return ports_[index(s) * width_ + index(lid)]; }
  void set(SwitchId s, Lid lid, PortNum port) { ports_[index(s) * width_ + index(lid)] = port; }
  [[nodiscard]] std::span<const PortNum> row(SwitchId s) const { return {ports_.data() + index(s) * width_, width_}; }
  [[nodiscard]] std::span<PortNum> row(SwitchId s) { return {ports_.data() + index(s) * width_, width_}; }

  bool operator==(const ForwardingTables&) const = default;

 private:
  std::size_t width_ = 0;
  std::size_t num_switches_ = 0;
  std::vector<PortNum> ports_;
};

}  // namespace espalier
