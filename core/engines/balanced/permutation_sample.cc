// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/permutation_sample.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"
#include "core/engines/balanced/parameters.h"
#include "core/fabric/random_order.h"

namespace espalier {
namespace {

constexpr std::size_t kPermutationsAtOnce = 16;  // permutations of a task

}  // namespace

std::size_t PermutationSample::num_permutations(std::size_t hosts) {
  return std::clamp(kBalanced.sampled_flows / std::max<std::size_t>(hosts, 1), kBalanced.least_permutations,
                    kBalanced.most_permutations);
}

PermutationSample::PermutationSample(const TreeChannels& channels, const ShiftLoads& loads)
    : channels_(channels), loads_(loads) {
  const std::size_t hosts = loads.phases().num_hosts();
  num_permutations_ = num_permutations(hosts);
  std::vector<std::uint32_t> all(hosts);
  std::iota(all.begin(), all.end(), 0U);
  RandomOrder random(1, "permutations that balanced samples");
  senders_.reserve(num_permutations_ * hosts);
  for (std::size_t i = 0; i < num_permutations_; ++i)
    for (const std::uint32_t host : random.front(all, hosts)) senders_.push_back(loads.phases().source_of(host));
}

double PermutationSample::median(const HostColumns& columns) const {
  const std::size_t hosts = loads_.phases().num_hosts();
  std::vector<std::uint32_t> most(num_permutations_);
  parallel_blocks(num_permutations_, kPermutationsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> load(channels_.size());
    for (std::size_t i = begin; i < end; ++i) {
      std::fill(load.begin(), load.end(), 0U);
      for (std::size_t host = 0; host < hosts; ++host) {
        const auto column = columns.column(host);
        for (SwitchId s = loads_.sources()[senders_[i * hosts + host]].at; column[index(s)] != kNoHop;) {
          const TreeChannelId c = channels_.at(s, column[index(s)]);
          most[i] = std::max(most[i], load[index(c)] += loads_.weight(c));
          s = channels_.remote(c);
        }
      }
    }
  });
  std::sort(most.begin(), most.end());
  // Between the values below the middle and up to it, as if each were spread over the step up to the next one.
  const std::uint32_t value = most[most.size() / 2];
  const auto [first, last] = std::equal_range(most.begin(), most.end(), value);
  const auto below = static_cast<double>(first - most.begin());
  const double share = (static_cast<double>(most.size()) / 2 - below) / static_cast<double>(last - first);
  const double step = value - (first == most.begin() ? 0.0 : static_cast<double>(*(first - 1)));
  return (value - step * (1 - share)) / loads_.units_per_flow();
}

}  // namespace espalier
