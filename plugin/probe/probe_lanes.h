// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lanes of whatever engine OpenSM runs, asked from inside: what its path_sl says for each pair, and the SL2VL
// tables that switches have acknowledged. In the form of core/io/lanes/lanes_file.h.
#pragma once

#include <string>

extern "C" {
struct osm_opensm;
}

namespace espalier {

// Empty where everything is on one lane: OpenSM sets no SL2VL tables without qos.
[[nodiscard]] std::string lanes_text(osm_opensm& osm);

}  // namespace espalier
