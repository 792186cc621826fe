// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// New ports for open entries: few entries move, and the loads stay as even as those of a fresh search. Our own; greedy
// best responses in a congestion game, as core/engines/balanced, but in one fixed order and over the broken flows only.
//
// First all flows of hosts that pass an open entry are taken out of the loads (class_loads.h). Then, column by column,
// LIDs ascending, open entries above the bottom are chosen, from the top down, so that all paths above a switch are known
// when it chooses; then in all columns those at the bottom. A switch in the middle has few ports for the flows that have
// to pass it, a leaf many: so the leaf comes last, when it is known where there is room. With both in turn, column by
// column, leaves fill what looks empty only since those who need it have not chosen yet (432 lost links: 9 flows under
// the worst shift in place of 7 or 8, in more time).
//
// An entry that is open since a link on its path is slower keeps its port as long as no limit on that path is exceeded; that
// of a slower link is its share of what it was. Each other chooses so:
//
//   1. Closed form: of the ports that lead closer, those in rotation behind the old one, begun further by the number of
//      the destination's leaf: the destinations of a lost link are dealt out to all others. The first is taken on
//      whose path loads stay within the limit for all flows concerned, under all shifts that are counted; where no flow
//      is, the very first.
//   2. Price: if there is none, the port on whose paths these flows cost least (ClassLoads::price).
//   3. Closed form again, when all have chosen: where a flow exceeds a limit by more than a fifth somewhere, for all open
//      entries of switches above the bottom that it passes, if that costs less (closed_form.h).
//   4. Shedding: a flow that does so still leaves its leaf by another port. That costs a block on a leaf that no fault has
//      touched. Where many are broken, other flows that exceed a limit do so, too, if it costs none (flow_shedder.h).
//   5. Cables: where it still does so on one of several cables down to the same switch, all flows to the LID that come that way
//      take the cheapest of these. An entry that hardly any flow took before may be that of many now: without one of
//      tartu's two spines, 13 of the hosts of a leaf were on one of four cables. 4 and 5 are the only churn beyond what has
//      to be.
//
// Nothing but the reference and what is left of it enters: same input, same tables, whatever happened in between.
//
// Tried and worse (8 640 hosts, worst shift): rotation alone 22 at 64 lost switches, fewest destinations per port 91 at
// 2 160 lost links, least mean load 23: everybody herds onto one link. A second choice of what the closed form did not fit,
// or shedding from the limit on at leaves that have to be written anyway: a tenth more time, no better.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/repair/broken/broken_flows.h"
#include "core/repair/broken/open_entries.h"
#include "core/repair/broken/working_state.h"
#include "core/repair/new_paths/closed_form.h"
#include "core/repair/new_paths/path_warmer.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

class PathChooser {
 public:
  // REQUIRES: both outlive this; the rows are those of the reference.
  PathChooser(WorkingState& state, OpenEntries& open);

  // Fills all open entries in the rows, and changes those of leaves that shed flows.
  void run();

  // Those with all new ports.
  [[nodiscard]] ClassLoads& loads() { return loads_; }
  // Routes from a leaf to a LID of a host that were chosen anew.
  [[nodiscard]] std::uint64_t num_routes() const { return broken_flows_.count(); }

 private:
  struct Column {
    std::size_t lid;
    SwitchId t;
    std::uint32_t to_leaf;  // kNoLeaf: no LID of a host
    std::uint32_t index;    // into OpenEntries::columns
  };
  struct BrokenFlow {          // of the column at hand
    std::uint32_t first_open;  // position among the column's open entries
    std::uint32_t leaf;
  };
  struct Path {  // a channel and all that follows it, in path_channels_
    ChannelId first;
    std::uint32_t begin, end;
    bool leads;  // to the destination
  };

  enum class Where : std::uint8_t { kAboveBottom, kAtBottom };  // of a column's open entries

  void choose_all_entries(Where where);
  void warm(std::uint32_t begin, std::uint32_t end, Where where);
  void warm_behind_leaves(const Column& column);
  void choose_entries(const Column& column, Where where);
  void choose_at_bottom(const Column& column);
  [[nodiscard]] bool keep_at_bottom(std::size_t entry, const Column& column);
  [[nodiscard]] bool choose_first_that_fits(std::size_t entry, const Column& column);
  [[nodiscard]] ChannelId slower_channel(std::size_t entry, const Column& column) const;
  [[nodiscard]] bool keeps_limits(std::span<const ChannelId> channels, ClassLoads::Flow flow) const;
  void sort_flows(const Column& column, bool at_bottom);
  // Here and below: `entry` is the place of an open entry in OpenEntries::switches.
  void choose(std::size_t entry, const Column& column, const BrokenFlow* begin, const BrokenFlow* end);
  void add_late_flows();
  [[nodiscard]] Path best_path(std::size_t entry, const Column& column, const BrokenFlow* begin, const BrokenFlow* end);
  [[nodiscard]] CloserChannels closer_from(SwitchId s, SwitchId t);
  [[nodiscard]] Path path_over(ChannelId first, const Column& column);
  void change_cables(std::uint32_t leaf, const Column& column);
  void change_cable(ChannelId own, const Column& column);
  [[nodiscard]] bool is_over(ChannelId c, ClassLoads::Flow flow) const { return is_strained(state_, loads_, c, flow); }
  [[nodiscard]] bool fits(const Path& path, const Column& column, const BrokenFlow* begin, const BrokenFlow* end) const;
  // At least `enough`, as soon as it is known to be.
  [[nodiscard]] std::uint64_t price(const Path& path, const Column& column, const BrokenFlow* begin,
                                    const BrokenFlow* end, std::uint64_t enough) const;
  [[nodiscard]] std::span<const ChannelId> channels(const Path& path) const {
    return {path_channels_.data() + path.begin, path.end - path.begin};
  }
  bool find_path_from(SwitchId s, const Column& column);
  [[nodiscard]] Column column_at(std::uint32_t i) const;

  WorkingState& state_;
  const PreparedReference& prepared_;
  OpenEntries& open_;
  ClassLoads loads_;
  BrokenFlows broken_flows_;
  LargeVector<StrainedFlow> strained_;  // when they were placed
  LargeVector<StrainedFlow> crowded_;   // others that exceeded a limit then, where many are broken
  bool are_many_broken_ = false;
  std::vector<StrainedFlow> late_;  // not in the loads, as their paths did not lead to the destination then
  PathWarmer warmer_;
  std::size_t warmed_ = 0;           // the first entry of the columns that are warm
  std::vector<std::uint8_t> first_;  // of these entries, at the bottom to hosts: where their rotation begins

  // Scratch, for the column at hand.
  std::vector<std::uint32_t> open_stamp_;  // per switch: column + 1 while its entry is open
  std::vector<std::uint32_t> open_rank_;   // per switch: its position among the column's open entries
  std::vector<std::uint32_t> open_leaf_;   // per leaf: the last column + 1 in which its entry is open
  std::vector<BrokenFlow> column_flows_;
  std::vector<ChannelId> path_;
  std::vector<ChannelId> path_channels_;  // of the candidates of one choice
  std::vector<Path> tried_;               // these, as they come in rotation
  std::vector<ChannelId> cables_;         // beside each other
  std::vector<ClassLoads::Flow> passing_;
  std::vector<std::uint8_t> places_;
};

}  // namespace espalier
