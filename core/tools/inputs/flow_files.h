// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows from a file (core/io/lists/flow_file.h). A file with bad lines is refused, after a line about each of them, which
// --quiet does not keep back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/analysis/congestion/flow_risk.h"
#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/known_flows.h"

namespace espalier::tools {

// Known flows, for engines.
[[nodiscard]] std::vector<KnownFlow> load_known_flows(const Fabric& fabric, const std::string& path);

// Of a matrix, by ranks among `hosts`. A bad line as well is a flow of an end port that is not one of them, or a weight to
// which `check` objects.
[[nodiscard]] std::vector<Flow> flows_in_file(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                              const std::string& path, const std::function<Status(double)>& check = {});

}  // namespace espalier::tools
