// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How good any tables could be: lower bounds of the metrics of congestion.h from cuts of the tree.
//
// Words. The pods of level l: switches up to level l that are connected among themselves; a leaf is a pod of level 0.
// U(A) = links from pod A to switches above level l. Every flow between A and the rest of the fabric crosses one of
// them, whatever the table, and whatever path up and down it takes.
//
//   shifts     Of the flows that leave (enter) A under a shift, one of U(A) channels carries at least their U(A)-th
//              part, rounded up. Of those from A to B likewise, with the channels by which A reaches B in place of
//              U(A): through a switch u above both at most min(links A-u, links u-B); and where such switches have
//              others above them, once at most all links of either side that lead to them. The bound of a shift is the
//              largest of these; the mean over shifts is bounded by the mean of the bounds.
//   random     A destination-based table gives each channel from A upward a set of destinations for each switch in A.
//              So under a random permutation loads of the U(A) channels are sums of random indicators, and the most is
//              least likely to be high where all have the same mean and each is used by as few hosts as can be: the
//              hosts of a leaf spread their flows over the w links of the leaf at least, so that a channel with mean x
//              has w x users (rounded down), each with probability 1/w, and its load is binomial. Loads are negatively
//              associated (Joag-Dev and Proschan 1983: permutation distributions), so that the least m with prod P(load
//              <= m) >= 1/2 over the channels of a level is at most the median of the maximum. Only channels upward
//              count: downward a table can fix by whom a channel is used at all. That a leaf uses all its links evenly
//              is no law: so this bound is an estimate, unlike the others.
//   all to all |A| (n - |A|) flows over U(A) channels, |A| |B| flows over the channels from A to B.
//   phases     Of the distinct sources, or destinations, of the flows that leave A, whichever are fewer, some channel
//              has the U(A)-th part: where each host sends to one, flows to one destination are as many as sources, so
//              that min(sources, destinations) of a channel is its number of destinations.
//
// With traffic spread over several LIDs of each host a flow is so many shares (HostRoutes::shares_per_flow()), each of which
// goes where its LID's table leads: shifts and all to all are bounded in shares. Nothing is said of the others then.
//
// Example: a pod of 288 hosts with 72 links up, three of them gone: the shift by 288 sends all 288 flows over 69, and
// some channel carries 5, where the whole tree has 4; in halves of flows it is 4.5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/analysis/congestion/traffic.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct Bound {
  std::uint64_t shares = 0;  // on the fullest channel, at least; of flows, where each is one
  std::string why;           // the cut that says so, for people; empty with shares 0
};

class CutBounds {
 public:
  // Ranks are positions in `hosts`. Copies what it needs.
  CutBounds(const FatTree& tree, const std::vector<EndportId>& hosts, std::uint32_t shares_per_flow = 1);

  // Of a phase in which each host sends to `destination`[rank], to itself: not at all; each receives at most once.
  [[nodiscard]] Bound permutation(std::span<const std::uint32_t> destination) const;
  // Of flows in which each host is the source of at most one, or the destination of at most one. REQUIRES: a flow is one share.
  [[nodiscard]] Bound phase(std::span<const Flow> flows) const;
  [[nodiscard]] Bound all_to_all() const;
  // Of the median over random permutations. REQUIRES: a flow is one share.
  [[nodiscard]] Bound random_permutations() const;

 private:
  struct Pod {
    std::string name;
    std::uint32_t hosts = 0;
    std::uint32_t links = 0;  // U
    std::uint32_t width = 1;  // the most links up from a switch with hosts
  };
  struct Level {
    std::vector<Pod> pods;
    std::vector<std::uint32_t> pod_of;  // per rank; kOutside: a host above the level
  };
  static constexpr std::uint32_t kOutside = 0xFFFFFFFF;

  void add_level(const FatTree& tree, const std::vector<EndportId>& hosts, std::size_t level);
  void add_uplinks(const FatTree& tree, const std::vector<std::uint32_t>& pod_of_switch);
  [[nodiscard]] std::uint64_t shares(std::uint64_t flows) const { return flows * shares_per_flow_; }
  [[nodiscard]] bool connected(std::uint32_t a, std::uint32_t b) const { return part_[a] == part_[b]; }

  std::uint32_t shares_per_flow_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> part_;   // connected component per rank; kOutside: on no switch
  std::vector<std::uint32_t> paths_;  // channels from pod to pod of the highest level, [from][to]
};

// Of all shifts of the pattern: the largest bound, and the mean in shares. REQUIRES: pattern.kind is kShifts.
struct ShiftBound {
  Bound worst;
  double mean = 0;
};
[[nodiscard]] ShiftBound shift_bound(const CutBounds& bounds, std::size_t num_hosts, const TrafficPattern& pattern);

}  // namespace espalier
