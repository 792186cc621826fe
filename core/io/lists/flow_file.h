// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Files of flows: `source destination [weight]` in each line, `#` begins a remark. Ends are GUIDs, LIDs,
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

// What else is a bad line.
enum class FlowRules : std::uint8_t {
  kKnown,   // a flow to itself, or of weight 0; a flow that an earlier line has
  kMatrix,  // nothing: it has a diagonal, and zeros; each line is a flow of its own
};

struct FlowFile {
  std::vector<KnownFlow> flows;   // of the good lines, in their order
  std::vector<int> lines;         // of these flows
  std::vector<Error> complaints;  // about the others, line by line, the first kMostComplaints
  std::uint64_t num_complaints = 0;

  static constexpr std::size_t kMostComplaints = 100;
  static constexpr std::size_t kMostFlows = 1'000'000;
  static constexpr std::size_t kLongestLine = 1024;  // a description has 64 bytes
  static constexpr double kMostWeight = 1e30;
  static constexpr double kLeastWeight = 1e-30;  // above 0

  [[nodiscard]] bool ok() const { return num_complaints == 0; }
  void complain(const std::string& file, int line, std::string message, std::string advice);
};

// Complaints, one for a line: lines of another form, or longer than kLongestLine; weights that are no numbers, or out of
// bounds; names that nobody has, or that fit several end ports; what `rules` say; more than kMostFlows flows (said once).
[[nodiscard]] FlowFile read_flow_file(std::string_view text, const std::string& file_name, const Fabric& fabric,
                                      FlowRules rules = FlowRules::kKnown);

}  // namespace espalier
