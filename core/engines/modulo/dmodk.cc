// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/dmodk.h"

#include <fmt/format.h>

#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/perfect_pgft.h"
#include "core/engines/up_down_engine.h"

namespace espalier {

Result<Routing> Dmodk::route(const FatTree& tree) const {
  const RoutingProblem problem(tree, options_.jobs);
  if (const Status perfect = check_perfect_pgft(problem); !perfect)
    return fail(fmt::format("dmodk is defined only for perfect PGFTs: {}", perfect.error().message),
                "use dmodc, which takes the same routes where it can and routes every fabric");
  return route_on_levels(problem, closed_form, options_);
}

}  // namespace espalier
