// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// References by the name of the engine, with the lanes that it needs.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/engines/engines.h"
#include "core/repair/reference/reference.h"
#include "core/tree/rank.h"

namespace espalier::test {

[[nodiscard]] inline Reference reference_by(const Fabric& fabric, std::string_view engine) {
  const FatTree tree = rank(fabric).value();
  EngineOptions options;
  options.balance_ms = 20;
  Routing routing = make_engine(engine, options)->route(tree).value();
  return make_reference(std::string(engine), tree, std::move(routing.tables), {}, std::move(routing.lanes));
}

// On so many lanes at most, and with lanes where one would do.
[[nodiscard]] inline Reference reference_on_lanes(const Fabric& fabric, std::string_view engine, unsigned vls) {
  const FatTree tree = rank(fabric).value();
  EngineOptions options;
  options.max_vls = vls;
  Routing routing = make_engine(engine, options)->route(tree).value();
  return make_reference(std::string(engine), tree, std::move(routing.tables), {},
                        routing.lanes ? *routing.lanes : one_lane(fabric));
}

}  // namespace espalier::test
