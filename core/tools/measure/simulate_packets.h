// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate --packets`: queues, credits and virtual channels, cycle by cycle (core/packets).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/packets/parameters.h"
#include "core/packets/run.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {

struct PacketOptions {
  bool packets = false;
  std::string policy;
  std::string lanes;  // a file; empty: one lane
  std::string traffic = "un";
  std::string preset = "garcia";
  packets::Parameters parameters;  // those given; the others are the preset's
  std::optional<std::uint32_t> packet_phits;
  std::optional<std::uint32_t> cycles;
  std::optional<std::uint32_t> warmup;
  std::uint32_t runs = 1;

  // An option that sets one of the parameters.
  struct Given {
    CLI::Option* option;
    std::function<void(packets::Parameters& to, const packets::Parameters& from)> copy;
  };
  std::vector<Given> given;
};

void add_packet_options(CLI::App& command, PacketOptions& options);

// Prints one result, or throws Refused. `load` is that of the command line: phits for each node and cycle.
void simulate_packets(const Source& source, const PacketOptions& options, const std::string& load, std::uint64_t seed,
                      bool json);

}  // namespace espalier::tools
