// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Asks OpenSM for a sweep in which it routes anew.
#pragma once

extern "C" {
struct osm_opensm;
}

namespace espalier {

// The same as SIGHUP to opensm, and also where its unicast cache would keep engines from being asked. Nothing happens
// where OpenSM is not master. From any thread;
// REQUIRES: the caller does not hold OpenSM's lock.
void request_sweep(osm_opensm& osm);

}  // namespace espalier
