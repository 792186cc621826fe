// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The identifiers of InfiniBand (Guid, Lid, PortNum) and our dense ids for what a Fabric holds.
#pragma once

#include <cstdint>

#include "core/base/id.h"

namespace espalier {

enum class Guid : std::uint64_t {};    // EUI-64 of a node or port, host byte order; 0 = none
enum class Lid : std::uint16_t {};     // local identifier; unicast is 1 .. 0xBFFF, 0 = none
enum class PortNum : std::uint8_t {};  // 0 = a switch's own management port, 1 .. 254 = external ports

inline constexpr Guid kNoGuid{0};
inline constexpr Lid kNoLid{0};
inline constexpr Lid kMaxUnicastLid{0xBFFF};
inline constexpr PortNum kManagementPort{0};
inline constexpr PortNum kNoPort{0xFF};  // in a table: no route (OpenSM's OSM_NO_PATH)
inline constexpr std::uint8_t kMaxLmc = 7;

// Of a directed route, and OpenSM's limit for paths. Packets that go by LID have none within a subnet: one that has come
// so far is taken to be in a forwarding loop.
inline constexpr std::size_t kMostHops = 64;

// The LIDs of a port: 2^lmc from its base LID on; none where that is kNoLid.
[[nodiscard]] constexpr IdRange<Lid> lids_of(Lid base, std::uint8_t lmc) {
  return {base, base == kNoLid ? 0 : std::size_t{1} << lmc};
}
[[nodiscard]] constexpr Lid lid_at_offset(Lid base, std::size_t offset) { return id_at<Lid>(index(base) + offset); }

enum class SwitchId : std::uint32_t {};   // 0 .. Fabric::num_switches()-1, ascending by GUID
enum class EndportId : std::uint32_t {};  // 0 .. Fabric::num_endports()-1, ascending by (node GUID, port)
enum class ChannelId : std::uint32_t {};  // the outgoing direction of one switch port, see Fabric::channel()

inline constexpr SwitchId kNoSwitch{0xFFFFFFFF};
inline constexpr EndportId kNoEndport{0xFFFFFFFF};
inline constexpr ChannelId kNoChannel{0xFFFFFFFF};

}  // namespace espalier
