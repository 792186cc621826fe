// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/pair_loads.h"

namespace espalier {

PairLoads::PairLoads(std::size_t num_switches, const TreeChannels& channels, const FlowWeights& weights,
                     const Phases& phases)
    : channels_(channels), weights_(weights), phases_(phases), pairs_(channels.size()), hosts_(num_switches) {}

void PairLoads::follow(std::span<const std::uint8_t> column) {
  for (const SwitchId s : reached_) hosts_[s] = 0;
  reached_.clear();
  for (const HostRun& source : phases_.sources())
    for (SwitchId s = source.at; column[index(s)] != kNoHop; s = channels_.remote(channels_.at(s, column[index(s)]))) {
      if (hosts_[s] == 0) reached_.push_back(s);
      hosts_[s] += source.last - source.first;
    }
}

void PairLoads::add(std::span<const std::uint8_t> column) {
  follow(column);
  for (const SwitchId s : reached_) {
    const TreeChannelId c = channels_.at(s, column[index(s)]);
    pairs_[c] += hosts_[s] * weights_.of[c];
  }
}

double PairLoads::fall(std::uint32_t hosts, std::span<const TreeChannelId> left,
                       std::span<const TreeChannelId> taken) const {
  const auto potential = [](double pairs) { return pairs * pairs * pairs * pairs; };
  double fall = 0;
  for (const TreeChannelId c : left) fall += potential(pairs_[c]) - potential(pairs_[c] - hosts * weights_.of[c]);
  for (const TreeChannelId c : taken) fall -= potential(pairs_[c] + hosts * weights_.of[c]) - potential(pairs_[c]);
  return fall;
}

void PairLoads::move(std::uint32_t hosts, std::span<const TreeChannelId> left, std::span<const TreeChannelId> taken) {
  for (const TreeChannelId c : left) pairs_[c] -= hosts * weights_.of[c];
  for (const TreeChannelId c : taken) pairs_[c] += hosts * weights_.of[c];
}

}  // namespace espalier
