// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The records of a campaign as a table for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace espalier::tools {

// A line for each (fabric, damage, engine, in OpenSM or not) in the order of the records, and for each of the patterns,
// orders of hosts, LID offsets and node types where the records have several: in how many of the draws the
// tables are sound, for hosts alone and for all traffic, and medians over the draws of the worst shift, of random
// permutations and of milliseconds; "-" for what was not measured. What failed is named with its reason.
[[nodiscard]] std::string record_table(const std::vector<nlohmann::ordered_json>& records);

}  // namespace espalier::tools
