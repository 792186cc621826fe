// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Max-min fair rates of flows that share what they cross: nobody can have more without taking from one that has no more.
// There is exactly one such division, and progressive filling finds it (Bertsekas and Gallager, Data Networks, 6.5.2):
// raise all rates together until a resource is full; who crosses it keeps its rate, the others go on.
// Example: flows a, b cross resource 1 of capacity 1, flows b, c resource 2 of capacity 2. At 1/2 resource 1 is full: a
// and b stay; c goes on to 3/2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier {

// What each flow puts on each resource that it crosses, at a rate of 1.
struct ResourceShares {
  struct Part {
    std::uint32_t resource;
    double share;
  };
  std::vector<std::size_t> first{0};  // per flow, and the end
  std::vector<Part> parts;            // no resource twice in one flow

  [[nodiscard]] std::size_t num_flows() const { return first.size() - 1; }
  // A flow is what is added until end_flow().
  void add(std::uint32_t resource, double share) { parts.push_back({resource, share}); }
  void end_flow() { first.push_back(parts.size()); }
};

struct SharedRates {
  std::vector<double> of_flow;  // 0 for one that crosses nothing
  double least = 0;             // of the others; 0 when there are none
};

// Cost: all parts a few times, and for each distinct rate a look at each resource. REQUIRES: shares, and capacities of
// what is crossed, are above 0.
[[nodiscard]] SharedRates progressive_filling(const ResourceShares& flows, std::vector<double> capacity);

}  // namespace espalier
