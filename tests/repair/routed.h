// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// References by the name of the engine.
#pragma once

#include <string>
#include <string_view>

#include "core/engines/engines.h"
#include "core/repair/reference.h"
#include "core/tree/rank.h"

namespace espalier::test {

[[nodiscard]] inline Reference reference_by(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  EngineOptions options;
  options.balance_ms = 20;
  return make_reference(std::string(engine), tree, make_engine(engine, options)->route(tree).value().tables);
}

}  // namespace espalier::test
