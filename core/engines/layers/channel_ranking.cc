// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/channel_ranking.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace espalier {
namespace {

constexpr int kRounds = 2;  // of moves; further ones hardly find any

class Ranking {
 public:
  Ranking(std::size_t num_channels, std::span<const WeightedStep> steps)
      : first_(num_channels + 1), place_(num_channels) {
    for (const WeightedStep& step : steps) {
      ++first_[step.from];
      ++first_[step.to];
    }
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), 0U);
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    others_.resize(first_.back());
    for (const WeightedStep& step : steps) {
      others_[next[step.to]++] = {step.from, std::int64_t{step.routes}};
      others_[next[step.from]++] = {step.to, -std::int64_t{step.routes}};
    }
    start();
  }

  void move_each() {
    for (std::uint32_t c = 0; c < place_.size(); ++c)
      if (first_[c] < first_[c + 1]) move(c);
  }

  std::vector<std::uint32_t> numbers() && {
    for (std::uint32_t c = 0; c < place_.size(); ++c)
      if (first_[c] == first_[c + 1]) order_.push_back(c);
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
    return std::move(place_);
  }

 private:
  struct Other {
    std::uint32_t channel;
    std::int64_t gain;  // of coming after it; what comes from there is positive
  };
  struct Gain {
    std::uint32_t place;
    std::int64_t gain;
  };

  [[nodiscard]] std::span<const Other> others(std::uint32_t c) const {
    return {others_.data() + first_[c], others_.data() + first_[c + 1]};
  }

  // By the share of what comes in all that comes and goes on.
  void start() {
    std::vector<double> late(place_.size());
    for (std::uint32_t c = 0; c < place_.size(); ++c) {
      if (others(c).empty()) continue;
      std::int64_t sum = 0, all = 0;
      for (const Other& other : others(c)) {
        sum += other.gain;
        all += std::abs(other.gain);
      }
      late[c] = static_cast<double>(sum) / static_cast<double>(all);
      order_.push_back(c);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return late[a] < late[b]; });
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  // To the first of the places at which most routes ascend, unless it is at such a one.
  void move(std::uint32_t c) {
    gains_.clear();
    for (const Other& other : others(c)) {
      const Gain gain{place_[other.channel], other.gain};
      auto at = gains_.end();
      for (; at != gains_.begin() && std::prev(at)->place > gain.place; --at) {
      }
      gains_.insert(at, gain);
    }
    const std::uint32_t here = place_[c];
    std::int64_t so_far = 0, most = 0, now = 0;
    std::uint32_t to = 0;
    for (const Gain& gain : gains_) {
      so_far += gain.gain;
      if (gain.place < here) now = so_far;
      if (so_far <= most) continue;
      most = so_far;
      to = gain.place + 1;
    }
    if (most <= now) return;
    const auto at = order_.begin();
    if (to > here) {
      std::rotate(at + here, at + here + 1, at + to);
    } else {
      std::rotate(at + to, at + here, at + here + 1);
    }
    for (std::uint32_t i = std::min(here, to); i < std::max(here + 1, to); ++i) place_[order_[i]] = i;
  }

  std::vector<std::uint32_t> first_;  // per channel, and one more: in others_
  std::vector<Other> others_;
  std::vector<std::uint32_t> place_;  // per channel
  std::vector<std::uint32_t> order_;  // per place, of channels with steps
  std::vector<Gain> gains_;           // by place; scratch
};

}  // namespace

std::vector<std::uint32_t> rank_channels(std::size_t num_channels, std::span<const WeightedStep> steps) {
  Ranking ranking(num_channels, steps);
  for (int round = 0; round < kRounds; ++round) ranking.move_each();
  return std::move(ranking).numbers();
}

}  // namespace espalier
