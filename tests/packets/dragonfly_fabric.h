// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dragonflies for the tests of core/packets, and runs on them.
#pragma once

#include <string>

#include "core/packets/dragonfly.h"
#include "core/packets/run.h"

namespace espalier::packets::test {

// The balanced dragonfly of size h (Garcia et al. 2013, I): 2h routers in each of 2h^2 + 1 groups, h nodes and h global
// links at each. Router i of group g is named "group g router i"; GUIDs are in an order of their own.
[[nodiscard]] Fabric balanced_dragonfly(unsigned h);

struct Bench {
  explicit Bench(unsigned h);
  explicit Bench(Fabric of);
  Bench(const Bench&) = delete;

  // Latencies follow from the parameters.
  [[nodiscard]] RunResult run(const std::string& policy, const std::string& traffic, double load,
                              const Parameters& parameters = {}, const RunLength& length = {}, std::uint64_t seed = 1);

  Fabric fabric;
  Network network;
  Dragonfly dragonfly;
};

}  // namespace espalier::packets::test
