// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics written down as one link per word:
//
//   L0:2          two hosts on L0              L0:router   a router on L0
//   L0-S0         a link; twice is two        L0=L1       one channel adapter, port 1 on L0 and port 2 on L1
//   L0            just the switch              L0:an       an Aggregation Node, on L0's last port
//   -:1           a host without a link       ;           nothing, for the eye
//
// Switches come to be when first named, and that order is the order of their GUIDs, ids and LIDs; so are hosts, which
// are called h0, h1, ... Ports are taken in the order of the words, from 1. All LIDs are assigned, all links 4xEDR.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/fabric/fabric.h"

namespace espalier::test {

// Throws std::invalid_argument with the word that is wrong.
[[nodiscard]] Fabric draw(std::string_view text, std::uint8_t lmc = 0);

// By description: the id of what was drawn. Throws std::invalid_argument when there is none.
[[nodiscard]] SwitchId switch_named(const Fabric& fabric, std::string_view description);
[[nodiscard]] EndportId endport_named(const Fabric& fabric, std::string_view description);

// The same fabric with all LIDs numbered anew under this LMC.
[[nodiscard]] Fabric with_lmc(const Fabric& fabric, std::uint8_t lmc);

// The same fabric built in another order: switches, end ports and links.
[[nodiscard]] Fabric shuffled(const Fabric& fabric, unsigned seed);

// Whether two fabrics are the same in everything that a Fabric says.
[[nodiscard]] bool identical(const Fabric& a, const Fabric& b);

}  // namespace espalier::test
