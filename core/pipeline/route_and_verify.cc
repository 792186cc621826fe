// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/pipeline/route_and_verify.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/stopwatch.h"
#include "core/base/try.h"
#include "core/engines/engines.h"

namespace espalier {

Result<Routing> route(const FatTree& tree, std::string_view engine, const EngineOptions& options) {
  const auto router = make_engine(engine, options);
  if (router == nullptr) return fail(fmt::format("there is no engine {}", engine));
  return router->route(tree);
}

Result<VerifiedRouting> route_and_verify(const FatTree& tree, std::string_view engine, const EngineOptions& options) {
  Stopwatch watch;
  ESPALIER_TRY(Routing routing, route(tree, engine, options));
  const double route_ms = watch.lap();
  VerifyReport proof = verify(tree.fabric(), routing.tables, routing.lanes);
  return VerifiedRouting{std::move(routing), std::move(proof), route_ms, watch.lap()};
}

}  // namespace espalier
