// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is counted while packets move.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace espalier::packets {

// Of packets delivered since the counters were last reset.
struct Counters {
  std::uint64_t packets = 0;
  std::uint64_t phits = 0;
  std::uint64_t phits_of_switches = 0;  // of these, sent by switches themselves
  std::uint64_t latency = 0;            // cycles from birth to the arrival of the last phit, summed over packets
  std::uint64_t hops = 0;               // between routers
  std::uint64_t misrouted = 0;
  std::array<std::uint64_t, 3> units_sent = {};  // by PortClass, whosever they are

  Counters& operator+=(const Counters& other) {
    packets += other.packets;
    phits += other.phits;
    phits_of_switches += other.phits_of_switches;
    latency += other.latency;
    hops += other.hops;
    misrouted += other.misrouted;
    for (std::size_t i = 0; i < units_sent.size(); ++i) units_sent[i] += other.units_sent[i];
    return *this;
  }
  // REQUIRES: `earlier` is what these were.
  Counters& operator-=(const Counters& earlier) {
    packets -= earlier.packets;
    phits -= earlier.phits;
    phits_of_switches -= earlier.phits_of_switches;
    latency -= earlier.latency;
    hops -= earlier.hops;
    misrouted -= earlier.misrouted;
    for (std::size_t i = 0; i < units_sent.size(); ++i) units_sent[i] -= earlier.units_sent[i];
    return *this;
  }
};

// Latencies by cycle, up to a bound, for quantiles.
class LatencyHistogram {
 public:
  void add(std::uint32_t latency) {
    if (latency >= counts_.size()) {
      if (counts_.size() < kBound) counts_.resize(std::min<std::size_t>(kBound, latency + latency / 2 + 64));
      latency = std::min(latency, kBound - 1);
    }
    ++counts_[latency];
  }
  void clear() { counts_.clear(); }
  LatencyHistogram& operator+=(const LatencyHistogram& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    return *this;
  }
  // The latency that this share of the packets does not exceed; 0 without packets. `share` is 0 .. 1.
  [[nodiscard]] std::uint32_t quantile(double share) const;

 private:
  static constexpr std::uint32_t kBound = 1U << 20U;
  std::vector<std::uint64_t> counts_;
};

}  // namespace espalier::packets
