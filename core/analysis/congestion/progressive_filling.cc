// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/progressive_filling.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace espalier {
namespace {

// Resources are full together when their rates differ by less: loads are sums of rounded terms.
constexpr double kSame = 1e-9;

// A sum of which less than this is left after subtractions is added up anew: little of it is right.
constexpr double kRightPart = 1e-4;

std::span<const ResourceShares::Part> parts_of(const ResourceShares& flows, std::size_t flow) {
  return {flows.parts.data() + flows.first[flow], flows.parts.data() + flows.first[flow + 1]};
}

// Who crosses each resource, in flat arrays.
struct Crossings {
  std::vector<std::size_t> first;  // per resource, and the end
  std::vector<std::uint32_t> flows;

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t resource) const {
    return {flows.data() + first[resource], flows.data() + first[resource + 1]};
  }
};

Crossings crossings_of(const ResourceShares& flows, std::size_t num_resources) {
  Crossings result{std::vector<std::size_t>(num_resources + 1), std::vector<std::uint32_t>(flows.parts.size())};
  for (const auto& part : flows.parts) ++result.first[part.resource + 1];
  for (std::size_t e = 0; e < num_resources; ++e) result.first[e + 1] += result.first[e];
  std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
  for (std::uint32_t f = 0; f < flows.num_flows(); ++f)
    for (const auto& part : parts_of(flows, f)) result.flows[next[part.resource]++] = f;
  return result;
}

// What flows that do not stay put on the resource.
double share_of_open(const ResourceShares& flows, std::span<const std::uint32_t> crossing,
                     const std::vector<std::uint8_t>& stays, std::uint32_t resource) {
  double sum = 0;
  for (const std::uint32_t f : crossing)
    if (stays[f] == 0) sum += std::ranges::find(parts_of(flows, f), resource, &ResourceShares::Part::resource)->share;
  return sum;
}

}  // namespace

SharedRates progressive_filling(const ResourceShares& flows, std::vector<double> capacity) {
  const Crossings crossings = crossings_of(flows, capacity.size());
  SharedRates rates{.of_flow = std::vector<double>(flows.num_flows())};
  std::vector<double>& left = capacity;                // that flows which stay leave to the others
  std::vector<double> rising(capacity.size());         // load of the others at a rate of 1
  std::vector<std::uint32_t> active(capacity.size());  // how many they are
  for (const auto& part : flows.parts) {
    rising[part.resource] += part.share;
    ++active[part.resource];
  }
  std::vector<double> added_up = rising;  // what `rising` was before anything was subtracted
  std::vector<std::uint32_t> open;
  for (std::uint32_t e = 0; e < active.size(); ++e)
    if (active[e] > 0) open.push_back(e);

  std::vector<std::uint8_t> stays(flows.num_flows());
  while (!open.empty()) {
    double rate = std::numeric_limits<double>::max();
    for (const std::uint32_t e : open) rate = std::min(rate, left[e] / rising[e]);
    if (rates.least == 0) rates.least = rate;
    std::vector<std::uint32_t> full;
    for (const std::uint32_t e : open)
      if (left[e] / rising[e] <= rate * (1 + kSame)) full.push_back(e);
    for (const std::uint32_t e : full)
      for (const std::uint32_t f : crossings.of(e)) {
        if (std::exchange(stays[f], std::uint8_t{1}) != 0) continue;
        rates.of_flow[f] = rate;
        for (const auto& part : parts_of(flows, f)) {
          left[part.resource] -= rate * part.share;
          rising[part.resource] -= part.share;
          --active[part.resource];
        }
      }
    std::erase_if(open, [&](std::uint32_t e) { return active[e] == 0; });
    for (const std::uint32_t e : open)
      if (rising[e] < kRightPart * added_up[e])
        rising[e] = added_up[e] = share_of_open(flows, crossings.of(e), stays, e);
  }
  return rates;
}

}  // namespace espalier
