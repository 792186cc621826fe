// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The maximum load under random permutations, measured on a sample of them (Monte Carlo). The Poisson estimate of
// load_summary.h takes the channels for independent, which they are not where a few hosts share each of them: on trees
// of some ten hosts it prefers tables that are worse. It decides between tables that were both searched; passes of a
// search change little at a time, less than a sample tells apart, and go by the estimate.
//
// The permutations are the same for all tables (common random numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/flow_weights.h"
#include "core/engines/balanced/loads/phases.h"

namespace espalier {

class PermutationSample {
 public:
  // REQUIRES: the arguments outlive this.
  PermutationSample(const TreeChannels& channels, const FlowWeights& weights, const Phases& phases);

  [[nodiscard]] static std::size_t num_permutations(std::size_t hosts);

  // The median over the sample of the most flows on a channel, interpolated between whole numbers: 3.4 where just under
  // half of the permutations have at most 3. In flows of a host's full rate.
  [[nodiscard]] double median(const HostColumns& columns) const;
  // The mean of the same: of few permutations it tells two sets of columns apart where the median goes by chance.
  [[nodiscard]] double mean(const HostColumns& columns) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> maxima(const HostColumns& columns) const;

  const TreeChannels& channels_;
  const FlowWeights& weights_;
  const Phases& phases_;
  std::size_t num_permutations_;
  std::vector<std::uint32_t> senders_;  // [destination][permutation]: index into the sources
};

}  // namespace espalier
