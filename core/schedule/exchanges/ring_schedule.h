// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// AllGather: every server has a block, in the end each has all of them.
//
// How. A ring along the leaves. In N - 1 rounds each server sends to the next one the block that it received in the
// round before, its own in the first. N - 1 is also the least, since a server has so many blocks to receive. A leaf
// sends and receives one flow over its uplinks, so a round is one phase over any tables that go up and down a tree,
// damaged or not; where paths share links all the same, fit_flows.h divides the round into several.
#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/schedule/check_schedule.h"
#include "core/schedule/schedule.h"

namespace espalier {

// `ring`: servers in the order in which they pass blocks on. Errors: two that the tables do not connect.
[[nodiscard]] Result<Schedule> ring_schedule(const Fabric& fabric, const ForwardingTables& tables,
                                             std::span<const EndportId> ring);

// Why a schedule is no AllGather by the rule above; empty: it is one. Knows of pairs and phases only; the links are
// check_schedule()'s, with the traffic below.
[[nodiscard]] std::string allgather_fault(const Schedule& schedule);
// From each server to the one that it sends to first: N - 1 messages.
[[nodiscard]] TrafficMatrix allgather_traffic(const Schedule& schedule);

}  // namespace espalier
