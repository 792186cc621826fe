// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is simulated besides fabric, traffic and policy. Times are cycles: a phit takes one on the fastest links.
// Buffers are phits.
#pragma once

#include <cstdint>

namespace espalier::packets {

// Virtual cut-through moves on when the buffer behind has room for the whole packet, wormhole for one flit; a packet
// under wormhole may lie in several routers and keeps its virtual channels until its tail has passed.
enum class Switching : std::uint8_t { kVirtualCutThrough, kWormhole };

// How many packets of one input port may cross the router at one time.
enum class CrossbarInputs : std::uint8_t { kOneForPort, kOneForVc };

// When a router learns of room behind an output: when all of a unit (a packet, or a flit under wormhole) has left the
// buffer there, or phit by phit. Counted in phits, a buffer may also hold a part of a packet more than whole ones.
enum class Credits : std::uint8_t { kByUnit, kByPhit };

// In which order waiting packets of a router are offered the outputs: from a random one on, from the next one on in
// each cycle, or from the one that has waited longest.
enum class Allocator : std::uint8_t { kRandom, kRoundRobin, kOldestFirst };

// Whose occupancy adaptive policies compare: that of the one virtual channel, or of all of the port.
enum class Occupancy : std::uint8_t { kVc, kPort };

// In what queues are compared between the minimal path and Valiant's: in phits, or in percent of their capacity. Where
// buffers of global links are larger than those of local ones, phits make global links look full that are not.
enum class QueueMeasure : std::uint8_t { kPhits, kFill };

// When a packet looks for another output than the minimal one: while that cannot take it, be it busy or full behind, or
// only while it is full behind.
enum class Diverts : std::uint8_t { kWhenBusy, kWhenFull };

// What queues are multiplied by where paths are compared: all hops of the path, or its global hops, 1 and 2 (Faizian
// 2018, 2.1.2 has both).
enum class PathWeight : std::uint8_t { kHops, kGlobalHops };

// Through which links packets leave the minimal path in the source group (Garcia et al.: Global misrouting policies in
// two-level hierarchical networks, INA-OCMC 2013): the current router's own global links, those of a neighbor, both, or
// mixed: the current router's at injection, a neighbor's after the first hop.
enum class GlobalMisroute : std::uint8_t { kCurrent, kNeighbor, kBoth, kMixed };

// What Valiant's routing goes by way of: a random group, or a random router (Faizian 2018, 2.1.2). By router, a packet
// within a group goes by way of a router of that group.
enum class ValiantLevel : std::uint8_t { kGroup, kRouter };

struct Parameters {
  Switching switching = Switching::kVirtualCutThrough;
  std::uint32_t packet_phits = 8;
  std::uint32_t flit_phits = 10;  // of wormhole; divides packet_phits
  // ---- links and buffers ----
  std::uint32_t local_latency = 10;
  std::uint32_t global_latency = 100;
  std::uint32_t pipeline = 0;  // cycles that a packet's head spends in each router behind the first
  std::uint32_t local_buffer = 32;
  std::uint32_t global_buffer = 256;
  std::uint32_t injection_buffer = 32;
  std::uint32_t injection_vcs = 3;
  // ---- router ----
  std::uint32_t speedup = 1;        // of the crossbar against links
  std::uint32_t output_buffer = 0;  // phits that may wait for a link behind the crossbar; of use with a speedup
  Credits credits = Credits::kByUnit;
  CrossbarInputs crossbar = CrossbarInputs::kOneForVc;
  Allocator allocator = Allocator::kRandom;
  bool transit_first = false;  // packets that start here wait for those that come from other routers
  // ---- policies ----
  double threshold = 0.45;  // misroute to a queue with less than this share of the minimal queue's fill
  Occupancy occupancy = Occupancy::kVc;
  Diverts diverts = Diverts::kWhenBusy;
  GlobalMisroute global_misroute = GlobalMisroute::kMixed;
  bool spread_vcs = false;  // last local hops on the emptiest virtual channel that the mechanism's order allows
  ValiantLevel valiant = ValiantLevel::kGroup;
  QueueMeasure measure = QueueMeasure::kFill;
  PathWeight weight = PathWeight::kGlobalHops;
  double ugal_offset = 0;               // T in favor of minimal paths, in QueueMeasure
  std::uint32_t piggyback_period = 10;  // cycles between two broadcasts of a router's flags
  double piggyback_offset = 5;          // T, in QueueMeasure
  double tpr_limit = 0.3;               // `thr` of TPR, in phits for each cycle; not published
  double tpr_most_offset = 16;          // packets by which TPR favors minimal paths between groups, at most
  double table_bias = -1;  // of `adaptive`: share of a queue that the table's port may be fuller; below 0: none
  std::uint32_t contention_limit = 3;  // packets that want an output before others avoid it

  // What moves at one time: a packet, or a flit of wormhole.
  [[nodiscard]] std::uint32_t unit_phits() const {
    return switching == Switching::kWormhole ? flit_phits : packet_phits;
  }
  // Credits that a unit takes, and phits of a credit.
  [[nodiscard]] std::uint32_t credits_of_unit() const { return credits == Credits::kByPhit ? unit_phits() : 1; }
  [[nodiscard]] std::uint32_t credit_phits() const { return unit_phits() / credits_of_unit(); }
  [[nodiscard]] std::uint32_t units_of_packet() const { return packet_phits / unit_phits(); }
};

}  // namespace espalier::packets
