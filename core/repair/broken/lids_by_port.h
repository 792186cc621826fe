// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which LIDs a switch sends by a port, 64 entries at once.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/byte_block.h"
#include "core/fabric/fabric.h"

namespace espalier {

// visit(LID) for each whose entry in this row is the port.
template <class Visit>
void for_each_lid_by(std::span<const PortNum> row, PortNum port, Visit visit) {
  const ByteBlock wanted(static_cast<std::uint8_t>(index(port)));
  std::size_t block = 0;
  for (; block + ByteBlock::kSize <= row.size(); block += ByteBlock::kSize)
    equal(ByteBlock::load(row.data() + block), wanted).for_each_set([&](std::size_t i) { visit(block + i); });
  for (std::size_t lid = block; lid < row.size(); ++lid)
    if (row[lid] == port) visit(lid);
}

}  // namespace espalier
