// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Figures by which sets of routes are compared: the maximum and the mean over shifts of the most flows on a
// channel (congestion risk of shift permutations), an estimate of the same for random permutations, and the most that
// known flows put on a channel.
//
// The estimate: under a random permutation the flows on a channel are nearly Poisson distributed around its mean over
// all shifts. The figure is the m at which the expected number of channels with more than m flows is ln 2, so that none
// has more as likely as not (the Poisson approximation of the maximum of rare events).
#pragma once

#include <cstdint>
#include <vector>

namespace espalier {

struct LoadSummary {
  std::uint32_t worst_shift = 0;     // the most on a channel under any counted shift, in units of ShiftLoads
  double mean_shift = 0;             // mean of the same over these shifts
  double random = 0;                 // estimated median of the same over random permutations, to compare tables by
  std::uint32_t units_per_flow = 1;  // of worst_shift, on a link as fast as a host's
  double known_flows = 0;            // the most on a channel, in flows of the heaviest weight
  struct Weights {
    double shifts = 1;
    double random = 1;
    double known_flows = 1;
    bool operator==(const Weights&) const = default;
  };
  Weights weights = {};  // of the objective
  bool operator==(const LoadSummary&) const = default;
};

// What the objective leaves out is 0. Without known flows the maximum counts first, then the means; of these a hundredth
// more is no worse, and a hundredth less no better. With known flows they are weighed against the other figures, which
// would otherwise stand in the way of any gain on a tree where shifts are perfect: by the sum of the logarithms of all
// figures times their weights, the two of shifts with half of theirs, so that twice the known flows on a channel are as bad
// as twice the flows under every shift.
[[nodiscard]] bool is_worse(const LoadSummary& a, const LoadSummary& b);
[[nodiscard]] bool is_better(const LoadSummary& a, const LoadSummary& b);

// Which of two sets that were both searched to keep: the lower maximum, then the lower whole number of random
// permutations, which is what a median is (one that is nearly the next counts as that), then the lower mean.
[[nodiscard]] bool is_preferable(const LoadSummary& a, const LoadSummary& b);

// The estimate above. `channels`[i] channels have a mean of i / `steps_per_flow` flows.
[[nodiscard]] double likely_maximum(const std::vector<std::uint32_t>& channels, double steps_per_flow);

}  // namespace espalier
