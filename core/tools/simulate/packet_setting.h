// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What runs of `espalier simulate --packets` share: the network, what routes and how, and what is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"
#include "core/packets/dragonfly.h"
#include "core/packets/network.h"
#include "core/packets/parameters.h"
#include "core/packets/policies/policies.h"
#include "core/packets/run.h"
#include "core/packets/source_paths.h"
#include "core/packets/traffic/dragonfly_patterns.h"
#include "core/packets/traffic/offsets.h"
#include "core/packets/traffic/transfers.h"
#include "core/tools/inputs/source.h"
#include "core/tools/simulate/simulate_packets.h"

namespace espalier::tools {

struct PacketSetting {
  packets::Network network;
  Result<packets::Dragonfly> dragonfly = fail("nobody has looked for groups");
  packets::Parameters parameters;
  packets::RunLength length;
  packets::PatternSpec spec;
  std::shared_ptr<const packets::Pattern> pattern;
  double load = 0;
  double switch_load = 0;
  packets::OffsetChoice offsets;
  std::string policy;
  const ForwardingTables* tables = nullptr;
  std::optional<Lanes> lanes;
  std::vector<Lid> lids;
  std::vector<std::uint32_t> levels;
  std::optional<packets::SourcePaths> paths;
  const ForwardingTables* next_tables = nullptr;
  packets::Cycle change_at = 0;
  packets::Cycle change_over = 0;
  std::string traffic;                                       // what the result calls it
  std::vector<std::vector<packets::PacketTransfer>> phases;  // in place of a pattern, where there is none
  packets::Transfers::Order order = packets::Transfers::Order::kBarriers;

  [[nodiscard]] bool has_phases() const { return pattern == nullptr; }
  [[nodiscard]] bool is_finite() const { return spec.burst || has_phases(); }
  [[nodiscard]] packets::PolicyInputs inputs() const {
    return {.network = &network,
            .dragonfly = dragonfly ? &*dragonfly : nullptr,
            .why_no_dragonfly = dragonfly ? "" : dragonfly.error().message,
            .parameters = &parameters,
            .tables = tables,
            .lanes = lanes ? &*lanes : nullptr,
            .lids = lids,
            .levels = levels,
            .next_tables = next_tables,
            .change_at = change_at,
            .change_over = change_over,
            .paths = paths ? &*paths : nullptr};
  }
};

// Phits per node and cycle. Throws Refused: not above 0 and at most 1.
[[nodiscard]] double parse_load(const std::string& text);

// The network, what routes and how; the traffic is for others to add. Refers to `loaded`. Throws Refused where options do
// not go together.
void set_network_and_policy(PacketSetting& setting, const FabricAndTables& loaded, const PacketOptions& options,
                            packets::Members members);
// What hosts, and switches that take part, send all the time. Throws Refused. REQUIRES: set_network_and_policy() was called.
void set_pattern(PacketSetting& setting, const Fabric& fabric, const PacketOptions& options, const PacketRun& run);
// How long to warm up and to measure. REQUIRES: the traffic is set.
void set_length(PacketSetting& setting, const PacketOptions& options);

}  // namespace espalier::tools
