// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes and the trees of multicast, which must not close a credit loop with unicast traffic.
#pragma once

#include <memory>

#include "plugin/lanes/link_lanes.h"
#include "plugin/repair/repair_or_route.h"
#include "plugin/run.h"

namespace espalier {

// Those of the tables that are in use from now on.
void adopt_lanes(osm_opensm& osm, const RoutingTask& task, const std::shared_ptr<const SoundRouting>& sound,
                 const LinkFigures& links, PluginState& state);

}  // namespace espalier
