// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What analyze and simulate print for people: the figures of their JSON objects under the names that advise, compare and
// the report give them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace espalier::tools {

// Of measure(), with a short legend.
[[nodiscard]] std::string analysis_text(const nlohmann::ordered_json& result);

// Of one simulation, as flows or packets.
[[nodiscard]] std::string simulation_text(const nlohmann::ordered_json& result);

}  // namespace espalier::tools
