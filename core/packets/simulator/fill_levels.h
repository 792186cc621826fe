// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which queues of a router are less full than others, without looking at each. For each number of units there is the set
// of ports whose queue holds less. A unit more or less in a queue changes one bit, and all queues below a
// threshold are one word for local ports and one for global ones.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/large_array.h"
#include "core/packets/network.h"
#include "core/packets/simulator/bit_set.h"

namespace espalier::packets {

class FillLevels {
 public:
  // What queues of local and of global ports can hold, and what a unit is of that.
  struct Kind {
    std::uint32_t capacity = 0;
    float scale = 0;
  };
  // How many levels of local and of global queues are below a threshold.
  using Limits = std::array<std::uint16_t, 2>;

  // `rows`: virtual channels, or 1 where the fill of ports is compared. `share` of a queue's fill is its threshold.
  void resize(std::uint32_t num_routers, std::uint32_t rows, const std::array<Kind, 2>& kinds, float share) {
    rows_ = rows;
    levels_ = 1 + std::max(kinds[0].capacity, kinds[1].capacity);
    bits_.assign(std::size_t{num_routers} * levels_ * rows_, ~BitWord{0});
    for (Router r = 0; r < num_routers; ++r) std::fill_n(level(r, 0), rows_, 0);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      for (std::uint32_t units = 0; units < levels_; ++units)
        limits_[kind].push_back(below(static_cast<float>(units) * kinds[kind].scale * share, kinds));
  }

  // A queue has one unit more, or less, and now holds `units`.
  void filled(Router r, std::uint32_t row, std::uint32_t position, std::uint32_t units) {
    if (position < 64) level(r, units)[row] &= ~bit_of(position);
  }
  void drained(Router r, std::uint32_t row, std::uint32_t position, std::uint32_t units) {
    if (position < 64) level(r, units + 1)[row] |= bit_of(position);
  }

  // Those of a threshold by a queue that holds so many units.
  [[nodiscard]] const Limits& limits(PortClass kind, std::uint32_t units) const {
    return limits_[kind == PortClass::kGlobal ? 1 : 0][units];
  }
  // By row: ports whose queue holds less than so many units.
  [[nodiscard]] const BitWord* less_than(Router r, std::uint32_t units) const {
    return &bits_[(std::size_t{r} * levels_ + units) * rows_];
  }

 private:
  [[nodiscard]] BitWord* level(Router r, std::uint32_t units) {
    return &bits_[(std::size_t{r} * levels_ + units) * rows_];
  }
  [[nodiscard]] static Limits below(float limit, const std::array<Kind, 2>& kinds) {
    Limits limits = {};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      while (limits[kind] < kinds[kind].capacity && static_cast<float>(limits[kind]) * kinds[kind].scale < limit)
        ++limits[kind];
    return limits;
  }

  LargeVector<BitWord> bits_;
  std::array<std::vector<Limits>, 2> limits_;
  std::uint32_t rows_ = 1;
  std::uint32_t levels_ = 1;
};

}  // namespace espalier::packets
