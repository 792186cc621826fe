// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes (core/fabric/lanes.h) as text, beside the tables that they belong to.
//
//   levels 2 3                   classes of sources and of destinations
//   source 1: 37-72 80           the LIDs of a source class; those of class 0 may be left out
//   destination 1: 5-8
//   destination 2: 9
//   sl 0: 0*2 1                  of source class 0: SL to each destination class, as SL or SL*count
//   sl 1: 1*3
//   map 0: 2                     a map for two classes of ports
//   vl 0 0 1: 0 1*14 15          map 0, from ports of class 0 to those of class 1: the VL for each SL; not said: VL 0
//   switch 0x0002c90001000000: 0 0*5 1*6      its map, and the class of each port from port 0 on
//
// '#' starts a comment. A switch that is not named uses map 0, all its ports have class 0. Said before used: `levels`
// first, then the others in any order, but a map before what refers to it.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

namespace espalier {

[[nodiscard]] std::string write_lanes(const Fabric& fabric, const Lanes& lanes);

// Of the switches and LIDs of `fabric`; switches that it lacks are skipped, and LIDs above its highest.
// Errors, with file and line: anything but the above; numbers out of range; a row that is missing or said twice.
[[nodiscard]] Result<Lanes> read_lanes(std::string_view text, const std::string& file_name, const Fabric& fabric);

}  // namespace espalier
