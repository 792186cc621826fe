// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lanes/channel_ranking.h"

#include <algorithm>

#include "core/base/flat_lists.h"

namespace espalier {
namespace {

constexpr int kRounds = 2;  // of moves; further ones hardly find any

class Ranking {
 public:
  Ranking(std::size_t num_channels, std::span<const WeightedStep> steps)
      : others_(num_channels,
                [&](const auto& add) {
                  for (const WeightedStep& step : steps) {
                    add(step.to, Other{step.from, std::int64_t{step.routes}});
                    add(step.from, Other{step.to, -std::int64_t{step.routes}});
                  }
                }),
        place_(num_channels),
        before_(num_channels),
        after_(num_channels) {
    start();
  }

  void move_each() {
    for (std::uint32_t c = 0; c < place_.size(); ++c)
      if (!others(c).empty()) move(c);
  }

  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers(place_.size());
    std::uint32_t next = 0;
    for (std::uint32_t c = head_; c != kNone; c = after_[c]) numbers[c] = next++;
    for (std::uint32_t c = 0; c < numbers.size(); ++c)
      if (others(c).empty()) numbers[c] = next++;
    return numbers;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  // Places are far apart at the start, so that a channel that moves finds one between two others.
  static constexpr std::uint64_t kFront = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t kApart = std::uint64_t{1} << 24U;

  struct Other {
    std::uint32_t channel;
    std::int64_t gain;  // of coming after it; what comes from there is positive
  };
  struct Gain {
    std::uint64_t place;
    std::int64_t gain;
    std::uint32_t channel;
  };

  [[nodiscard]] std::span<const Other> others(std::uint32_t c) const { return others_.at(c); }

  // By the share of what comes in all that comes and goes on.
  void start() {
    std::vector<double> late(place_.size());
    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < place_.size(); ++c) {
      if (others(c).empty()) continue;
      std::int64_t sum = 0, all = 0;
      for (const Other& other : others(c)) {
        sum += other.gain;
        all += std::abs(other.gain);
      }
      late[c] = static_cast<double>(sum) / static_cast<double>(all);
      order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return late[a] < late[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) link(order[i], i == 0 ? kNone : order[i - 1]);
    space_out();
  }

  // To the first of the places at which most routes ascend, unless it is at such a one.
  void move(std::uint32_t c) {
    gains_.clear();
    for (const Other& other : others(c)) {
      const Gain gain{place_[other.channel], other.gain, other.channel};
      gains_.push_back(gain);
      auto at = gains_.end() - 1;
      for (; at != gains_.begin() && std::prev(at)->place > gain.place; --at) *at = *std::prev(at);
      *at = gain;
    }
    std::int64_t so_far = 0, most = 0, now = 0;
    std::uint32_t behind = kNone;  // it comes behind that one
    for (const Gain& gain : gains_) {
      so_far += gain.gain;
      if (gain.place < place_[c]) now = so_far;
      if (so_far <= most) continue;
      most = so_far;
      behind = gain.channel;
    }
    if (most <= now) return;
    unlink(c);
    link(c, behind);
    const std::uint32_t next = after_[c];
    if (next == kNone) {
      place_[c] = place_[behind] + kApart;
    } else if (behind == kNone) {
      place_[c] = place_[next] - kApart;
    } else {
      place_[c] = place_[behind] + (place_[next] - place_[behind]) / 2;
      if (place_[c] == place_[behind]) space_out();
    }
  }

  void link(std::uint32_t c, std::uint32_t behind) {
    std::uint32_t& next = behind == kNone ? head_ : after_[behind];
    before_[c] = behind;
    after_[c] = next;
    if (next != kNone) before_[next] = c;
    next = c;
  }
  void unlink(std::uint32_t c) {
    (before_[c] == kNone ? head_ : after_[before_[c]]) = after_[c];
    if (after_[c] != kNone) before_[after_[c]] = before_[c];
  }
  void space_out() {
    std::uint64_t place = kFront;
    for (std::uint32_t c = head_; c != kNone; c = after_[c]) place_[c] = place += kApart;
  }

  FlatLists<Other> others_;                    // per channel
  std::vector<std::uint64_t> place_;           // per channel; those that come later have higher ones
  std::vector<std::uint32_t> before_, after_;  // per channel with steps: its neighbors in the order
  std::uint32_t head_ = kNone;                 // the first in the order
  std::vector<Gain> gains_;                    // by place; scratch
};

}  // namespace

std::vector<std::uint32_t> rank_channels(std::size_t num_channels, std::span<const WeightedStep> steps) {
  Ranking ranking(num_channels, steps);
  for (int round = 0; round < kRounds; ++round) ranking.move_each();
  return ranking.numbers();
}

}  // namespace espalier
