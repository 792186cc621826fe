// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The two kinds of line that carry a net file: what they say, before anybody asks whether the whole makes sense.
//
//   Switch 36 "S-0008f10500108c9e"  # "leaf 3" base port 0 lid 142 lmc 0          a header opens a block,
//   [1]    "S-0008f1050010852c"[36]      # "spine 1" lid 53 4xQDR                 port lines follow
//   [2]    "H-0002c903000ca5c1"[1](2c903000ca5c2)  # "node1 HCA-1" lid 135 4xQDR
//
//   Ca 1 "H-0002c903000ca5c1"       # "node1 HCA-1"
//   [1](2c903000ca5c2) "S-0008f10500108c9e"[2]  # lid 135 lmc 0 "leaf 3" lid 142 4xQDR
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier::io {

enum class NodeKind { kSwitch, kChannelAdapter, kRouter };

// The words after `#`: what the file says beyond the cabling. kNoLid and an unknown rate: it says nothing.
struct LidNote {
  Lid lid = kNoLid;
  std::uint8_t lmc = 0;
  std::uint32_t odd = 0;  // what stands there instead of a unicast LID; 0: nothing, or a good one
};

// A port of a CA that exists and has LIDs, but no link; see net_writer.h.
struct UncabledPort {
  PortNum port = kNoPort;
  Guid guid = kNoGuid;
  LidNote lid;
};

struct HeaderLine {
  NodeKind kind = NodeKind::kSwitch;
  std::uint8_t num_ports = 0;
  std::string_view id;           // as quoted
  std::string_view description;  // empty: none
  Port0Kind port0 = Port0Kind::kBase;
  LidNote lid;  // of a switch
  std::vector<UncabledPort> uncabled;
};

struct PortLine {
  PortNum port = kNoPort;
  Guid guid = kNoGuid;       // in parentheses behind the own port
  LidNote lid;               // of the own port; only on lines of CAs and routers
  std::string_view peer_id;  // empty: the port has no peer
  PortNum peer_port{1};
  Guid peer_guid = kNoGuid;
  std::string_view peer_description;
  LidNote peer_lid;
  LinkRate rate;
};

// Whether the line opens a block: its first word is Switch, Ca, Hca or Rt.
[[nodiscard]] bool is_header(std::string_view line);
// Whether the line is one of a port: "[" and a digit. ("[root@host ~]# ibnetdiscover" is not.)
[[nodiscard]] bool is_port_line(std::string_view line);

// REQUIRES: is_header(text). Errors carry neither file nor line.
[[nodiscard]] Result<HeaderLine> parse_header(std::string_view text);
// REQUIRES: is_port_line(text). `kind` is that of the block.
[[nodiscard]] Result<PortLine> parse_port_line(std::string_view text, NodeKind kind);

}  // namespace espalier::io
