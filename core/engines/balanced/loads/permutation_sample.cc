// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/permutation_sample.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"
#include "core/engines/balanced/parameters.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

constexpr std::size_t kPermutationsAtOnce = 8;

}  // namespace

std::size_t PermutationSample::num_permutations(std::size_t hosts) {
  return std::clamp(kBalanced.sampled_flows / std::max<std::size_t>(hosts, 1), kBalanced.least_permutations,
                    kBalanced.most_permutations);
}

PermutationSample::PermutationSample(const TreeChannels& channels, const FlowWeights& weights, const Phases& phases)
    : channels_(channels), weights_(weights), phases_(phases) {
  const std::size_t hosts = phases.num_hosts();
  num_permutations_ = num_permutations(hosts);
  std::vector<std::uint32_t> all(hosts);
  std::iota(all.begin(), all.end(), 0U);
  RandomOrder random(1, "permutations that balanced samples");
  senders_.resize(num_permutations_ * hosts);
  for (std::size_t i = 0; i < num_permutations_; ++i) {
    std::size_t at = i;
    for (const std::uint32_t host : random.front(all, hosts)) {
      senders_[at] = phases.source_of(host);
      at += num_permutations_;
    }
  }
}

std::vector<std::uint32_t> PermutationSample::maxima(const HostColumns& columns) const {
  const std::size_t hosts = phases_.num_hosts();
  std::vector<std::uint32_t> most(num_permutations_);
  // Some at once, so that a column is fetched once for all of them and their loads fit into the cache.
  parallel_for((num_permutations_ + kPermutationsAtOnce - 1) / kPermutationsAtOnce, [&](std::size_t block) {
    const std::size_t begin = block * kPermutationsAtOnce;
    const std::size_t end = std::min(begin + kPermutationsAtOnce, num_permutations_);
    std::vector<std::uint32_t> load((end - begin) * channels_.size());
    for (std::size_t host = 0; host < hosts; ++host) {
      const std::uint8_t* const column = columns.column(host).data();
      for (std::size_t i = begin; i < end; ++i)
        for (SwitchId s = phases_.sources()[senders_[host * num_permutations_ + i]].at; column[index(s)] != kNoHop;) {
          const TreeChannelId c = channels_.at(s, column[index(s)]);
          most[i] = std::max(most[i], load[(i - begin) * channels_.size() + index(c)] += weights_.of[c]);
          s = channels_.remote(c);
        }
    }
  });
  return most;
}

double PermutationSample::mean(const HostColumns& columns) const {
  const std::vector<std::uint32_t> most = maxima(columns);
  return std::accumulate(most.begin(), most.end(), 0.0) / static_cast<double>(most.size() * weights_.unit);
}

double PermutationSample::median(const HostColumns& columns) const {
  std::vector<std::uint32_t> most = maxima(columns);
  std::sort(most.begin(), most.end());
  // Between the values below the middle and up to it, as if each were spread over the step up to the next one.
  const std::uint32_t value = most[most.size() / 2];
  const auto [first, last] = std::equal_range(most.begin(), most.end(), value);
  const auto below = static_cast<double>(first - most.begin());
  const double share = (static_cast<double>(most.size()) / 2 - below) / static_cast<double>(last - first);
  const double step = value - (first == most.begin() ? 0.0 : static_cast<double>(*(first - 1)));
  return (value - step * (1 - share)) / weights_.unit;
}

}  // namespace espalier
