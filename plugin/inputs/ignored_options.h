// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Options of opensm.conf that shape a stock engine's routes and that our engines do not look at: who sets one should be
// told so rather than wonder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct osm_opensm;

namespace espalier {

// One sentence per option that is set and has no effect, with what takes its place.
[[nodiscard]] std::vector<std::string> ignored_options(const osm_opensm& osm, std::string_view engine);

}  // namespace espalier
