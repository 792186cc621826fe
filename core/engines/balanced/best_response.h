// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The cheapest routes of all sources to one destination at given prices: one player's best response in a congestion
// game, found by dynamic programming over the destination's shortest-path graph.
//
// A switch has one channel for a destination, whoever sends. So this is no shortest path per source but a choice per
// switch, made where its consequences are known: first from the destination upward along its ancestors, then from the
// top down. A switch takes the channel that is cheapest for all sources below it together, each under its own shifts,
// the rest of the path included. Only channels on shortest up-down paths are candidates (P(s,t) of closed_form.h), and
// of those only the ones in the piece of the destination, if pieces are given (pieces.h).
//
// Where every switch has one path down to each destination, and the sources below a switch all use it, the choice is
// the best there is; elsewhere it is a heuristic, and whoever asks compares the tables as a whole.
//
// Cost: per destination one addition per channel and shift, for the shifts of those that can use it: 0.2 million on a
// tree of 8 640 hosts with 720 shifts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/destination_plan.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/balanced/parameters.h"
#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/sources_below.h"

namespace espalier {

class BestResponse {
 public:
  // REQUIRES: the arguments outlive this.
  BestResponse(const RoutingProblem& problem, const TreeChannels& channels, const SourcesBelow& below,
               const ShiftLoads& loads, const Pieces& allowed);

  // From now on the present channel is a `share`-th of its price cheaper. What a change seems to gain it gains under
  // the shifts that are counted; under all others it mostly costs alignment.
  void set_hysteresis(std::uint64_t share) { hysteresis_ = share; }
  // From now on whatever is no addition counts `factor` times: where additions are fast because all loads are in the
  // cache, looking at a switch or at the next run is not.
  void set_overhead(std::uint64_t factor) { overhead_ = factor; }

  // Which flows to `host`, on switch t, are worth a new choice: those of every pod in which somebody pays more than
  // `price`. Valid until the next call.
  [[nodiscard]] ShiftLoads::Flows select_flows(std::uint32_t host, SwitchId t, std::span<const std::uint8_t> column,
                                               std::uint32_t price);
  // Rewrites the column for these. REQUIRES: they come from select_flows() and are not counted in the loads.
  void choose(std::span<std::uint8_t> column);

  // Additions that the last select_flows() and choose() took.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  using Candidate = DestinationPlan::Candidate;
  using Decision = DestinationPlan::Decision;
  struct Shifts {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  // Where the flows of a run are on their path to the host, and what they paid so far, judged by the first of their
  // shifts.
  struct Walk {
    std::uint32_t source = 0;
    SwitchId at = kNoSwitch;
    std::uint32_t shift = 0;
    std::uint32_t price = 0;
  };
  void walk(std::span<const std::uint8_t> column);
  static void append(std::span<const PhaseRun> runs, std::vector<Shifts>& shifts);
  static void join(std::vector<Shifts>& shifts);
  [[nodiscard]] std::span<const Shifts> shifts_below(SwitchId s);
  void choose_channel(const Decision& decision, std::span<std::uint8_t> column);
  [[nodiscard]] std::uint64_t price(const Candidate& candidate) const;
  [[nodiscard]] bool select_known_flows(std::span<const std::uint8_t> column, std::uint32_t price);
  [[nodiscard]] std::uint64_t known_units_below(SwitchId s) const;
  [[nodiscard]] double price_of_known_flows(const Candidate& candidate) const;
  void set_rest(SwitchId s, const Candidate& candidate);

  const TreeChannels& channels_;
  const SourcesBelow& below_;
  const ShiftLoads& loads_;
  std::uint64_t hysteresis_ = kBalanced.sampled_hysteresis;
  std::uint64_t overhead_ = 1;
  DestinationPlan plan_;
  std::uint64_t work_ = 0;

  // For the host at hand:
  std::uint32_t host_ = 0;
  SenderRuns runs_;
  std::vector<Walk> walks_;              // per run
  std::vector<std::uint8_t> pod_moves_;  // per pod
  std::vector<PhaseRun> moving_runs_;
  std::span<const Shifts> shifts_;               // of the decision at hand
  std::vector<Shifts> moving_shifts_;            // of all that move
  std::vector<std::vector<Shifts>> set_shifts_;  // per set of sources
  std::vector<std::uint32_t> set_host_;          // per set: the host for which its shifts are right
  // Price of the rest of the path by shift, per switch with others below it, where it was set for this host.
  IdVector<SwitchId, std::uint32_t> first_rest_;  // into rest_
  std::vector<std::uint16_t> rest_;

  // The same for known flows to the host at hand.
  std::vector<FlowLoads::Sender> moving_known_;
  std::uint64_t units_ = 0;                     // of the decision at hand
  std::vector<std::uint64_t> units_of_source_;  // of those that move; 0 but for the host at hand
  IdVector<SwitchId, double> rest_of_known_flows_;
};

}  // namespace espalier
