// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What two hosts have to know of each other so that the source chooses the path (see core/engines/modulo/gsmodk.h): a number
// each, whose digits of radices r_0, r_1, ... are the turns it would take at the first, second, ... switch upward.
// The source adds to the base LID of the destination
//
//   offset = sum over i of ((source_i - destination_i) mod r_i) x r_0 x ... x r_(i-1)
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

struct SourceOffsets {
  std::vector<std::uint32_t> radices;        // at least 2 each; their product is at most 2^LMC
  IdVector<EndportId, std::uint8_t> number;  // per end port, below that product

  // 0 for a host to itself. Example: radices 24, 3; numbers 30 = (6, 1) and 7 = (7, 0): 23 + 1 x 24 = 47.
  [[nodiscard]] std::uint8_t offset(EndportId source, EndportId destination) const {
    unsigned from = number[source];
    unsigned to = number[destination];
    unsigned offset = 0;
    unsigned weight = 1;
    for (const std::uint32_t radix : radices) {
      offset += (from % radix + radix - to % radix) % radix * weight;
      from /= radix;
      to /= radix;
      weight *= radix;
    }
    return static_cast<std::uint8_t>(offset);
  }
  bool operator==(const SourceOffsets&) const = default;
};

}  // namespace espalier
