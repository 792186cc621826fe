// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/exchange_plan.h"

#include <algorithm>

#include "core/schedule/exchanges/uneven_exchange.h"
#include "core/schedule/leaf_spine/phase_bound.h"

namespace espalier {
namespace {

// Attempts at an assignment that has to use few spines: 326 servers scattered over FT(2;20,18) with two LIDs need up to
// 2.1 % more than the bound with 4 attempts, 0.6 % with 24.
constexpr std::uint32_t kSparseAttempts = 24;
// Detours may lengthen the exchange by one in so many phases.
constexpr std::uint32_t kDetourPatience = 20;
// Choices of spines for detours that are tried before a phase is added.
constexpr std::size_t kDetourChoices = 8;

std::optional<ExchangePlan> plan_for(const LeafSpine& tree, std::uint32_t phases, std::uint32_t grain,
                                     AssignmentLimits limits, std::uint32_t hub, const std::vector<Detour>& detours) {
  const std::uint32_t blocks = phases / grain;
  const auto num_paths = static_cast<std::uint32_t>(tree.num_spines + 1 + detours.size());
  if (!detours.empty()) reserve_links(tree, detours, hub, blocks_of_detours(tree, detours, grain), limits);
  const auto loads = assign_spines(tree, routable_demand(tree, grain), blocks, limits);
  if (!loads) return std::nullopt;
  const Part whole = whole_exchange(tree, *loads, grain, blocks);
  const auto parts = divide_around_detours(tree, whole, detours, hub, grain);
  if (!parts) return std::nullopt;
  return ExchangePlan{phases, grain, exchange_servers(tree, *parts, grain, num_paths), detours};
}

// For leaves with unequal numbers of servers, by one LID.
std::optional<ExchangePlan> plan_uneven(const LeafSpine& tree, std::uint32_t most_phases) {
  if (std::adjacent_find(tree.servers.begin(), tree.servers.end(), std::not_equal_to<>()) == tree.servers.end())
    return std::nullopt;
  auto exchange = plan_uneven_exchange(tree, most_phases);
  if (!exchange) return std::nullopt;
  const std::uint32_t grain = *std::max_element(tree.servers.begin(), tree.servers.end());
  return ExchangePlan{exchange->phases, grain, std::move(exchange->slots), {}};
}

}  // namespace

std::optional<ExchangePlan> plan_exchange(const LeafSpine& tree, std::uint32_t lids_per_host,
                                          std::optional<std::uint32_t> hub) {
  const std::uint32_t bound = phase_bound(tree).phases();
  const std::uint32_t most_servers = *std::max_element(tree.servers.begin(), tree.servers.end());
  const std::vector<std::uint32_t> grains = possible_grains(tree);
  std::vector<std::vector<Detour>> choices(1);
  if (hub && lids_per_host > 1) choices.front() = find_detours(tree, *hub).value_or(choices.front());
  const bool with_detours = !choices.front().empty();
  for (std::size_t i = 1; with_detours && i < kDetourChoices; ++i) choices.push_back(*find_detours(tree, *hub, i));
  if (with_detours) --lids_per_host;
  // Detours that do not fit near the bound are left out: who asks for the plan has another place for them.
  std::uint32_t most = with_detours ? bound + bound / kDetourPatience : 2 * bound + most_servers;
  std::optional<ExchangePlan> uneven;
  if (!with_detours) uneven = plan_uneven(tree, most);
  if (uneven && uneven->phases < bound) return uneven;  // which keeps no phase for own parts
  if (uneven) most = std::max(uneven->phases, bound + 1) - 1;
  for (std::uint32_t phases = bound; phases <= most; ++phases)
    for (const std::uint32_t grain : grains) {
      if (phases % grain != 0 || phases / grain < least_blocks(tree, grain)) continue;
      const std::uint32_t pieces = (most_servers + grain - 1) / grain;
      AssignmentLimits limits;
      if (pieces > lids_per_host) {
        if (lids_per_host == 1) continue;
        limits.spines_per_pair = lids_per_host;
        limits.attempts = kSparseAttempts;
      }
      for (const std::vector<Detour>& detours : choices)
        if (auto plan = plan_for(tree, phases, grain, limits, hub.value_or(0), detours)) return plan;
    }
  return with_detours ? plan_exchange(tree, lids_per_host + 1) : uneven;
}

}  // namespace espalier
