// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The load that known flows put on every channel, and its price: one more player's cost in the congestion game of
// shift_loads.h, for traffic that an administrator has measured or that a job announces (core/fabric/known_flows.h). All
// flows count as going on at one time, each with its weight.
//
// Weights are kept as integers, 2^20 for the heaviest flow, so that what is taken out leaves exactly what was there before.
// On a link that carries less than a host's link a flow counts more (fabric/capacities.h).
//
// The price of a channel is its load to the fifth power, as under a shift, that of the fullest channel being the highest
// price. Other than there a flow is no small part of a channel's load, so it pays for the load that it makes.
//
// In a sum of prices, all known flows together weigh as much as all flows of the counted shifts together, times the ratio
// of the weights of the two in the objective.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/objective.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/known_flows.h"
#include "core/tree/order/host_runs.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class FlowLoads {
 public:
  // All flows of the hosts of a switch to one host.
  struct Sender {
    std::uint32_t source = 0;  // index into the sources
    std::uint64_t units = 0;
  };

  // REQUIRES: `channels` outlives this. Flows of end ports that are not in problem.order are left out, and so are all
  // where the objective has no weight for them.
  FlowLoads(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
            std::span<const KnownFlow> flows, const Objective& objective);

  [[nodiscard]] bool empty() const { return senders_.empty(); }
  // Who sends to the host-th host: by source.
  [[nodiscard]] std::span<const Sender> to(std::uint32_t host) const {
    if (empty()) return {};
    return {senders_.data() + first_[host], first_[host + 1] - first_[host]};
  }

  // What one unit on a channel counts for, where links differ: `weight` of `one`, which is that of a host's link.
  void set_weight(TreeChannelId c, std::uint32_t weight, std::uint32_t one);

  // The flow's path by this column, to switch t.
  void add(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column);
  void remove(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column);

  // What one unit of a flow that is counted pays on its path.
  [[nodiscard]] double path_price(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column) const;

  // The most on a channel, in flows of the heaviest weight.
  [[nodiscard]] double most() const;

  // Makes the present maximum the reference of all prices, and all flows together weigh as much as `phase_flows` flows
  // under a shift.
  void set_prices(double highest_price, double phase_flows);
  // Of channel c for this many units more.
  [[nodiscard]] double price(TreeChannelId c, std::uint64_t units) const;
  // How many flows under a shift one unit counts for; as of the last set_prices().
  [[nodiscard]] double flows_per_unit() const { return flows_per_unit_; }
  // Of a unit's whole path, in the mean over all; as of the last set_prices(). That of the flow itself is part of it.
  [[nodiscard]] double mean_path_price() const { return mean_path_price_; }

 private:
  template <class Visit>
  void visit(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column, Visit visit) const;

  const TreeChannels& channels_;
  std::vector<HostRun> sources_;
  std::vector<Sender> senders_;       // by host
  std::vector<std::uint32_t> first_;  // per host, into senders_
  std::uint64_t all_units_ = 0;
  IdVector<TreeChannelId, std::uint64_t> load_;
  IdVector<TreeChannelId, double> weight_;
  double most_ = 1;
  double highest_price_ = 0;
  double flows_per_unit_ = 0;
  double mean_path_price_ = 0;
};

}  // namespace espalier
