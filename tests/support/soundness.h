// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is wrong with tables, as one sentence.
#pragma once

#include <string>

#include "core/analysis/soundness/verify.h"
#include "core/engines/routing_engine.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier::test {

// The first violation; empty: sound.
[[nodiscard]] inline std::string complaint(const VerifyReport& report) {
  return report.ok() ? "" : report.violations.front().text;
}

[[nodiscard]] inline std::string complaint(const Fabric& fabric, const ForwardingTables& tables) {
  return complaint(verify(fabric, tables));
}

// The same of what an engine made, which may use so many virtual lanes.
[[nodiscard]] inline std::string complaint(const Fabric& fabric, const Routing& routing, unsigned vls) {
  if (routing.lanes && routing.lanes->num_vls() > vls) return "too many lanes";
  return complaint(verify(fabric, routing.tables, routing.lanes));
}

}  // namespace espalier::test
