// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How evenly a load lies on the channels of each level of the tree, upward and downward.
//
// Level L are the links between a switch of level L and one above it; "up" is toward the one above. In a perfect tree
// with D-mod-K all channels of a level and direction carry the same under all-to-all. Example: two leaves with two
// hosts each under one root: level 0 up, 2 channels, 4 flows on each; level 0 down, the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tree/fat_tree.h"

namespace espalier {

struct LevelLoad {
  enum class Direction : std::uint8_t { kUp, kDown };

  Level level{};  // of the lower switch
  Direction direction = Direction::kUp;
  // Channels in ascending order of their flows; in the unit of `flows`.
  std::vector<std::uint64_t> sorted;

  [[nodiscard]] double mean() const;
  // Equally wide ranges of flows, at most 16, from 0 to the most: bins()[i] channels have i * bin_width() or more
  // flows, and less than (i + 1) * bin_width().
  [[nodiscard]] std::uint64_t bin_width() const;
  [[nodiscard]] std::vector<std::uint64_t> bins() const;
};

// One for each level and direction that has a channel, up before down. `flows` per channel of the tree's fabric, as in
// ChannelLoads::flows. O(channels log channels).
[[nodiscard]] std::vector<LevelLoad> level_loads(const FatTree& tree, std::span<const std::uint64_t> flows);

}  // namespace espalier
