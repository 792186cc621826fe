// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate --packets`: queues, credits and virtual channels, cycle by cycle (core/packets).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/packets/network.h"
#include "core/packets/parameters.h"
#include "core/packets/policies/policies.h"
#include "core/packets/run.h"
#include "core/packets/traffic_classes.h"
#include "core/simulation/transfer.h"
#include "core/tools/cli_fwd.h"
#include "core/tools/inputs/source.h"

namespace espalier::tools {

struct PacketOptions {
  bool packets = false;
  bool classify = false;  // only say what the traffic is
  std::string policy;
  std::string lanes;         // a file; empty: one lane
  std::string next_tables;   // a file; empty: none
  std::string paths;         // likewise
  std::string record_paths;  // likewise
  std::optional<std::uint32_t> change_at;
  std::uint32_t change_over = 0;
  std::uint32_t phit_bytes = 64;
  std::string traffic = "un";
  std::string preset = "garcia";
  packets::Parameters parameters;  // those given; the others are the preset's
  std::optional<std::uint32_t> packet_phits;
  std::optional<std::uint32_t> flit_phits;
  std::optional<std::uint32_t> cycles;
  std::optional<std::uint32_t> warmup;
  std::uint32_t runs = 1;
  double switch_rate = 1;             // of port 0 of switches, as a share of a link's
  std::optional<double> switch_load;  // what switches offer, in phits for each cycle; none: --load times switch_rate

  // An option that sets one of the parameters.
  struct Given {
    CLI::Option* option;
    std::function<void(packets::Parameters& to, const packets::Parameters& from)> copy;
    std::optional<packets::PolicyOption> of_policies = {};  // only some policies go by it
  };
  std::vector<Given> given;
};

void add_packet_options(CLI::App& command, PacketOptions& options);
// Throws Refused when the policy does not go by one of the parameters given, or nothing is simulated.
void refuse_idle_parameters(const CLI::App& command, const PacketOptions& options);

// What the packets' command shares with that of flows.
struct PacketRun {
  std::string load;  // phits for each node and cycle; with phases: `phases` or `streams`, message by message
  std::uint64_t seed = 1;
  double bytes = 0;  // of a transfer
  bool json = false;
  packets::Members members = packets::Members::kHosts;
  std::string lids = "0";  // which LIDs a load without end uses, as for espalier analyze
};

// What TPR would make of these flows.
void print_classes(const Fabric& fabric, const packets::Network& network, const packets::Dragonfly& dragonfly,
                   const std::vector<packets::FlowLoad>& flows, const PacketRun& run);
// Prints one result, or throws Refused.
void simulate_packets(const Source& source, const PacketOptions& options, const PacketRun& run);
// The same for transfers in phases. `name` is what the result calls them.
void simulate_packets(const FabricAndTables& loaded, const PacketOptions& options, const PacketRun& run,
                      const std::string& name, const std::vector<std::vector<Transfer>>& phases);

}  // namespace espalier::tools
