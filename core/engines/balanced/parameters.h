// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every number of `balanced` that was found by trial and not by theory, in one place. Most were tuned on a tree of
// 8 640 hosts and on a quasi fat tree of 1 036, both damaged at random; none is critical within a factor of two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace espalier {

struct BalancedParameters {
  // How long the steps take, on a core of 2020 whose caches others use as well: per millisecond of the budget,
  std::uint64_t computed_entries_per_ms = 4'000;   // table entries that all alternatives compute together;
  std::uint64_t moved_entries_per_ms = 150'000;    // entries copied between tables and columns;
  std::uint64_t ingress_channels_per_ms = 2'000;   // ingress channels found, weighted and given their hosts;
  std::uint64_t offset_channels_per_ms = 150'000;  // the same looked at for one more LID of a host;
  std::uint64_t sampled_hops_per_ms = 25'000;      // hops of random permutations counted;
  std::uint64_t additions_per_ms = 300'000;        // additions of prices, where loads do not fit into the cache,
  std::uint64_t cached_speedup = 3;                // and so many times as many where they do:
  std::size_t cached_loads = 4 * 1024 * 1024;      // below this number of (channel, shift) pairs.
  std::uint32_t alternatives_share = 4;            // alternatives, other hosts' routes too: 1/4 of it at most;
  std::uint64_t counted_bytes_per_ms = 400'000;    // Bytes of loads are set up, summed up (load_bytes.h),
  std::uint64_t counted_hops_per_ms = 150'000;     // and counted: runs of phases times the links of a path.
  std::uint64_t repair_steps_per_ms = 20'000;      // Steps of a repair (min_conflicts.h).
  // In additions that do not fit into the cache (step_costs.h):
  std::uint64_t additions_per_load = 4;    // to set up and sum up all loads, per (channel, shift);
  std::uint64_t additions_per_count = 40;  // to count the flows of a source to a host in neighboring shifts;
  std::uint64_t additions_per_price = 4;   // to price all loads and sum them up again, per (channel, shift).
  // In a pass:
  std::uint64_t additions_per_plan = 8;   // finding the choices on the way to a switch costs so many per channel,
  std::uint64_t additions_per_visit = 8;  // looking at a switch or a candidate channel costs so many at all,
  std::uint64_t additions_per_run = 2;    // at a run of shifts, where an order does not follow the leaves, so many,
  std::uint64_t additions_per_walk = 24;  // and following the route of one source to its end, so many.
  std::size_t most_starts = 4;            // Small fabrics are searched from so many starts.

  // Sampled estimates, which decide whether a step was worth it: shifts counted at least,
  std::size_t sampled_shifts = 24;
  std::size_t sampled_loads = 1024 * 1024;  // and (channel, shift) pairs, where more shifts are affordable.

  // A search that does not count all shifts leaves 1/2 of the budget to a repair of all, if that is enough to count them
  // and they fit into so many bytes.
  std::uint32_t repair_share = 2;
  std::size_t max_load_bytes = 192 * 1024 * 1024;
  // It may bring so many senders of a small type together on a channel.
  std::uint16_t senders_in_a_phase = 2;
  // The other LID offsets start as the other hosts' routes if that has less than 9/10 of what shares have under shifts.
  double other_hosts_share = 0.9;
  std::uint64_t compared_paths_per_ms = 25'000;  // pairs of paths to two LIDs of a host
  // Shifts with at most 2 conflicts come first, then those with 4, 8, ... at most.
  std::uint32_t first_conflicts = 2;
  std::uint32_t most_conflicts = 64;
  std::int64_t worst_shift_weight = 64;  // A worst shift is worth as many others.
  // A step is a cache line of loads looked at. In steps, a channel in the search for conflicts is 1/3, a flow that may be in
  // one 1/2, a line that changes 10.
  std::size_t channels_per_step = 3;
  std::size_t flows_per_step = 2;
  std::size_t steps_per_change = 10;

  double random_noise = 0.25;  // Means of the least number of random permutations differ by so much by chance.

  // Shifts that the search did not count are looked at for 1/20 of the budget, with the start and with the end.
  std::uint32_t second_look_share = 20;

  // Random permutations, measured where all shifts are counted: as many as make so many flows, within these limits.
  std::size_t sampled_flows = 100'000;
  std::size_t least_permutations = 50;
  std::size_t most_permutations = 2'000;

  // Which of two sets of columns is better: means of loads within this factor of each other count as equal.
  double tolerance = 1.01;
  double random_margin = 0.1;  // An estimated median of random permutations may be so much too low.

  // Multiplicative weights (multiplicative_weights.h): rounds; more of them change the shares by little.
  int rounds = 8;
  float learning_rate = 0.25F;  // A share changes by at most this fraction of itself in a round.
  int channel_price_power = 7;  // The price of a channel is its relative load to this power,
  int shift_price_power = 4;    // that of its load under a shift of pods to this one.

  // Deficit round robin (deficit_round_robin.h), in hosts: how much of a lead
  float hysteresis = 0.5F;       // the ancestor that the closed form takes keeps over another one;
  float preferred_affinity = 4;  // the preferred ancestor has over all other paths into the tree above;
  float shared_affinity = 2;     // an ancestor has where another pod's flows to the host come in.

  // Prices of loads (shift_loads.h): that of a (channel, shift) is its relative load to this power;
  double load_price_power = 5;
  double highest_mean_price = 0.5;          // that of the highest mean load, as a share of the highest of those.
  std::size_t down_share_numerator = 9;     // Of flows downward 9 in 10 count for the mean: most to one
  std::size_t down_share_denominator = 10;  // destination come by the same channel and vary together.
  std::uint32_t units_per_flow = 8;  // Where links differ, loads are counted in eighths of a flow on a host's link,
  float max_weight = 1024;           // and a flow counts as so many of them at most.
  std::size_t mean_steps = 16;       // Means are rounded to sixteenths of a flow.

  // Best-response dynamics (best_response_dynamics.h): passes over all destinations at most,
  std::uint32_t max_passes = 24;
  std::uint32_t patience = 5;                // and so many without any gain, one after the other.
  std::uint32_t first_price_factor = 2;      // The first pass moves flows that pay twice the mean price of a path.
  std::size_t max_loads = 24 * 1024 * 1024;  // (channel, shift) pairs that are kept: 4 bytes each.
  std::uint64_t pass_share_numerator = 2;    // Shifts are counted up to the number with which one pass over all
  std::uint64_t pass_share_denominator = 3;  // flows takes two thirds of the budget.
  std::size_t stride_numerator = 5;          // Leaves take turns by steps of 5/13 of their number, near the golden
  std::size_t stride_denominator = 13;       // ratio, so that those in a row are from all over the tree.

  // A best response leaves a channel only for one that is cheaper by more than this share of its price: 1/8. What a
  // change seems to gain it gains under the shifts that are counted; under all others it mostly costs alignment.
  std::uint64_t sampled_hysteresis = 8;
  std::uint64_t exact_hysteresis = 24;  // 1/24 where all shifts are counted.

  // Then a second search where all shifts are counted: prices rise faster, means count little, and the present channel
  // has no lead.
  double steep_price_power = 7;
  double steep_mean_price = 0.03;
  std::uint64_t no_hysteresis = 1'000'000'000;
};

inline constexpr BalancedParameters kBalanced{};

}  // namespace espalier
