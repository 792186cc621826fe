// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What one flow more costs on a channel: the cost functions of a congestion game (R. W. Rosenthal, "A class of games
// possessing pure-strategy Nash equilibria", International Journal of Game Theory 2, 1973), as tables of 16-bit
// integers.
//
// Under a shift, the price of a channel with x flows is x^5, relative to a reference: halfway between the most flows of
// its own shift and the most of all shifts. The former alone would lower the mean over shifts and let the worst one be;
// the latter alone has eyes for the worst only.
//
// To it comes a price for random permutations, where flows on a channel are nearly Poisson distributed around its mean
// y over all shifts: what one flow more adds to the number of channels expected above the likely maximum m
// (load_summary.h), y^m e^-y / m! up to a factor by which that of the highest mean is half the highest price under a
// shift.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/engines/balanced/loads/load_summary.h"
#include "core/engines/objective.h"
#include "core/tree/costs.h"

namespace espalier {

// How steeply prices rise, and what means weigh.
struct PriceRule {
  double power = 5;         // of the relative load under a shift
  double mean_share = 0.5;  // highest price of a mean, in highest prices under a shift
};

class LoadPrices {
 public:
  // All prices are 0 before set(). No sum of prices along a path exceeds 16 bits.
  LoadPrices(std::size_t num_shifts, Hops longest_path, const Objective& objective);

  // Makes these maxima the reference of all prices: the most of each shift, the highest mean in steps, and the likely
  // maximum of random permutations.
  void set(const std::vector<std::uint16_t>& most_of_shift, std::size_t most_steps, double likely_maximum,
           const PriceRule& rule);

  [[nodiscard]] std::uint16_t under_shift(std::size_t load, std::size_t shift) const {
    return by_load_[first_of_shift_[shift] + std::min<std::size_t>(load, most_flows_)];
  }
  // No price of a load is above it.
  [[nodiscard]] std::uint16_t highest() const { return highest_price_; }
  // Of a mean load, in steps of 1 / BalancedParameters::mean_steps flows.
  [[nodiscard]] std::uint16_t of_mean(std::size_t steps) const {
    return by_mean_[std::min(steps, by_mean_.size() - 1)];
  }

 private:
  // `share` of the highest price.
  [[nodiscard]] std::uint16_t price(double share) const;

  Objective objective_;
  std::uint16_t highest_price_;
  std::uint16_t most_flows_ = 0;               // that by_load_ has
  std::vector<std::uint32_t> first_of_shift_;  // into by_load_
  std::vector<std::uint16_t> by_load_;         // by the most flows of a shift, then by flows
  std::vector<std::uint16_t> by_mean_;         // by steps
};

}  // namespace espalier
