// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows from a file (core/io/lists/flow_file.h). A file with bad lines is refused, after a warning for each of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"
#include "core/io/lists/flow_file.h"

namespace espalier::tools {

// For engines and models, which know these flows.
[[nodiscard]] std::vector<KnownFlow> load_known_flows(const Fabric& fabric, const std::string& path);

// By ranks among `hosts`. A flow of an end port that is not one of them is a bad line as well, and what `check` says of
// weights.
[[nodiscard]] std::vector<Flow> flows_in_file(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                              const std::string& path, FlowRules rules = FlowRules::kMatrix,
                                              const std::function<Status(double)>& check = {});

}  // namespace espalier::tools
