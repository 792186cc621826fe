// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// For each switch the sources that come up to it: its descendants with hosts, known as the down-sets of a hierarchy.
// Many switches of a tree have the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/routing_problem.h"
#include "core/tree/order/host_runs.h"

namespace espalier {

class SourcesBelow {
 public:
  // `sources` as host_runs() has them.
  SourcesBelow(const RoutingProblem& problem, std::span<const HostRun> sources);

  [[nodiscard]] std::size_t num_sets() const { return first_.size() - 1; }
  // The set of those below s or at it.
  [[nodiscard]] std::uint32_t set(SwitchId s) const { return set_[s]; }
  // Ascending indices into the sources.
  [[nodiscard]] std::span<const std::uint32_t> sources(std::uint32_t set) const {
    return {sources_.data() + first_[set], first_[set + 1] - first_[set]};
  }
  [[nodiscard]] std::uint32_t num_hosts(std::uint32_t set) const { return num_hosts_[set]; }

 private:
  IdVector<SwitchId, std::uint32_t> set_;
  std::vector<std::uint32_t> sources_;  // set by set
  std::vector<std::uint32_t> first_;    // per set
  std::vector<std::uint32_t> num_hosts_;
};

}  // namespace espalier
