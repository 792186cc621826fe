// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/load_prices.h"

#include <cmath>

#include "core/engines/balanced/parameters.h"

namespace espalier {

LoadPrices::LoadPrices(std::size_t num_shifts, Hops longest_path, const Objective& objective)
    : objective_(objective),
      highest_price_(static_cast<std::uint16_t>(0xFFFF / (2 * std::max<unsigned>(longest_path, 1)))),
      first_of_shift_(num_shifts),
      by_load_(1),
      by_mean_(1) {}

std::uint16_t LoadPrices::price(double share) const {
  return static_cast<std::uint16_t>(std::min(1.0, share) * highest_price_);
}

void LoadPrices::set(const std::vector<std::uint16_t>& most_of_shift, std::size_t most_steps, double likely_maximum,
                     const PriceRule& rule) {
  most_flows_ = std::max<std::uint16_t>(1, *std::max_element(most_of_shift.begin(), most_of_shift.end()));
  // Each of the two in shares of the highest price: the more important one has all of it.
  const double most_weight = std::max(objective_.shifts, objective_.random);
  by_load_.clear();
  for (std::size_t most = 0; most <= most_flows_; ++most)
    for (std::size_t flows = 0; flows <= most_flows_; ++flows) {
      const double reference = (static_cast<double>(most) + most_flows_) / 2;
      by_load_.push_back(price(objective_.shifts / most_weight *
                               std::pow((static_cast<double>(flows) + 0.5) / reference, rule.power)));
    }
  for (std::size_t y = 0; y < most_of_shift.size(); ++y) first_of_shift_[y] = most_of_shift[y] * (most_flows_ + 1U);
  by_mean_.assign(1, 0);
  for (std::size_t step = 1; step <= most_steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(most_steps);
    const double fewer_flows = static_cast<double>(most_steps - step) / static_cast<double>(kBalanced.mean_steps);
    by_mean_.push_back(price(objective_.random / most_weight * rule.mean_share * std::pow(share, likely_maximum) *
                             std::exp(fewer_flows)));
  }
}

}  // namespace espalier
