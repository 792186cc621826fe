// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routes to hosts as the engine `balanced` works on them: per destination one column, in which every switch has a
// byte that says which of its cables it takes. A column is contiguous, unlike in ForwardingTables, and holds all that a
// walk to that destination reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/fabric/forwarding_tables.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// One direction of a cable between switches, dense: switch by switch, in the order of its up-groups, then down-groups.
enum class CableId : std::uint32_t {};

class Cables {
 public:
  explicit Cables(const FatTree& tree);

  [[nodiscard]] std::size_t size() const { return far_.size(); }
  [[nodiscard]] CableId first(SwitchId s) const { return id_at<CableId>(first_[index(s)]); }
  // The number-th cable of a switch.
  [[nodiscard]] CableId at(SwitchId s, std::size_t number) const { return id_at<CableId>(first_[index(s)] + number); }
  [[nodiscard]] std::size_t num_up(SwitchId s) const { return num_up_[s]; }
  [[nodiscard]] SwitchId far(CableId c) const { return far_[c]; }
  [[nodiscard]] PortNum port(CableId c) const { return port_[c]; }
  // The number of the cable among those of its switch; kNoCable: the port leads to no switch.
  [[nodiscard]] std::uint8_t number(SwitchId s, PortNum port) const;

 private:
  std::vector<std::uint32_t> first_;
  IdVector<SwitchId, std::uint32_t> num_up_;
  IdVector<CableId, SwitchId> far_;
  IdVector<CableId, PortNum> port_;
};

inline constexpr std::uint8_t kNoCable = 0xFF;

class HostColumns {
 public:
  // Offset 0 of each host's LIDs. A host without LID gets an empty column.
  HostColumns(const FatTree& tree, const Cables& cables, const NodeOrder& order, const ForwardingTables& tables);

  [[nodiscard]] std::size_t num_hosts() const { return num_switches_ == 0 ? 0 : entries_.size() / num_switches_; }
  // Number of the cable that each switch takes to the host; kNoCable: none, or the host is its own.
  [[nodiscard]] std::span<const std::uint8_t> column(std::size_t host) const {
    return {entries_.data() + host * num_switches_, num_switches_};
  }
  [[nodiscard]] std::span<std::uint8_t> column(std::size_t host) {
    return {entries_.data() + host * num_switches_, num_switches_};
  }

  // Puts the columns into `tables`. Where a switch takes another cable than before, the other offsets of the LID range
  // take their turns from there as in closed_form.h.
  void write(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const NodeOrder& order,
             ForwardingTables& tables) const;

 private:
  std::size_t num_switches_;
  std::vector<std::uint8_t> entries_;  // [host][switch]
};

}  // namespace espalier
