// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A two-level fat tree as the scheduler sees it: servers per leaf, and which leaf has a working link to which spine.
//
// paper                here
// M_1, M_0             servers.size(), servers[leaf]
// S (the spines)       num_spines
// f                    bandwidth_reduction()
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace espalier {

struct LeafSpine {
  std::vector<std::uint32_t> servers;  // per leaf
  std::size_t num_spines = 0;
  std::vector<std::uint8_t> alive;  // [leaf * num_spines + spine]: 1 = they are joined by one link

  LeafSpine() = default;
  // All joined. REQUIRES nothing; a leaf may have no server.
  LeafSpine(std::vector<std::uint32_t> servers_of_leaves, std::size_t spines)
      : servers(std::move(servers_of_leaves)), num_spines(spines), alive(servers.size() * spines, 1) {}

  [[nodiscard]] std::size_t num_leaves() const { return servers.size(); }
  [[nodiscard]] std::uint32_t num_servers() const { return std::accumulate(servers.begin(), servers.end(), 0U); }
  [[nodiscard]] bool joined(std::size_t leaf, std::size_t spine) const { return alive[leaf * num_spines + spine] != 0; }
  void cut(std::size_t leaf, std::size_t spine) { alive[leaf * num_spines + spine] = 0; }
  [[nodiscard]] std::uint32_t uplinks(std::size_t leaf) const {
    const auto row = alive.begin() + static_cast<std::ptrdiff_t>(leaf * num_spines);
    return std::accumulate(row, row + static_cast<std::ptrdiff_t>(num_spines), 0U);
  }
  // Spines that join two leaves.
  [[nodiscard]] std::uint32_t common_spines(std::size_t a, std::size_t b) const {
    std::uint32_t common = 0;
    for (std::size_t s = 0; s < num_spines; ++s) common += joined(a, s) && joined(b, s);
    return common;
  }
  // The most links that one leaf with servers misses (thesis 5.2).
  [[nodiscard]] std::uint32_t bandwidth_reduction() const {
    std::uint32_t most = 0;
    for (std::size_t leaf = 0; leaf < num_leaves(); ++leaf)
      if (servers[leaf] != 0) most = std::max(most, static_cast<std::uint32_t>(num_spines) - uplinks(leaf));
    return most;
  }

  bool operator==(const LeafSpine&) const = default;
};

}  // namespace espalier
