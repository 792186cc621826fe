// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/dmodc.h"

#include "core/engines/modulo/closed_form.h"

namespace espalier {

Result<Routing> Dmodc::route(const FatTree& tree) const {
  return route_on_levels(RoutingProblem(tree, options_.jobs), closed_form, options_);
}

}  // namespace espalier
