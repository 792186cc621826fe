// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All engines by name. engines.cc is the only file that knows them all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/engines/options.h"
#include "core/engines/routing_engine.h"

namespace espalier {

// The names, in the order of the documentation.
[[nodiscard]] std::span<const std::string_view> engine_names();

// What an engine looks at besides the tree, and what its routings may have besides tables.
struct EngineTraits {
  enum class NodeTypes : std::uint8_t { kIgnored, kForPhases, kAlways };
  NodeTypes node_types = NodeTypes::kIgnored;  // kForPhases: only if its objective has phases between types
  bool capacities = false;                     // a faster link gets more routes (fabric/capacities.h)
  bool known_flows = false;                    // EngineOptions::known_flows
  bool exchange = false;                       // EngineOptions::exchange; Routing::schedule
  bool source_offsets = false;                 // Routing::source_offsets, with some options
  bool searches = false;                       // for EngineOptions::balance_ms: others take no time to speak of
  bool lanes = false;                          // Routing::lanes, so that SL2VL tables have to be asked for
  unsigned least_vls = 1;                      // declines where links have fewer data lanes
  unsigned least_vls_with_lmc = 1;             // likewise, where hosts have several LIDs
};

// Nothing of all this when there is no engine of that name.
[[nodiscard]] EngineTraits traits_of(std::string_view name);

// Whether a search for paths on so many lanes takes longer on it than a subnet manager should wait: a fifth of a second or
// more. With few lanes it has to look for longer paths.
[[nodiscard]] bool is_large(const Fabric& fabric, unsigned max_vls);

// Whether an engine searches on such a fabric: those for dragonflies on a large one, where damage leaves no closed form.
// Where a subnet has tables, those of such engines are repaired by default.
[[nodiscard]] bool is_slow(std::string_view name, const Fabric& fabric);

// The engine for any fabric, on one virtual lane, that takes hardly any time on a large one.
inline constexpr std::string_view kQuickEngine = "updown";

// The engine that makes the first tables of a subnet where the search of engine `name` takes long, which goes on while these
// are in use; empty: its own makes them.
[[nodiscard]] std::string_view start_engine(std::string_view name, const Fabric& fabric, const EngineOptions& options);

// Null when there is no engine of that name.
[[nodiscard]] std::unique_ptr<RoutingEngine> make_engine(std::string_view name, const EngineOptions& options = {});

}  // namespace espalier
