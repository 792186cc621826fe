// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// References by the name of the engine, and what every repair owes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/repair/repair.h"
#include "core/tree/rank.h"
#include "tests/support/soundness.h"

namespace espalier::test {

[[nodiscard]] inline Reference reference_by(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  EngineOptions options;
  options.balance_ms = 20;
  return make_reference(std::string(engine), tree, make_engine(engine, options)->route(tree).value().tables);
}

// Empty: sound.
[[nodiscard]] inline std::string complaint(const Fabric& fabric, const ForwardingTables& tables) {
  return complaint(verify(fabric, tables));
}

}  // namespace espalier::test
