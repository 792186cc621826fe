// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How many pairs of a host and a LID of another one have their flows on each channel, times the channel's weight: the load of
// an all-to-all, and by linearity of the expectation what random permutations put there in the mean.
//
// The potential is the sum over channels of their pairs to the fourth power: it falls most where a flow leaves the channels
// that most pairs use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/id.h"
#include "core/engines/balanced/loads/flow_weights.h"
#include "core/engines/balanced/loads/phases.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class PairLoads {
 public:
  // None yet. REQUIRES: the arguments outlive this.
  PairLoads(std::size_t num_switches, const TreeChannels& channels, const FlowWeights& weights, const Phases& phases);

  // Looks where the flows of all hosts to the end of this column go, for the two below.
  void follow(std::span<const std::uint8_t> column);
  // Switches to which flows come, each before those that it sends to, and of how many hosts.
  [[nodiscard]] const std::vector<SwitchId>& reached() const { return reached_; }
  [[nodiscard]] std::uint32_t hosts(SwitchId s) const { return hosts_[s]; }

  // Follows the column and adds its pairs.
  void add(std::span<const std::uint8_t> column);
  // By how much the potential falls when flows of so many hosts leave these channels for those.
  [[nodiscard]] double fall(std::uint32_t hosts, std::span<const TreeChannelId> left,
                            std::span<const TreeChannelId> taken) const;
  // They do.
  void move(std::uint32_t hosts, std::span<const TreeChannelId> left, std::span<const TreeChannelId> taken);

 private:
  const TreeChannels& channels_;
  const FlowWeights& weights_;
  const Phases& phases_;
  IdVector<TreeChannelId, double> pairs_;
  IdVector<SwitchId, std::uint32_t> hosts_;
  std::vector<SwitchId> reached_;
};

}  // namespace espalier
