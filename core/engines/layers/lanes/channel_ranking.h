// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// An order of channels in which most of what is wanted ascends: the linear ordering problem (Marti and Reinelt, The Linear
// Ordering Problem, 2011). Channels by which more comes than goes on come late; then each in turn moves to where most of
// its own ascends, a few times over (their insertion neighborhood).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace espalier {

// A step from one channel to the next, and how many routes make it.
struct WeightedStep {
  std::uint32_t from, to;
  std::uint32_t routes;
};

// Per channel below `num_channels` its number, all distinct; those without steps come last.
[[nodiscard]] std::vector<std::uint32_t> rank_channels(std::size_t num_channels, std::span<const WeightedStep> steps);

}  // namespace espalier
