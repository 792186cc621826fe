// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Paths that flows are split over, with their weights: what `espalier throughput` finds (SDN-optimal and SDN-model of
// Faizian 2018), what packets took under UGAL (SDN-ugal), what somebody writes by hand.
//
//   0x0002c90100000011 0x0002c90100000012 0.25 0x0002c90200000001 0x0002c90200000002  # a remark
//
// Port GUIDs of source and destination, a weight above 0, and the GUIDs of the switches on the way, without that of the
// source, with that of the destination; none if both are at one switch. Several lines of a flow are several paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

struct PathShare {
  EndportId from = kNoEndport;
  EndportId to = kNoEndport;
  double weight = 1;
  std::vector<SwitchId> switches{};  // after the source's switch
};

[[nodiscard]] std::string write_path_shares(const Fabric& fabric, const std::vector<PathShare>& shares);

// Errors, with file and line: GUIDs that the fabric lacks, a weight that is not above 0, switches that are not cabled to
// the one before, a path that does not end at the destination's switch.
[[nodiscard]] Result<std::vector<PathShare>> read_path_shares(std::string_view text, const std::string& file_name,
                                                              const Fabric& fabric);

}  // namespace espalier
