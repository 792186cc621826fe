// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The tables of an engine as the real OpenSM makes them, on ibsim, by scripts/run_opensm.sh and plugin/probe/probe.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"

namespace espalier::tools {

struct OpenSmRun {
  std::string engine_used;  // not always the one that was asked for: OpenSM goes on with minhop without a word
  // In build_lid_matrices and ucast_build_fwd_tables of engine_used, and the processor time of that.
  std::optional<double> ms;
  std::optional<double> cpu_ms;
  std::uint64_t peak_kib = 0;  // of the whole OpenSM
  ForwardingTables tables;     // what the switches hold
  std::optional<Lanes> lanes;  // of an engine with service levels
};

struct OpenSmLimits {
  std::string runner;               // the program, with the options of scripts/run_opensm.sh
  std::string folder;               // empty; net, tables, logs
  std::chrono::seconds limit{900};  // until the subnet is up
};

// Whether the first of these engines, a value of routing_engine, is the plugin's.
[[nodiscard]] bool is_first_in_plugin(std::string_view engines);

// Throws Refused, with the last line of OpenSM's log, when the subnet does not come up.
[[nodiscard]] OpenSmRun run_opensm(const Fabric& fabric, const std::string& engine, const OpenSmLimits& limits);

// The runner that belongs to this executable, in the source tree or installed. Errors: where it was looked for.
[[nodiscard]] Result<std::string> find_runner();

}  // namespace espalier::tools
