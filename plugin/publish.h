// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The files that go with the tables for those who send: a schedule, and the numbers or weights by which sources
// choose paths.
#pragma once

#include <string_view>

#include "core/engines/routing_engine.h"
#include "core/fabric/fabric.h"
#include "plugin/config.h"
#include "plugin/log.h"

namespace espalier {

// Those that the configuration names. Whatever goes wrong is told in the log, and the tables are good all the same.
void publish(const Log& log, std::string_view engine_name, const PluginConfig& config, const Fabric& fabric,
             const Routing& routing);

}  // namespace espalier
