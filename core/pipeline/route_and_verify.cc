// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/pipeline/route_and_verify.h"

#include <fmt/format.h>

#include "core/base/stopwatch.h"
#include "core/engines/engines.h"

namespace espalier {

Result<RoutedFabric> route_and_verify(const Fabric& fabric, const RoutingRequest& request) {
  const auto engine = make_engine(request.engine, request.options);
  if (engine == nullptr) return fail(fmt::format("there is no engine {}", request.engine));
  Stopwatch watch;
  StageTimes times;
  Result<FatTree> tree = rank(fabric, request.rank);
  if (!tree) return tl::unexpected(tree.error());
  times.rank = watch.lap();
  Result<Routing> routing = engine->route(*tree);
  if (!routing) return tl::unexpected(routing.error());
  times.route = watch.lap();
  std::optional<VerifyReport> proof;
  if (request.proof == Proof::kRequired) {
    proof = verify(fabric, routing->tables, routing->lanes);
    times.verify = watch.lap();
  }
  return RoutedFabric{std::move(*tree), std::move(*routing), std::move(proof), times};
}

}  // namespace espalier
