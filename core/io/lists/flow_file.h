// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Files of known flows: `source destination [weight]` in each line, `#` begins a remark. Ends are GUIDs, LIDs,
// descriptions or host names (host_names.h), those with blanks in double quotes; the weight is 1 if it is left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"

namespace espalier {

struct FlowFile {
  std::vector<KnownFlow> flows;   // of the good lines, in their order
  std::vector<Error> complaints;  // about the others, line by line, the first kMostComplaints
  std::uint64_t num_complaints = 0;

  static constexpr std::size_t kMostComplaints = 100;
  static constexpr std::size_t kMostFlows = 1'000'000;
  [[nodiscard]] bool ok() const { return num_complaints == 0; }
};

// Complaints: lines of another form; a weight that is not above 0 or not finite; names that nobody has, or that fit
// several end ports; a flow to itself; a flow that an earlier line has; more than kMostFlows flows (said once).
[[nodiscard]] FlowFile read_flow_file(std::string_view text, const std::string& file_name, const Fabric& fabric);

}  // namespace espalier
