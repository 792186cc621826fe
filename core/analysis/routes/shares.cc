// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/routes/shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace espalier {
namespace {

double sum_of(const LidChoiceList& list) {
  return std::accumulate(list.begin(), list.end(), 0.0, [](double sum, const LidChoice& c) { return sum + c.weight; });
}

std::vector<OffsetShare> apportion(const LidChoiceList& list, std::uint32_t parts, std::size_t num_offsets) {
  const double sum = sum_of(list);
  std::vector<OffsetShare> shares;
  std::vector<std::pair<double, std::size_t>> left;  // negative remainders: the largest first, of equals the first
  std::uint32_t given = 0;
  for (const LidChoice& choice : list) {
    const double due = choice.weight / sum * parts;
    left.emplace_back(std::floor(due) - due, left.size());
    shares.push_back({static_cast<std::uint8_t>(choice.offset % num_offsets), static_cast<std::uint16_t>(due)});
    given += shares.back().shares;
  }
  std::sort(left.begin(), left.end());
  for (std::size_t i = 0; given < parts; ++i, ++given) ++shares[left[i % left.size()].second].shares;
  std::erase_if(shares, [](const OffsetShare& share) { return share.shares == 0; });
  return shares;
}

// The sum of whole weights that all lists have. A list of one offset goes with any.
std::uint32_t number_of_parts(const std::vector<LidChoiceList>& lists) {
  double common = 0;
  for (const LidChoiceList& list : lists) {
    if (list.size() == 1) continue;
    const bool whole =
        std::all_of(list.begin(), list.end(), [](const LidChoice& c) { return c.weight == std::floor(c.weight); });
    const double sum = sum_of(list);
    if (!whole || sum > kPartsOfAFlow || (common != 0 && sum != common)) return kPartsOfAFlow;
    common = sum;
  }
  return common == 0 ? 1 : static_cast<std::uint32_t>(common);
}

}  // namespace

Shares shares_of_lists(const LidChoices& choices, std::size_t num_offsets) {
  Shares shares{number_of_parts(choices.lists()), {}};
  for (const LidChoiceList& list : choices.lists())
    shares.of_list.push_back(apportion(list, shares.per_flow, num_offsets));
  return shares;
}

}  // namespace espalier
