// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/sort_unique.h"
#include "core/base/try.h"
#include "core/dragonfly/communities.h"
#include "core/dragonfly/grids.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

constexpr double kNearlyComplete = 0.9;  // density that few random graphs have in groups
constexpr double kLeastDensity = 0.5;    // of local links in a group, and of cabled pairs of groups

GroupOfSwitch groups_of_routers(const CablingGraph& graph) {
  const std::vector<std::uint32_t> triangles = graph.triangles();
  std::vector<std::uint32_t> thresholds = triangles;
  std::erase(thresholds, 0U);
  sort_unique(thresholds);
  struct Scored {
    GroupOfSwitch groups;
    double score = 0;
  };
  std::vector<Scored> of_threshold(thresholds.size());
  parallel_for(thresholds.size(), [&](std::size_t k) {
    const auto joins = [&](std::size_t i) { return triangles[i] >= thresholds[k]; };
    of_threshold[k].groups = move_switches(graph, joined_by(graph, joins));
    of_threshold[k].score = modularity(graph, of_threshold[k].groups);
  });
  Scored best{GroupOfSwitch(graph.size()), 0};
  std::iota(best.groups.begin(), best.groups.end(), 0U);
  for (Scored& scored : of_threshold)
    if (scored.score > best.score) best = std::move(scored);
  return std::move(best.groups);
}

struct Counts {
  std::size_t num_groups = 0;   // of two or more
  std::size_t local_pairs = 0;  // both ways, as the next
  std::size_t possible_pairs = 0;
  [[nodiscard]] double density() const {
    return static_cast<double>(local_pairs) / static_cast<double>(possible_pairs);
  }
};

Counts count(const Dragonfly& dragonfly, const CablingGraph& graph) {
  Counts counts;
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) {
    const std::size_t size = dragonfly.routers(g).size();
    if (size < 2) continue;
    ++counts.num_groups;
    for (const SwitchId s : dragonfly.routers(g)) {
      for (const SwitchId t : graph.neighbors(s)) counts.local_pairs += dragonfly.group(t) == g;
      for (const SwitchId t : dragonfly.routers(g))
        counts.possible_pairs +=
            t != s && (dragonfly.kind() == Dragonfly::Kind::kRouters || dragonfly.is_leaf(s) != dragonfly.is_leaf(t));
    }
  }
  return counts;
}

Status check_shape(const Dragonfly& dragonfly, const CablingGraph& graph) {
  const std::size_t n = dragonfly.num_groups();
  const Counts counts = count(dragonfly, graph);
  const auto [num_groups, local_pairs, possible_pairs] = counts;
  // Groups of Cascade are grids: not all pairs are cabled, yet each two routers have common neighbors.
  if (counts.density() < kLeastDensity / 3)
    return fail(
        fmt::format("of {} pairs of switches in one group only {} are cabled", possible_pairs / 2, local_pairs / 2));
  std::size_t cabled = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      cabled += dragonfly.routers(a).size() > 1 && dragonfly.routers(b).size() > 1 && !dragonfly.exits(a, b).empty();
  if (static_cast<double>(cabled) < kLeastDensity * static_cast<double>(num_groups * (num_groups - 1)))
    return fail(fmt::format("of {} pairs of groups only {} are cabled", num_groups * (num_groups - 1) / 2, cabled / 2));
  return {};
}

// Whether most switches are in groups of two or more, before anything is made of these.
Status check_sizes(const GroupOfSwitch& groups) {
  std::vector<std::size_t> size(groups.size(), 0);
  for (const std::uint32_t g : groups) ++size[g];
  std::size_t in_groups = 0, num_groups = 0;
  for (const std::size_t n : size) {
    in_groups += n > 1 ? n : 0;
    num_groups += n > 1 ? 1 : 0;
  }
  if (num_groups < 2) return fail("its switches do not form groups that are cabled both internally and to each other");
  if (2 * in_groups < groups.size())
    return fail(fmt::format("only {} of {} switches belong to groups", in_groups, groups.size()));
  return {};
}

Result<Dragonfly> checked(const Fabric& fabric, const CablingGraph& graph, const GroupOfSwitch& groups,
                          Dragonfly::Kind kind) {
  Status ok = check_sizes(groups);
  std::optional<Dragonfly> dragonfly;
  if (ok) ok = check_shape(dragonfly.emplace(fabric, groups, kind), graph);
  if (!ok) return fail(fmt::format("this is not a dragonfly: {}", ok.error().message));
  return *std::move(dragonfly);
}

Result<Dragonfly> detect(const Fabric& fabric, const CablingGraph& graph) {
  IdVector<SwitchId, std::uint8_t> has_hosts(fabric.num_switches(), 0);
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch && is_host(fabric.at(e))) has_hosts[fabric.at(e).leaf] = 1;
  const GroupOfSwitch by_triangles = groups_of_routers(graph);
  Result<Dragonfly> routers = checked(fabric, graph, by_triangles, Dragonfly::Kind::kRouters);
  if (routers && (count(*routers, graph).density() >= kNearlyComplete || are_grids(graph, by_triangles)))
    return routers;
  const auto leaf_to_spine = [&](std::size_t i) {
    return has_hosts[graph.edges()[i].a] != has_hosts[graph.edges()[i].b];
  };
  Result<Dragonfly> plus = checked(fabric, graph, joined_by(graph, leaf_to_spine), Dragonfly::Kind::kLeavesAndSpines);
  if (!routers && plus) return plus;
  if (const auto grids = find_grids(graph)) return Dragonfly(fabric, *grids, Dragonfly::Kind::kRouters);
  return routers;
}

}  // namespace

Result<Dragonfly> detect_dragonfly(const Fabric& fabric) { return detect(fabric, CablingGraph(fabric)); }

std::shared_ptr<const DetectedGroups> groups_of(const Fabric& fabric,
                                                const std::shared_ptr<const DetectedGroups>& known) {
  return known && known->fabric == &fabric ? known : std::make_shared<const DetectedGroups>(fabric);
}

Status check_is_no_chance(const Dragonfly& dragonfly) {
  const CablingGraph graph(dragonfly.fabric());
  GroupOfSwitch group(graph.size());
  for (const SwitchId s : group.ids()) group[s] = dragonfly.group(s);
  if (count(dragonfly, graph).density() < kNearlyComplete && modularity(graph, group) < modularity_by_chance(graph))
    return fail("this may be a dragonfly, or a random graph: its links are within groups no more often than by chance");
  return {};
}

Result<Dragonfly> recognize_dragonfly(const Fabric& fabric) {
  ESPALIER_TRY(Dragonfly dragonfly, detect_dragonfly(fabric));
  ESPALIER_TRY_STATUS(check_is_no_chance(dragonfly));
  return dragonfly;
}

}  // namespace espalier
