// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Random problems of flows over paths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/throughput/path_problem.h"

namespace espalier::test {

struct RandomProblem {
  std::uint32_t resources;
  int flows;
  unsigned most_paths;  // of a flow
  unsigned most_steps;  // of a path; less than resources
};

// Capacities from 1 to 4, demands from 1 to 3.
inline PathProblem random_problem(const RandomProblem& size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  PathProblem problem;
  for (std::uint32_t e = 0; e < size.resources; ++e) problem.capacity.push_back(1 + static_cast<double>(random() % 4));
  for (int f = 0; f < size.flows; ++f) {
    for (std::uint64_t paths = 1 + random() % size.most_paths; paths > 0; --paths) {
      std::vector<std::uint32_t> resources(size.resources);
      for (std::uint32_t e = 0; e < size.resources; ++e) resources[e] = e;
      std::shuffle(resources.begin(), resources.end(), random);
      for (std::uint64_t steps = 1 + random() % size.most_steps; steps > 0; --steps) problem.add_step(resources[steps]);
      problem.end_path();
    }
    problem.end_flow(1 + static_cast<double>(random() % 3));
  }
  return problem;
}

}  // namespace espalier::test
