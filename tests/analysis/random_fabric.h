// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Small fabrics that no architect would draw: several parts, parallel and looped-back links, end ports on no switch,
// LIDs with gaps, LMC, short LFTs.
#pragma once

#include <random>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier::test {

using Random = std::mt19937_64;

// 0 .. n-1. REQUIRES: n > 0. The same on every platform, unlike std::uniform_int_distribution.
[[nodiscard]] inline std::size_t below(Random& random, std::size_t n) { return random() % n; }

[[nodiscard]] Fabric random_fabric(Random& random);

// Sound for the most part, or nonsense; with rows that are too short or too long now and then.
[[nodiscard]] ForwardingTables random_tables(const Fabric& fabric, Random& random);

}  // namespace espalier::test
