// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Alternative ports (core/fabric/alternative_ports.h) as text, beside the tables that they belong to: what a site needs to
// fill the groups of switches with adaptive routing.
//
//   switch 0x0002c90001000000     the lines below are about this switch
//   ports 5 6 7: 1-4 12           packets for LIDs 1 to 4 and 12 may leave by port 5, 6 or 7
//   ports 1: 8                    one port is no choice
//
// '#' starts a comment. LIDs that are not named have no ports.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/alternative_ports.h"
#include "core/fabric/fabric.h"

namespace espalier {

// LIDs that nobody owns are left out.
[[nodiscard]] std::string write_alternatives(const Fabric& fabric, const AlternativePorts& alternatives);

// Of the switches and LIDs of `fabric`; switches that it lacks are skipped, and LIDs above its highest.
// Errors, with file and line: anything but the above; a port that the switch does not have; a LID named twice.
[[nodiscard]] Result<AlternativePorts> read_alternatives(std::string_view text, const std::string& file_name,
                                                         const Fabric& fabric);

}  // namespace espalier
