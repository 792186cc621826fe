// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Definitions of systems of several chips, as ibutils brings them along (man ibdm-ibnl-file): boards with chips on
// them, and how all of it is wired up to the plugs at the front.
//
//   SYSTEM LEAF,LEAF:4x                 a board, by several names
//   NODE SW 8 MT43132 U1                a chip of 8 ports
//     1 -> P16                          its port 1 is the board's connector P16
//     5 -10G-> U4 4                     its port 5 goes to port 4 of chip U4
//   TOPSYSTEM Gazelle
//   SUBSYSTEM LEAF leaf1                a board in the system; connectors as above
//     P1 -> L1/P1
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/net/net_line.h"

namespace espalier::io {

// One end of a wire within a board: a connector of the board itself (inst empty), or a port of something on it.
struct BoardEnd {
  std::string inst;
  std::string port;
};

struct BoardWire {
  BoardEnd from;
  BoardEnd to;
  std::string arrow;  // "->", "-4x-10G->"
};

struct BoardInst {
  std::string name;
  std::string board;  // of a board on this one; empty: it is a chip
  NodeKind kind = NodeKind::kSwitch;
  std::uint8_t num_ports = 0;
};

struct Board {
  std::vector<BoardInst> insts;
  std::vector<BoardWire> wires;
};

// All boards of a file by all their names; `top` are those of the TOPSYSTEM.
struct SystemDefinition {
  std::map<std::string, Board, std::less<>> boards;
  std::vector<std::string> top;
};

// Errors, with file and line: a line that is none of the above, something outside of a system.
[[nodiscard]] Result<SystemDefinition> read_ibnl(std::string_view text, const std::string& file_name);

// The definition whose TOPSYSTEM is called `type`, from the *.ibnl files of $IBDM_IBNL_PATH (folders, colons between
// them) or of an installed ibutils. Errors: nobody has it, and where we looked.
[[nodiscard]] Result<SystemDefinition> find_system_definition(std::string_view type);

}  // namespace espalier::io
