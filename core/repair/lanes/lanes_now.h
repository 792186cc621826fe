// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes of a reference on the fabric as it is now: the service level of every path that the reference knows, and the
// SL2VL tables of its switches. Levels of single paths can be changed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/soundness/dependencies/lane_sources.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "core/repair/lanes/alike_lids.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

class LanesNow {
 public:
  // REQUIRES: all outlive this.
  LanesNow(const Lanes& reference, const AlikeLids& alike, const Survivors& alive, const Fabric& now);

  // Whether every path has a level. Below: REQUIRES that.
  [[nodiscard]] bool covers_all() const { return !is_tangled_; }
  // Who sends at a switch, as far as lanes tell them apart.
  [[nodiscard]] std::span<const LaneSource> sources(SwitchId s) const { return sources_[s]; }
  [[nodiscard]] std::uint8_t sl(const LaneSource& source, Lid destination) const {
    return levels_.of_classes(source.source_class, levels_.destination_class(destination));
  }
  // kDiscardVl where packets that came in by `in` must not go out by `out`.
  [[nodiscard]] std::uint8_t vl(SwitchId s, PortNum in, PortNum out, std::uint8_t sl) const {
    return maps_.vls(s, in, out)[sl];
  }
  // Whether the lane of some packet depends on more than its service level.
  [[nodiscard]] bool tells_ports_apart() const { return maps_.num_maps() > 1 || maps_.num_classes(0) > 1; }
  // The reference's LID of who has this one now; kNoLid: it does not know it.
  [[nodiscard]] Lid before(Lid lid) const { return lid_before_[index(lid)]; }
  // Whether the reference tells the level of paths from this switch, and to this LID.
  [[nodiscard]] bool knows(SwitchId s, Lid destination) const {
    return alive_.before[s] != kNoSwitch && before(destination) != kNoLid;
  }

  // Of all that is sent at `s` to this LID and those alike, but to no other. False: sources of one switch have levels of their
  // own.
  [[nodiscard]] bool set_sl(SwitchId s, Lid destination, std::uint8_t sl);
  // The level of every path to `from` to that to `to` likewise.
  [[nodiscard]] bool copy_levels(Lid from, Lid to);

  [[nodiscard]] Lanes take() { return Lanes(std::move(levels_), std::move(maps_)); }

 private:
  void match_lids();
  [[nodiscard]] bool knows_all() const;
  [[nodiscard]] bool has_new_lids() const;
  [[nodiscard]] bool are_sources_single() const;
  void count_classes();
  void add_free_classes();
  [[nodiscard]] bool make_single();
  void split_off(std::span<const Lid> destinations);

  const Lanes& reference_;
  const AlikeLids& alike_;
  const Survivors& alive_;
  const Fabric& now_;
  ServiceLevels levels_;
  LaneMaps maps_;
  IdVector<SwitchId, std::vector<LaneSource>> sources_;
  std::vector<Lid> lid_before_;  // per LID now: of the reference; kNoLid: it does not know it
  // levels_ has a class for each switch. Destinations that share one get another as soon as their levels differ: a table for
  // all LIDs of a large fabric would take longer than the repair of a link.
  bool is_single_ = false;
  std::vector<std::uint32_t> num_lids_of_;   // per destination class
  std::vector<std::uint32_t> free_classes_;  // that no LID has
  bool is_tangled_ = false;                  // they cannot be
};

}  // namespace espalier
