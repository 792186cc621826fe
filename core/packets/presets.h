// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Parameters of published simulations, by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/packets/parameters.h"

namespace espalier::packets {

struct Preset {
  std::string_view name;
  std::string_view what;  // for --help
  Parameters parameters;
  std::uint32_t warmup;
  std::uint32_t cycles;
};

// In the order of --help; the first is what holds without a preset.
[[nodiscard]] const std::vector<Preset>& presets();

}  // namespace espalier::packets
