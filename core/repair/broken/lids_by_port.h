// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which LIDs a switch sends by a port, 64 entries at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/byte_block.h"
#include "core/fabric/fabric.h"

namespace espalier {

// visit(LID) for each whose entry in this row is the port.
template <class Visit>
void for_each_lid_by(std::span<const PortNum> row, PortNum port, Visit visit) {
  const ByteBlock wanted(static_cast<std::uint8_t>(index(port)));
  for (std::size_t block = 0; block < row.size(); block += ByteBlock::kSize) {
    const std::size_t end = std::min(block + ByteBlock::kSize, row.size());
    if (end - block == ByteBlock::kSize && !equal(ByteBlock::load(row.data() + block), wanted).any()) continue;
    for (std::size_t lid = block; lid < end; ++lid)
      if (row[lid] == port) visit(lid);
  }
}

}  // namespace espalier
