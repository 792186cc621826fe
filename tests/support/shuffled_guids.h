// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The same fabric with other GUIDs, and so its switches in another order: for tests of what must not depend on it.
#pragma once

#include "core/fabric/generators/site_changes.h"

namespace espalier::test {

[[nodiscard]] inline Fabric with_shuffled_guids(const Fabric& fabric, std::uint64_t seed) {
  return *change(fabric, {.guids = SiteChanges::Guids::kShuffled, .seed = seed});
}

}  // namespace espalier::test
