// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Service levels that multicast groups have because their partition asks for one (partitions.conf: sl=N).
// Trees are proven beside unicast for SL 0 alone (shared_trunks.h), and on another SL of unicast they can close a credit
// loop. So unicast leaves these SLs: what it sent there it sends on an SL that nobody uses, on the same lanes as before, and
// groups find the lanes of SL 0. Groups that hosts create do not count: no host shall move the traffic of all others.
#pragma once

#include <cstdint>
#include <optional>

#include "core/fabric/lanes.h"

namespace espalier {

struct LevelsOfGroups {
  std::optional<Lanes> lanes;  // to be used in place of the given ones; nothing: they stay
  std::uint32_t left = 0;      // SLs that unicast has left to groups
  std::uint32_t not_left = 0;  // SLs that it keeps, since all are in use: groups on them are not proven sound
};
// `groups`, bit q: a group has SL q.
[[nodiscard]] LevelsOfGroups leave_to_groups(const Lanes& lanes, std::uint32_t groups);

}  // namespace espalier
