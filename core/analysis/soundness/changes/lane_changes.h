// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What tables with lanes have that others have not, which are of another fabric or of the same: entries that send packets
// elsewhere or on other lanes, and service levels. Found by comparison, whoever made them and whatever he says of them.
//
// Everything that is not in here is as it was: from a switch, packets for a LID go out by the same port on the same link, on
// lanes by the same map, and have only levels that packets from there had before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/soundness/dependencies/lane_sources.h"
#include "core/base/flat_lists.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "core/fabric/table_rows.h"

namespace espalier {

// Tables with lanes, and all that sends by them. Refers to fabric and lanes.
struct TablesOnLanes {
  const Fabric& fabric;
  TableRows rows;
  const Lanes& lanes;
  IdVector<SwitchId, std::vector<LaneSource>> sources;

  TablesOnLanes(const Fabric& of, TableRows tables, const Lanes& by)
      : fabric(of), rows(std::move(tables)), lanes(by), sources(lane_sources(of, by.levels(), by.maps(), nullptr)) {}
};

class LaneChanges {
 public:
  // REQUIRES: both outlive this.
  LaneChanges(const TablesOnLanes& before, const TablesOnLanes& now);

  // What a switch was; kNoSwitch: it is new, or has another number of ports.
  [[nodiscard]] SwitchId before(SwitchId s) const { return before_[s]; }
  [[nodiscard]] const IdVector<SwitchId, SwitchId>& before() const { return before_; }
  // Whether the link at a port goes to the same port of the same switch as before.
  [[nodiscard]] bool is_old_link(SwitchId s, PortNum port) const {
    return is_old_link_[index(now_.fabric.channel(s, port))] != 0;
  }

  // LIDs for which anything differs, ascending. Those that nobody owns now are left out.
  [[nodiscard]] const std::vector<Lid>& lids() const { return lids_; }
  // Nobody owned it before, so that every path to it is new.
  [[nodiscard]] bool is_new(Lid lid) const { return !then_.fabric.is_in_use(lid) || index(lid) >= then_.rows.width(); }
  // Otherwise: whose entries differ, or the maps by which they choose lanes.
  [[nodiscard]] std::span<const SwitchId> entries(Lid lid) const { return entries_.at(index(lid)); }
  // And from where packets have a level that none from there had.
  [[nodiscard]] std::span<const SwitchId> levels(Lid lid) const { return levels_.at(index(lid)); }

 private:
  void forget_other_sizes();
  void match_links();
  void compare_maps();
  void compare_all();
  [[nodiscard]] bool has_new_maps(SwitchId s) const { return has_new_maps_[s] != 0; }
  void compare_row(SwitchId s, std::vector<PortNum>& buffer, std::vector<Lid>& found) const;
  // LIDs that are not new and have the same classes of ServiceLevels.
  struct Destinations {
    std::uint32_t class_before, class_now;
    std::vector<Lid> lids;
  };
  // Some of these, one behind the other.
  struct Block {
    std::span<const Destinations> items;
    bool is_run;  // both classes are one higher from each to the next
  };
  [[nodiscard]] std::vector<Destinations> old_destinations() const;
  [[nodiscard]] static std::vector<Block> in_blocks(const std::vector<Destinations>& all);
  void compare_levels(SwitchId s, const std::vector<Block>& blocks, std::vector<Lid>& found) const;

  const TablesOnLanes& then_;
  const TablesOnLanes& now_;
  IdVector<SwitchId, SwitchId> before_;
  IdVector<SwitchId, std::uint8_t> has_new_maps_;
  std::vector<std::uint8_t> is_old_link_;  // per channel
  FlatLists<SwitchId> entries_, levels_;   // per LID
  std::vector<Lid> lids_;
};

}  // namespace espalier
