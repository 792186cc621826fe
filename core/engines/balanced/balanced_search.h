// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The cheapest routes of all sources to one destination, at given prices: one step of `balanced`.
//
// A switch has one cable for a destination, whoever sends. So this is no shortest path per source but a choice per
// switch, made where its consequences are known: first from the destination upward along its ancestors, then from the
// top down. A switch takes the cable that is cheapest for all sources below it together, each in its own cells, the
// rest of the way included. Only cables on shortest up-down paths are considered (P(s,t) of closed_form.h), and of those
// only the ones in the piece of the destination, if pieces are given (balanced_pieces.h).
//
// Where every switch has one way down to each destination, and the sources below a switch all use it, the choice is the
// best there is; elsewhere it is a good guess, and whoever asks compares the tables as a whole.
//
// Cost: per destination one addition per cable and cell, for the cells of those that can use it: 0.2 million on a tree
// of 8 640 hosts with 720 cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/balanced_loads.h"
#include "core/engines/balanced/balanced_pieces.h"
#include "core/tree/costs.h"

namespace espalier {

// For each switch the sources below it or at it. Many switches of a tree have the same.
class SourcesBelow {
 public:
  SourcesBelow(const FatTree& tree, const UpDownCosts& costs, std::span<const Source> sources);
  [[nodiscard]] std::size_t num_sets() const { return first_.size() - 1; }
  // The set of those below s.
  [[nodiscard]] std::uint32_t set(SwitchId s) const { return set_[s]; }
  // Ascending indices into the sources.
  [[nodiscard]] std::span<const std::uint32_t> sources(std::uint32_t set) const {
    return {sources_.data() + first_[set], first_[set + 1] - first_[set]};
  }
  [[nodiscard]] std::uint32_t num_hosts(std::uint32_t set) const { return num_hosts_[set]; }

 private:
  IdVector<SwitchId, std::uint32_t> set_;
  std::vector<std::uint32_t> sources_;  // set by set
  std::vector<std::uint32_t> first_;    // per set
  std::vector<std::uint32_t> num_hosts_;
};

class DestinationSearch {
 public:
  DestinationSearch(const FatTree& tree, const UpDownCosts& costs, const Cables& cables, const SourcesBelow& below,
                    const ShiftLoads& loads, const Pieces& pieces);

  // From now on the cable of before is a `share`-th of its price cheaper. What a change seems to win, it wins in the
  // phases that are counted; in all others it mostly loses alignment, and flows that come down together are parted.
  void set_loyalty(std::uint64_t share) { loyalty_ = share; }

  // Which flows to `host`, on switch t, are worth a new choice: those of every pod in which somebody pays more than
  // `price`. A pod here: switches that meet only above, at ancestors of t; what one chooses is no matter of another.
  [[nodiscard]] ShiftLoads::Flows pick(std::uint32_t host, SwitchId t, std::span<const std::uint8_t> column,
                                       std::uint32_t price);
  // Rewrites the column for these. REQUIRES: they come from pick() and are not counted in the loads.
  void choose(std::span<std::uint8_t> column);

  // Additions that the last pick() and choose() took.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  struct Option {
    std::uint8_t number = kNoCable;  // of the cable at its switch
    CableId cable{};
    std::uint32_t way = 0;  // of the far switch, into way_
  };
  struct Step {
    SwitchId s = kNoSwitch;
    std::uint32_t pod = 0;
    std::uint32_t first_option = 0;
    std::uint32_t num_options = 0;
  };
  struct Piece {
    std::uint32_t begin = 0;  // cells
    std::uint32_t end = 0;
  };
  // Where the flows of a run are on their way to the host, and what they paid so far, judged by the first of their
  // cells.
  struct Walk {
    std::uint32_t source = 0;
    SwitchId at = kNoSwitch;
    std::uint32_t cell = 0;
    std::uint32_t price = 0;
  };
  void prepare(SwitchId t);
  void walk(std::span<const std::uint8_t> column);
  void add_step(SwitchId s, std::span<const PortGroup> groups, std::vector<Step>& steps);
  void find_pods();
  static void cut(std::span<const PhaseRun> runs, std::vector<Piece>& pieces);
  static void join(std::vector<Piece>& pieces);
  [[nodiscard]] std::span<const Piece> pieces_below(SwitchId s);
  void choose_cable(const Step& step, std::span<std::uint8_t> column);
  [[nodiscard]] std::uint64_t price(const Option& option) const;
  void pass_on(SwitchId s, const Option& option);

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const Cables& cables_;
  const SourcesBelow& below_;
  const ShiftLoads& loads_;
  const Pieces& allowed_;
  std::uint64_t loyalty_ = 8;
  std::uint64_t work_ = 0;

  // For the destination switch at hand:
  SwitchId destination_ = kNoSwitch;
  std::vector<Step> down_;                   // its ancestors, lowest first
  std::vector<Step> up_;                     // all others that reach it, pod by pod, in each highest first
  std::vector<std::uint32_t> first_of_pod_;  // into up_
  std::vector<std::uint32_t> pod_of_source_;
  bool has_ways_down_ = false;   // an ancestor has a choice, which is everybody's matter
  std::vector<Option> options_;  // of all steps

  // For the host at hand:
  std::uint32_t host_ = 0;
  SenderRuns runs_;
  std::vector<Walk> walks_;              // per run
  std::vector<std::uint8_t> pod_moves_;  // per pod
  std::vector<PhaseRun> moving_runs_;
  std::span<const Piece> pieces_;               // of the step at hand
  std::vector<Piece> moving_pieces_;            // of all that move
  std::vector<std::vector<Piece>> set_pieces_;  // per set of sources
  std::vector<std::uint32_t> cut_for_;          // per set: the host for which its pieces are right

  IdVector<SwitchId, std::uint32_t> way_of_;
  std::vector<std::uint16_t> way_;  // per switch with others below it: price of the rest of the way, by cell
};

}  // namespace espalier
