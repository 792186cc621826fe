// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/water_filling.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier {
namespace {

// Resources are full together when their levels differ by less: loads are sums of rounded terms.
constexpr double kSame = 1e-9;

// A sum of which less than this is left after subtractions is added up anew: little of it is right.
constexpr double kRightPart = 1e-4;

struct Part {
  std::uint32_t resource;
  double share;  // of the flow's demand
};

// What each flow puts on each resource that it crosses.
std::vector<std::vector<Part>> parts_of(const PathProblem& problem) {
  std::vector<std::vector<Part>> parts(problem.num_flows());
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    const double share = problem.demand[f] / (problem.first_path[f + 1] - problem.first_path[f]);
    std::vector<std::uint32_t> crossed;
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      crossed.insert(crossed.end(), problem.resources(p).begin(), problem.resources(p).end());
    std::sort(crossed.begin(), crossed.end());
    for (const std::uint32_t e : crossed) {
      if (parts[f].empty() || parts[f].back().resource != e) parts[f].push_back({e, 0});
      parts[f].back().share += share;
    }
  }
  return parts;
}

// What flows that do not stay put on the resource.
double share_of_open(const std::vector<std::vector<Part>>& parts, const std::vector<std::uint32_t>& crossing,
                     const std::vector<std::uint8_t>& stays, std::uint32_t resource) {
  double sum = 0;
  for (const std::uint32_t f : crossing)
    if (stays[f] == 0)
      sum += std::lower_bound(parts[f].begin(), parts[f].end(), resource, [](const Part& part, std::uint32_t e) {
               return part.resource < e;
             })->share;
  return sum;
}

}  // namespace

FlowRates water_filling(const PathProblem& problem) {
  const std::vector<std::vector<Part>> parts = parts_of(problem);
  std::vector<std::vector<std::uint32_t>> crossing(problem.capacity.size());  // flows
  std::vector<double> rising(problem.capacity.size());                        // load per unit of the level
  for (std::uint32_t f = 0; f < parts.size(); ++f)
    for (const Part& part : parts[f]) {
      crossing[part.resource].push_back(f);
      rising[part.resource] += part.share;
    }
  std::vector<double> added_up = rising;  // what `rising` was before anything was subtracted
  std::vector<double> left = problem.capacity;
  std::vector<double> level(parts.size());
  std::vector<std::uint8_t> stays(parts.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t e = 0; e < crossing.size(); ++e)
    if (!crossing[e].empty()) open.push_back(e);
  std::vector<std::uint32_t> active(crossing.size());
  for (const std::uint32_t e : open) active[e] = static_cast<std::uint32_t>(crossing[e].size());

  FlowRates result;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::max();
    for (const std::uint32_t e : open) least = std::min(least, left[e] / rising[e]);
    if (result.bound_low == 0) result.bound_low = result.bound_high = least;
    std::vector<std::uint32_t> full;
    for (const std::uint32_t e : open)
      if (left[e] / rising[e] <= least * (1 + kSame)) full.push_back(e);
    for (const std::uint32_t e : full)
      for (const std::uint32_t f : crossing[e]) {
        if (std::exchange(stays[f], std::uint8_t{1}) != 0) continue;
        level[f] = least;
        for (const Part& part : parts[f]) {
          left[part.resource] -= least * part.share;
          rising[part.resource] -= part.share;
          --active[part.resource];
        }
      }
    std::erase_if(open, [&](std::uint32_t e) { return active[e] == 0; });
    for (const std::uint32_t e : open)
      if (rising[e] < kRightPart * added_up[e]) rising[e] = added_up[e] = share_of_open(parts, crossing[e], stays, e);
  }
  for (std::size_t f = 0; f < parts.size(); ++f) {
    const std::uint32_t count = problem.first_path[f + 1] - problem.first_path[f];
    result.of_path.insert(result.of_path.end(), count, level[f] * problem.demand[f] / count);
  }
  sum_paths(problem, result);
  return result;
}

}  // namespace espalier
