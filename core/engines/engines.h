// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All engines by name. engines.cc is the only file that knows them all.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/engines/options.h"
#include "core/engines/routing_engine.h"

namespace espalier {

// The names, in the order of the documentation.
[[nodiscard]] std::span<const std::string_view> engine_names();

// Whether its routings may have lanes, so that SL2VL tables have to be asked for.
[[nodiscard]] bool uses_lanes(std::string_view name);

// Null when there is no engine of that name.
[[nodiscard]] std::unique_ptr<RoutingEngine> make_engine(std::string_view name, const EngineOptions& options = {});

}  // namespace espalier
