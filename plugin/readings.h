// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a snapshot takes from OpenSM's objects, in flat arrays in OpenSM's order: the part that waits for memory, since
// these objects are large and lie apart (1.7 KB for each port). Two sweeps' readings compare in a moment, which tells a
// lost link from everything else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"
#include "plugin/subnet/live_ports.h"

namespace espalier {

struct Readings {
  // A port of a switch, or one that is in `ends`.
  struct Port {
    const osm_physp_t* at_remote = nullptr;   // may be gone
    std::uint32_t remote = LivePorts::kNone;  // its number, if it is not
    LinkRate rate;
    std::uint8_t port_num = 0;
    bool may_carry = false;  // valid, healthy, not down
    bool operator==(const Port&) const = default;
  };
  // What a port of a switch can do with virtual lanes, as PortInfo has it.
  struct PortLanes {
    std::uint8_t vl_cap = 0, op_vls = 0;             // codes
    std::uint8_t low_entries = 0, high_entries = 0;  // of VL arbitration
  };
  // An osm_port_t: a port of an adapter or router, or port 0 of a switch.
  struct End {
    Guid node_guid = kNoGuid, port_guid = kNoGuid;
    const osm_physp_t* at = nullptr;          // null: it has no port
    std::uint32_t number = LivePorts::kNone;  // of its port
    Lid lid = kNoLid;
    std::uint8_t lmc = 0;
    std::uint8_t port = 0;
    std::uint8_t node_type = 0;
    std::uint32_t description = 0;  // where it begins in `text`, which has a 0 behind each
    bool operator==(const End&) const = default;
  };
  struct Switch {
    Guid guid = kNoGuid;
    std::uint32_t first = LivePorts::kNone;  // number of its port 0
    std::uint32_t table_size = 0;            // ports from there on
    std::uint32_t description = 0;
    std::uint16_t lft_capacity = 0;
    std::uint8_t num_ports = 0;  // without port 0
    Port0Kind port0 = Port0Kind::kBase;
    bool operator==(const Switch&) const = default;
  };

  LivePorts live;
  LargeVector<End> ends;
  std::vector<Switch> switches;
  std::basic_string<char, std::char_traits<char>, LargeAllocator<char>> text;
  LargeVector<Port> ports;       // by number
  LargeVector<PortLanes> lanes;  // by number; of ports of switches
};

// The LIDs of ports.
enum class LidsRead : std::uint8_t {
  kConfirmed,  // that they have answered to have
  kAssigned,   // that they will answer to have, unless something goes wrong
  kForeseen,   // that they will be assigned; a guess
};

// In less time with the readings of the sweep before. REQUIRES: OpenSM's lock is held.
[[nodiscard]] Readings read_subnet(const osm_opensm_t& osm, const Readings* before = nullptr,
                                   LidsRead lids = LidsRead::kConfirmed);

}  // namespace espalier
