// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Words of .topo and .ibnl files: types of systems that are one chip, arrows and plugs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/io/net/net_line.h"

namespace espalier::io {

struct ChipType {
  NodeKind kind;
  std::uint8_t num_ports;  // 0: as many as are spoken of
};

// Nothing: it is none of ibdm's systems of one chip.
[[nodiscard]] std::optional<ChipType> find_chip_type(std::string_view type);

[[nodiscard]] bool is_arrow(std::string_view word);

// "->", "-4x->", "-10G->", "-12X-5G->". ibdm takes 4x and 2.5 G for what is not said; so do we once one of them is.
// Errors: another width, speed or unit. REQUIRES: is_arrow(word).
[[nodiscard]] Result<LinkRate> parse_arrow(std::string_view word);

// "P1", "1", "U1/P1" or "U1/1": port 1 of the chip, up to 254. Errors: anything else.
[[nodiscard]] Result<PortNum> parse_plug(std::string_view word);

}  // namespace espalier::io
