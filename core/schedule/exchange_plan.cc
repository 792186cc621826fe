// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchange_plan.h"

#include <algorithm>

#include "core/schedule/phase_bound.h"

namespace espalier {
namespace {

// Attempts at an assignment that has to use few spines: more than a few seldom help.
constexpr std::uint32_t kSparseAttempts = 4;

std::vector<std::uint32_t> routable_demand(const LeafSpine& tree, std::uint32_t grain) {
  std::vector<std::uint32_t> demand = piece_demand(tree, grain);
  for (std::size_t a = 0; a < tree.num_leaves(); ++a)
    for (std::size_t b = 0; b < tree.num_leaves(); ++b)
      if (tree.common_spines(a, b) == 0) demand[a * tree.num_leaves() + b] = 0;
  return demand;
}

}  // namespace

std::optional<ExchangePlan> plan_exchange(const LeafSpine& tree, std::uint32_t lids_per_host) {
  const std::uint32_t bound = phase_bound(tree).phases();
  const std::uint32_t most_servers = *std::max_element(tree.servers.begin(), tree.servers.end());
  const std::vector<std::uint32_t> grains = possible_grains(tree);
  for (std::uint32_t phases = bound; phases <= 2 * bound + most_servers; ++phases)
    for (const std::uint32_t grain : grains) {
      if (phases % grain != 0 || phases / grain < least_blocks(tree, grain)) continue;
      const std::uint32_t pieces = (most_servers + grain - 1) / grain;
      AssignmentLimits limits;
      if (pieces > lids_per_host) limits = {lids_per_host, kSparseAttempts};
      if (pieces > lids_per_host && lids_per_host == 1) continue;
      const auto loads = assign_spines(tree, routable_demand(tree, grain), phases / grain, limits);
      if (!loads) continue;
      return ExchangePlan{phases, grain, exchange_servers(tree, *loads, grain, phases / grain)};
    }
  return std::nullopt;
}

}  // namespace espalier
