// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate --packets`: queues, credits and virtual channels, cycle by cycle (core/packets).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "core/packets/parameters.h"
#include "core/packets/run.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {

struct PacketOptions {
  bool packets = false;
  std::string policy;
  std::string lanes;  // a file; empty: one lane
  std::string traffic = "un";
  packets::Parameters parameters;
  std::optional<std::uint32_t> packet_phits;
  packets::RunLength length;
  std::optional<std::uint32_t> warmup;
  std::uint32_t runs = 1;
};

void add_packet_options(CLI::App& command, PacketOptions& options);

// Prints one result, or throws Refused. `load` is that of the command line: phits for each node and cycle.
void simulate_packets(const Source& source, const PacketOptions& options, const std::string& load, std::uint64_t seed,
                      bool json);

}  // namespace espalier::tools
