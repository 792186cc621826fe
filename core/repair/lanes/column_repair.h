// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One column of the tables: switches without an entry for a LID, and for those that are alike, get one.
//
// The entries of a column make a tree toward the switch of its LID. Where one is lost, all that is behind it is cut off, and
// hangs as a whole on another switch if it can: one entry changes, and every path behind it keeps its service level. Steps
// from channel to channel that no lane allows yet are allowed as long as they close no cycle on it. In turn are tried
//
//   all that is behind it together, each path on its level      then on any level that fits
//   each switch behind it by itself, on any level that fits     then also on spare ones
//   steps along an EscapeTree; or the whole column anew
//
// and each time first what agrees with the order of dependencies, and the other switches by what more flows cost on the path
// from there. Where channels would become fuller than a limit, what is behind is split though it could stay together: so more
// entries change, and the load is spread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/repair/lanes/escape_tree.h"
#include "core/repair/lanes/lane_routing.h"

namespace espalier {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

class ColumnRepair {
 public:
  // `t`: where the LID is delivered. REQUIRES: `routing` outlives this, and the column has no loop; the LID is the first of those
  // that are alike.
  // Splits what is behind a switch rather than to fill a channel beyond `limit`, as LaneRouting::load() has it.
  ColumnRepair(LaneRouting& routing, Lid lid, SwitchId t, double limit);

  // `open`: the switches connected to t without an entry; empty afterward, but for those that find no path. With a `tree` that
  // reaches all and whose turns are allowed, nobody is left.
  void run(std::vector<SwitchId>& open, const EscapeTree* tree);

  // From switches with hosts to LIDs of hosts.
  [[nodiscard]] std::uint64_t num_moved() const;
  // Whose service level is another one than in the reference.
  [[nodiscard]] std::uint64_t num_new_levels() const;

 private:
  using Adds = LaneRouting::Adds;
  enum class Levels : std::uint8_t { kKept, kAny, kSpare };
  // What is allowed in one pass.
  struct Terms {
    Levels levels;
    Adds adds;
    double limit;
  };
  struct Candidate {
    PortNum port;
    double price;
  };

  void find_paths(std::vector<SwitchId>& open, const EscapeTree* tree);
  void share_entries();
  void set(SwitchId s, PortNum port) {
    routing_.set(s, lid_, port);
    is_touched_[index(s)] = 1;
  }
  void leave_old_paths(const std::vector<SwitchId>& open);
  void settle(std::vector<SwitchId>& open, const Terms& terms);
  [[nodiscard]] bool attach(SwitchId s, const Terms& terms);
  void note_attached(SwitchId s) { attached_[index(s)] = ++now_; }
  [[nodiscard]] std::vector<Candidate> candidates(SwitchId s, double flows, double limit) const;
  [[nodiscard]] bool agree_all(const Terms& terms);
  [[nodiscard]] bool admit_all(const Terms& terms);
  [[nodiscard]] bool admit_on_some_level(SwitchId s, const Terms& terms);
  void collect_behind(SwitchId s) { routing_.collect_behind(s, lid_, behind_); }
  [[nodiscard]] double flows_behind() const;
  void load_path(SwitchId s, double flows);
  [[nodiscard]] std::vector<SwitchId> split(const std::vector<SwitchId>& open);
  [[nodiscard]] std::vector<SwitchId> clear(const std::vector<SwitchId>& open);
  void settle_within(std::vector<SwitchId>& open, Levels levels, double limit);
  void settle_on_any_level(std::vector<SwitchId>& open);
  [[nodiscard]] bool may_serve(SwitchId peer, SwitchId s) const;
  // In column_on_tree.cc.
  void take_tree(std::vector<SwitchId>& open, const EscapeTree& tree);
  [[nodiscard]] SwitchId next(SwitchId s, const std::vector<PortNum>& ports) const;
  [[nodiscard]] std::vector<SwitchId> first_steps(SwitchId s, const std::vector<PortNum>& toward, std::uint8_t sl);
  [[nodiscard]] bool has_path_beside(SwitchId s, const std::vector<SwitchId>& others) const;
  [[nodiscard]] bool take_steps(const std::vector<SwitchId>& path, std::vector<SwitchId>& open,
                                const std::vector<PortNum>& toward, std::uint8_t sl);
  [[nodiscard]] bool take_step(SwitchId s, PortNum port, std::uint8_t sl);

  struct OldLevel {
    SwitchId at;
    std::uint8_t sl;
  };

  LaneRouting& routing_;
  Lid lid_;
  SwitchId t_;
  double num_host_lids_ = 0;  // among those alike
  double limit_;
  std::vector<SwitchId> behind_;      // of the switch that is attached, itself first
  std::vector<OldLevel> old_levels_;  // of those that have been changed for it
  // Time goes on with each switch that is attached; before all of them it is 1.
  using Time = std::uint32_t;
  Time now_ = 1, round_began_ = 1;
  std::vector<Time> attached_;    // per switch
  std::vector<Time> found_none_;  // per switch: when nothing that was attached by then served, on no terms; 0: never
  Time none_served_since_ = 0;    // the same for all that are open, on the present terms
  std::vector<OldLevel> first_levels_;               // of all that have been changed, before
  std::vector<std::uint8_t> is_moved_, is_touched_;  // per switch
};

}  // namespace espalier
