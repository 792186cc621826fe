// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What tests of all engines have to know about some of them.
#pragma once

#include <string_view>

namespace espalier::test {

// Whether the engine is for fabrics of one kind and declines others.
[[nodiscard]] inline bool may_decline(std::string_view engine) {
  return engine == "dmodk" || engine == "leiserson" || engine == "vpgft" || engine.starts_with("dragonfly");
}

}  // namespace espalier::test
