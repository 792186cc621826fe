// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Runs of the simulator, and what they say about the steady state.
//
// Steady state by batch means (Law: Simulation Modeling and Analysis, 9.5.3): after the warm-up the cycles are cut into
// batches; the spread of the batches' means gives the confidence interval. Whether the state is steady at all is asked
// of the latencies and of the sources: where more is offered than the network carries, the queues at the sources grow
// without end, and the latencies of the second half of the batches exceed those of the first.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/progress.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

struct RunLength {
  Cycle warmup = 5000;
  Cycle cycles = 10000;  // measured, after the warm-up; for finite traffic the most in all
  std::uint32_t batches = 20;
};

// An estimate and half the width of its 95 % confidence interval.
struct Estimate {
  double mean = 0;
  double half_width = 0;
};

struct RunResult {
  Estimate throughput;   // phits delivered for each node and cycle
  Estimate of_hosts;     // the same of what hosts send, for each host
  Estimate of_switches;  // and of what switches send themselves, for each switch; 0 where they take no part
  Estimate latency;      // cycles, from birth to the last phit's arrival, of packets delivered while measured
  Estimate hops;         // between routers
  double misrouted = 0;  // share of the packets that left their minimal path
  std::array<std::uint32_t, 3> latency_quantiles = {};  // median, 95 %, 99 %
  std::array<double, 3> utilization = {};               // mean of the links of each PortClass, 0 .. 1
  Cycle cycles = 0;                                     // in all
  Cycle measured = 0;
  std::uint64_t packet_hops = 0;  // in all
  std::uint64_t delivered = 0;    // packets, in all
  std::uint64_t undelivered = 0;  // packets that were dropped: no route
  bool deadlock = false;
  bool steady = false;    // load without end: the estimates are of a steady state
  bool finished = false;  // finite traffic: all has arrived
};

// `total` is that of the traffic: packets in all, 0: no end. `progress` advances by cycles, or by packets of a total.
[[nodiscard]] RunResult run(Simulator& simulator, const RunLength& length, std::uint64_t total,
                            Progress* progress = nullptr);

// Several runs that differ in their seed alone: means of the runs, and intervals from their spread.
// REQUIRES: at least one run.
[[nodiscard]] RunResult combine(std::span<const RunResult> runs);

// Mean and interval by Student's distribution. A single sample has no interval: 0.
[[nodiscard]] Estimate estimate(std::span<const double> samples);

}  // namespace espalier::packets
