// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether a schedule does what was asked for, and shares no link.
#pragma once

#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/schedule/exchanges/routed_exchange.h"
#include "core/schedule/schedule.h"

namespace espalier::tools {

struct WantedExchange {
  bool allgather = false;
  std::string matrix;  // the file that `demand` is from; empty: all-to-all
  std::vector<Demand> demand;
};

// The messages of a matrix file among these hosts. Throws Refused for weights that are no whole numbers.
[[nodiscard]] std::vector<Demand> read_demand(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                              const std::string& path);

// Where servers are in several connected components of the fabric.
void warn_of_components(const Fabric& fabric, const Schedule& schedule);

// A line for each kind of fault; empty: there is none.
[[nodiscard]] std::string faults_of(const Fabric& fabric, const ForwardingTables& tables, const Schedule& schedule,
                                    const WantedExchange& wanted);

}  // namespace espalier::tools
