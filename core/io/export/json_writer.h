// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// JSON for scripts: the fabric, and the tables when there are any. One object a line, so that two texts can be compared
// line by line. GUIDs are strings, a JSON number would lose digits.
//
//   {"format": "espalier-fabric", "version": 1,
//    "switches": [{"guid": "0x...", "description": "...", "lid": 1, "lmc": 0, "ports": 36, "enhanced_port0": false,
//                  "level": 0}],                                                 level: when known
//    "end_ports": [{"port_guid": "0x...", "node_guid": "0x...", "port": 1, "kind": "ca", "description": "...",
//                   "lid": 4, "lmc": 0, "switch": "0x...", "switch_port": 7, "rate": "4xQDR"}],   null: no link
//    "links": [{"a": "0x...", "a_port": 1, "b": "0x...", "b_port": 2, "rate": "4xQDR"}],          between switches
//    "tables": [{"switch": "0x...", "ports": [null, 0, 7]}]}                     by LID from 0; null: no route
#pragma once

#include <string>

#include "core/fabric/fabric.h"
#include "core/io/export/annotations.h"

namespace espalier {

// What is not UTF-8 in a description becomes U+FFFD.
[[nodiscard]] std::string write_json(const Fabric& fabric, const Annotations& known = {});

}  // namespace espalier
