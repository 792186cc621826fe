// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/policies/policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace espalier::packets {
namespace {

// Links between switches that no set of alternatives can name.
bool has_far_links(const Network& network) {
  return std::any_of(network.ports.begin(), network.ports.end(), [](const PortEnd& port) {
    return port.kind != PortClass::kNode && port.position >= kMostPositions;
  });
}

using PolicyOptions = std::vector<PolicyOption>;

PolicyOptions with(PolicyOptions some, std::initializer_list<PolicyOption> more) {
  some.insert(some.end(), more);
  return some;
}

}  // namespace

const std::vector<PolicyEntry>& policies() {
  using enum PolicyOption;
  static const PolicyOptions sums = {kOccupancy, kValiant, kMeasure, kUgalOffset};
  static const PolicyOptions ugal = with(sums, {kWeight, kCounts});
  static const PolicyOptions in_transit = {kThreshold, kOccupancy, kDiverts, kGlobalMisroute, kSpreadVcs};
  static const PolicyOptions contention = {kOccupancy, kDiverts, kGlobalMisroute, kContentionLimit};
  static const std::vector<PolicyEntry> all = {
      {"min", "minimal", make_minimal},
      {"valiant", "through a random group", make_valiant, {kValiant}},
      {"pb", "piggybacking: reported congestion of the group's global links, otherwise UGAL-L", make_piggyback,
       with(ugal, {kPiggybackPeriod, kPiggybackOffset})},
      {"ugal-l", "minimal or Valiant by the queues of the source router", make_ugal_local, ugal},
      {"ugal-g", "minimal or Valiant by all queues of both paths, an ideal", make_ugal_global, with(sums, {kCounts})},
      {"crt", "UGAL-L; credits of local links tell of congested global links behind", make_credit_round_trip, ugal},
      {"par",
       "progressive: UGAL-L, repeated after the first hop",
       make_par,
       {kOccupancy, kMeasure, kWeight, kUgalOffset},
       Needs::kCompleteGroups},
      {"par-6/2", "adaptive in transit, a virtual channel for each hop", make_par62, in_transit,
       Needs::kCompleteGroups},
      {"rlm", "adaptive in transit, local detours by the parity-sign rule", make_rlm, in_transit,
       Needs::kCompleteGroups},
      {"rlm-no-table", "rlm without the rule: not deadlock-free, for comparison", make_rlm_without_table, in_transit,
       Needs::kCompleteGroups},
      {"olm", "adaptive in transit, opportunistic local detours", make_olm, in_transit, Needs::kCompleteGroups,
       Safety::kCutThrough},
      {"tpr",
       "UGAL-L with an offset by the pattern of the traffic",
       make_tpr,
       {kOccupancy, kValiant, kMeasure, kWeight, kTprLimit, kTprMostOffset, kCounts}},
      {"contention-base", "misroutes by counters of packets that want an output", make_contention_base, contention,
       Needs::kCompleteGroups},
      {"contention-hybrid", "the same, or by the fill of queues", make_contention_hybrid,
       with(contention, {kThreshold}), Needs::kCompleteGroups},
      {"contention-ectn", "the same, with counters that groups share", make_contention_broadcast,
       with(contention, {kPiggybackPeriod}), Needs::kCompleteGroups},
      {"paths", "one of the paths of --paths, by their weights", make_paths, {}, Needs::kPaths},
      {"tables", "the port that LFTS gives", make_tables, {}, Needs::kTables},
      {"adaptive",
       "on trees: the least occupied port of all shortest up-down paths",
       make_adaptive_tree,
       {kDiverts},
       Needs::kLevels},
  };
  return all;
}

std::vector<std::string_view> policies_with(PolicyOption option) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policies())
    if (std::find(entry.options.begin(), entry.options.end(), option) != entry.options.end())
      names.push_back(entry.name);
  return names;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicyInputs& inputs) {
  const auto found =
      std::find_if(policies().begin(), policies().end(), [&](const PolicyEntry& entry) { return entry.name == name; });
  if (found == policies().end()) {
    std::string names;
    for (const PolicyEntry& entry : policies()) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    return fail(fmt::format("unknown policy \"{}\"", name), "use one of " + names);
  }
  if (found->safety == Safety::kCutThrough && inputs.parameters->switching == Switching::kWormhole)
    return fail(fmt::format("{} is not deadlock-free under wormhole switching", name), "use --switching vct");
  if (found->needs == Needs::kCompleteGroups && inputs.dragonfly != nullptr && inputs.dragonfly->has_grids())
    return fail(
        fmt::format("{} is for groups in which each router is cabled to every other, and these are grids", name),
        "use min, valiant, ugal-l, ugal-g, pb, crt or tpr");
  if ((found->needs == Needs::kDragonfly || found->needs == Needs::kCompleteGroups) && inputs.dragonfly == nullptr)
    return fail(inputs.why_no_dragonfly.empty()
                    ? fmt::format("{} is for dragonflies, and this fabric is not one", name)
                    : fmt::format("{} is for dragonflies: {}", name, inputs.why_no_dragonfly),
                "give tables, or --policy adaptive");
  if (found->needs == Needs::kTables && inputs.tables == nullptr)
    return fail(fmt::format("{} needs tables", name), "give LFTS after NET");
  if (found->needs == Needs::kPaths && inputs.paths == nullptr)
    return fail(fmt::format("{} needs paths", name), "give --paths FILE");
  if (found->needs == Needs::kLevels && inputs.levels.empty())
    return fail(fmt::format("{} is for trees, and this fabric is not one", name), "see espalier rank");
  if (found->needs == Needs::kLevels && has_far_links(*inputs.network))
    return fail(fmt::format("{} chooses among the first {} links of a switch, and one has more", name, kMostPositions),
                "give tables, and no policy");
  return found->make(inputs);
}

}  // namespace espalier::packets
