// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair by min-conflicts (S. Minton, M. D. Johnston, A. B. Philips, P. Laird, "Minimizing conflicts: a heuristic repair
// method for constraint satisfaction and scheduling problems", Artificial Intelligence 58, 1992): routes that are good
// already, and what is in conflict is moved to where it is in least.
//
// A conflict is a channel that has the most flows under a shift. One of its flows has to take another path at some switch
// before it, and with it go all flows that come to this switch for the same destination, under other shifts. Of such changes
// that raise the maximum of no shift the first is taken that makes no conflict elsewhere, else the one that leaves the
// least, if these are less than before; a conflict counts for more where the shift has few, and for most under the worst
// shifts. So neither the maximum of all shifts nor their mean ever rises.
//
// With several LIDs per host a flow is spread evenly over the routes to all of them: loads are shares of flows, and only routes
// of offsets 1, 2, ... change. From none of the sources concerned a new path shares more switches with the paths of other
// offsets than the old one does, so that paths that share no switch never come to share one. Flows that may as well go
// elsewhere go at last where least pairs of hosts send: that is what random permutations see.
//
// Where phases between node types are to stay good, no change may bring more than two hosts of a small type together in one of
// them, or more than met there before.
//
// Why the first: trying all changes for each conflict and taking the best costs four to eight times as many steps, and gains
// no more per change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/deadline.h"
#include "core/engines/balanced/loads/load_bytes.h"
#include "core/engines/balanced/loads/pair_loads.h"
#include "core/engines/balanced/loads/type_phase_loads.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/sources_below.h"
#include "core/engines/routing_problem.h"

namespace espalier {

class MinConflicts {
 public:
  // The channels of a tree, what a flow weighs on each, and whose flows come over it.
  struct Setting {
    const RoutingProblem& problem;
    const TreeChannels& channels;
    const FlowWeights& weights;
    const SourcesBelow& below;
  };

  // Columns: per LID offset those of all hosts; of several the first stay. REQUIRES: the loads are those of all of them
  // together, under all phases, and remain so; the arguments outlive this, but for the setting itself. Changes keep to
  // the pieces, of which each offset has its own.
  MinConflicts(const Setting& setting, std::span<const Pieces> pieces, LoadBytes& loads,
               std::span<HostColumns> columns);

  // From now on changes keep to what these have room for, and no longer to pieces. REQUIRES: they are those of the columns, one
  // of each offset, and outlive this.
  void keep(std::span<TypePhaseLoads> of_types) { of_types_ = of_types; }

  // Repairs for at most so many steps, a step being about a cache line of loads; returns how many are left. Stops where it
  // is when the deadline passes.
  std::uint64_t run(std::uint64_t steps, const Deadline& deadline);

 private:
  // One LID of a host.
  struct Destination {
    std::uint32_t host = 0;
    std::uint32_t offset = 0;
  };
  // From switch `at` on another path there.
  struct Change {
    Destination to;
    SwitchId at = kNoSwitch;
    std::uint8_t number = kNoHop;
  };
  struct Flow {
    std::uint32_t source = 0;
    Destination to;
  };
  [[nodiscard]] std::uint8_t* column(const Destination& to) const { return columns_[to.offset].column(to.host).data(); }
  [[nodiscard]] bool has_time() const { return left_ > 0 && !deadline_->passed(); }
  void spend(std::uint64_t steps) { left_ -= std::min(left_, steps); }

  void even_out();
  bool relieve_worst();
  bool relieve_means(std::uint32_t most_conflicts);
  template <class IsWanted>
  bool relieve_phases(IsWanted is_wanted);
  bool relieve(std::size_t phase, TreeChannelId c);
  void find_flows(std::size_t phase, TreeChannelId c);
  void try_flow(std::size_t phase, TreeChannelId c, const Flow& flow);
  void try_changes(std::size_t phase, SwitchId at, const Destination& to);
  void find_old_path(SwitchId at, const Destination& to);
  template <class Fits>
  bool find_new_path(const Change& change, Fits fits);
  void find_windows(SwitchId at, const Destination& to);
  void add_windows(std::uint32_t source, const Destination& to);
  [[nodiscard]] bool meets_another_offset(const Destination& to);
  [[nodiscard]] bool may_take(const Destination& to, SwitchId at, std::uint32_t of_host, std::size_t number) const {
    return !of_types_.empty() || pieces_[to.offset].has(at, of_host, number);
  }
  [[nodiscard]] bool crowds_a_phase(const Destination& to);
  bool even_out(const Destination& to, PairLoads& pairs);
  template <class Visit>
  void visit_changes(SwitchId at, const Destination& to, Visit visit);
  [[nodiscard]] std::int64_t gain(std::size_t new_end, std::size_t old_end);
  [[nodiscard]] bool passes(std::uint32_t source, const Destination& to, SwitchId at) const;
  void apply();
  [[nodiscard]] std::int64_t weight_of_conflict(std::size_t phase) const;

  const RoutingProblem& problem_;
  const TreeChannels& channels_;
  const FlowWeights& weights_;
  const SourcesBelow& below_;
  std::span<const Pieces> pieces_;
  LoadBytes& loads_;
  std::span<HostColumns> columns_;
  const Phases& phases_;
  std::span<TypePhaseLoads> of_types_;
  IdVector<TreeChannelId, SwitchId> from_;
  std::uint64_t left_ = 0;
  const Deadline* deadline_ = nullptr;
  std::uint8_t worst_ = 0;  // the most of all shifts

  // The best change for the conflict at hand:
  Change best_;
  std::int64_t best_gain_ = 0;
  std::int64_t enough_ = 0;
  std::vector<Flow> flows_;

  // Of the switch and destination at hand:
  bool has_windows_ = false;
  std::vector<std::uint32_t> passing_;      // sources whose flows come to the switch
  std::vector<LoadBytes::Window> windows_;  // phases in which they do
  std::vector<TreeChannelId> old_path_;     // from the switch on
  std::vector<SwitchId> old_switches_;      // that it leads to
  std::vector<TreeChannelId> new_path_;     // to where it meets the old one
  std::size_t old_end_ = 0;                 // channels of the old path up to there
};

}  // namespace espalier
