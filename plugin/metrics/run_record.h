// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is told of one routing run, to programs: a line of performance_log, and metrics_file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/laps.h"

namespace espalier {

struct RunRecord {
  std::chrono::system_clock::time_point when;
  std::string engine;
  // repaired: from a reference; started: a slow engine's first tables; routed: all by the engine; declined: nothing.
  enum class How : std::uint8_t { kRouted, kStarted, kRepaired, kDeclined } how = How::kDeclined;
  std::string why_declined;
  std::string config_error;  // of espalier.conf as it was then; empty: none

  std::size_t switches = 0, endports = 0, lids = 0, irregularities = 0;
  Laps laps;
  double under_lock_ms = 0;                               // the whole callback
  std::uint64_t changed_entries = 0, changed_blocks = 0;  // of what the switches have
  std::uint64_t blocks_left = 0;                          // for later sweeps, by max_blocks_per_sweep
  std::uint64_t reference_entries = 0;                    // that differ from the reference
  std::uint64_t repaired_routes = 0;
  std::optional<double> reference_age_s;    // since it was made or read; none: there was none
  std::uint64_t rebalances = 0;             // new references so far, found by searches
  std::vector<std::string> holds;           // links that flap and are treated as absent, by name
  std::optional<std::uint32_t> worst_load;  // flows on the fullest channel, of a sample of shifts
  std::optional<double> mean_random_load;   // the same in the mean over random permutations
};

[[nodiscard]] std::string_view name(RunRecord::How how);

// One JSON object without line breaks. Keys: docs/production.md.
[[nodiscard]] std::string json_line(const RunRecord& record);

// What adds up over the runs since OpenSM has started.
struct RunTotals {
  std::uint64_t runs[4] = {};  // by How
  std::uint64_t changed_entries = 0, changed_blocks = 0, repaired_routes = 0;
  double lock_seconds = 0;
  double longest_lock_seconds = 0;
  std::uint64_t rebalances = 0;
  // Of the last run that did not decline: what it left is there still.
  std::size_t switches = 0, endports = 0, irregularities = 0;
  std::uint64_t blocks_left = 0, reference_entries = 0;

  void add(const RunRecord& record);
};

// In the text format of Prometheus, version 0.0.4.
[[nodiscard]] std::string prometheus_text(const RunTotals& totals, const RunRecord& last);

}  // namespace espalier
