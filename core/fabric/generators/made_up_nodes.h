// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What all generators give their nodes: GUIDs that ascend with the topology, so that the order of ids is the natural
// one, the same links everywhere, and the limits of InfiniBand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

inline constexpr LinkRate kMadeUpRate{4, LinkSpeed::kEdr};
inline constexpr unsigned kMaxSwitchPorts = 254;
inline constexpr std::uint64_t kManyNodes = std::uint64_t{1} << 32;

// The product of `factors`, at most kManyNodes; 1 of none.
[[nodiscard]] std::uint64_t count_product(std::span<const unsigned> factors);

// Switch `i` of `level` (1 = leaves): GUID 0x0002c90000000000 + level * 2^24 + i.
// REQUIRES: num_ports <= kMaxSwitchPorts.
[[nodiscard]] Switch made_up_switch(unsigned level, std::uint64_t i, std::string description, unsigned num_ports);

// Port `port` (1 .. num_ports) of "host i": node GUID 0x0002c90100000000 + i * 2^k, where 2^k >= 16 exceeds num_ports;
// the port GUID is that plus `port`.
[[nodiscard]] Endport made_up_host(std::uint64_t i, unsigned port, unsigned num_ports);

// "leaf 12" on level 1; "L2 3.1" above: second switch of the fourth pod of level 2, for pods of `pod_width` switches.
[[nodiscard]] std::string made_up_name(unsigned level, std::uint64_t i, std::uint64_t pod_width);

// `what` is the whole topology ("PGFT(2;3,2;1,1;1,1)"), `node` names the kind of node ("a leaf").
// Errors: more ports than kMaxSwitchPorts.
[[nodiscard]] Status check_ports(std::string_view what, std::string_view node, std::uint64_t ports);

// Errors: more than the unicast LIDs of a subnet.
[[nodiscard]] Status check_lids(std::string_view what, std::uint64_t lids);

}  // namespace espalier
