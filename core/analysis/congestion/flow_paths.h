// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a single flow puts on each channel, when it may be split over several LIDs; and the sums of 2.3.1 over flows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/routes/host_routes.h"

namespace espalier {

// Walks flows, one after the other; scratch space of one thread.
class FlowPaths {
 public:
  explicit FlowPaths(const HostRoutes& routes) : routes_(&routes), shares_(routes.num_channels()) {}

  // visit(ChannelId, shares) once for each channel that carries shares of the flow. Returns how many shares arrive; the
  // others load nothing.
  template <class Visit>
  std::uint32_t visit(std::size_t source, std::size_t to, Visit&& visit) {
    channels_.clear();
    std::uint32_t arrived = 0;
    for (const OffsetShare share : routes_->offset_shares(source, to)) {
      const std::size_t before = channels_.size();
      const auto note = [&](ChannelId c) { channels_.push_back(c); };
      if (!routes_->follow(routes_->leaf(source), to, share.offset, note)) {
        channels_.resize(before);
        continue;
      }
      arrived += share.shares;
      for (std::size_t i = before; i < channels_.size(); ++i) shares_[index(channels_[i])] += share.shares;
    }
    for (const ChannelId c : channels_)
      if (const std::uint32_t shares = std::exchange(shares_[index(c)], 0U); shares > 0) visit(c, shares);
    return arrived;
  }

 private:
  const HostRoutes* routes_;
  std::vector<std::uint32_t> shares_;  // all 0 between calls
  std::vector<ChannelId> channels_;
};

// src_p or dst_p of Gliksberg 2022, 2.3.1, for split flows: per channel the sum over all hosts of the largest part of a
// flow of the host's that crosses the channel, in shares. A host can put no more than that on the channel, however it
// divides its rate among its flows. With whole flows it is the number of hosts.
class PeakSum {
 public:
  explicit PeakSum(std::size_t num_channels) : sum_(num_channels), peak_(num_channels), host_(num_channels) {}

  // REQUIRES: all calls for one host follow one another; host is not 0xFFFFFFFF; `weight` is the same for all of them.
  // `weight` hosts behave as this one does.
  void add(std::uint32_t host, ChannelId channel, std::uint32_t shares, std::uint32_t weight = 1) {
    const std::size_t c = index(channel);
    const std::uint32_t so_far = host_[c] == host + 1 ? peak_[c] : 0;
    if (shares <= so_far) return;
    sum_[c] += (shares - so_far) * weight;
    peak_[c] = shares;
    host_[c] = host + 1;
  }

  [[nodiscard]] std::uint32_t at(std::size_t channel) const { return sum_[channel]; }
  // REQUIRES: no host was added to both.
  void join(const PeakSum& other) {
    for (std::size_t c = 0; c < sum_.size(); ++c) sum_[c] += other.sum_[c];
  }

 private:
  std::vector<std::uint32_t> sum_;
  std::vector<std::uint32_t> peak_;  // of the host that was added last
  std::vector<std::uint32_t> host_;  // the host that was added last, + 1
};

}  // namespace espalier
