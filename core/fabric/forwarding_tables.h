// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who goes where: one output port per switch and LID. Engines write it, analysis reads it, plugin/ uploads it; these
// three know each other only through this type.
#pragma once

#include <cstring>
#include <span>

#include "core/base/large_array.h"
#include "core/fabric/ids.h"

namespace espalier {

inline constexpr std::size_t kLidsPerBlock = 64;  // of one SubnSet(LinearForwardingTable)

class ForwardingTables {
 public:
  ForwardingTables() = default;
  // All entries kNoPort. Rows hold LIDs 0 .. top_lid.
  ForwardingTables(std::size_t num_switches, Lid top_lid) : ForwardingTables(unwritten(num_switches, top_lid)) {
    static_assert(index(kNoPort) == 0xFF);
    ports_.fill_bytes(0xFF);
  }
  // The same without any value: for who writes every row, all of it.
  [[nodiscard]] static ForwardingTables unwritten(std::size_t num_switches, Lid top_lid) {
    ForwardingTables tables;
    tables.num_switches_ = num_switches;
    tables.width_ = index(top_lid) + 1;
    tables.stride_ = stride(tables.width_);
    tables.ports_ = LargeArray<PortNum>(num_switches * tables.stride_);
    return tables;
  }

  [[nodiscard]] std::size_t num_switches() const { return num_switches_; }
  // Entries per row: top LID + 1.
  [[nodiscard]] std::size_t width() const { return width_; }

  // Room for a row of so many entries: whole cache lines, an odd number of them, so that the entries of all rows for one
  // LID are in lines of all the sets of a cache.
  [[nodiscard]] static constexpr std::size_t stride(std::size_t width) {
    constexpr std::size_t kLine = 64;
    return ((width + kLine - 1) / kLine | 1) * kLine;
  }

  // REQUIRES: s < num_switches(), lid < width().
  [[nodiscard]] PortNum at(SwitchId s, Lid lid) const { return ports_[index(s) * stride_ + index(lid)]; }
  void set(SwitchId s, Lid lid, PortNum port) { ports_[index(s) * stride_ + index(lid)] = port; }
  [[nodiscard]] std::span<const PortNum> row(SwitchId s) const { return {ports_.data() + index(s) * stride_, width_}; }
  [[nodiscard]] std::span<PortNum> row(SwitchId s) { return {ports_.data() + index(s) * stride_, width_}; }

  bool operator==(const ForwardingTables& other) const {
    if (width_ != other.width_ || num_switches_ != other.num_switches_) return false;
    for (const SwitchId s : IdRange<SwitchId>(num_switches_))
      if (std::memcmp(row(s).data(), other.row(s).data(), width_) != 0) return false;
    return true;
  }

 private:
  std::size_t width_ = 0;
  std::size_t num_switches_ = 0;
  std::size_t stride_ = 0;  // from row to row
  LargeArray<PortNum> ports_;
};

}  // namespace espalier
