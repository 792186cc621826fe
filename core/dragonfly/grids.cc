// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/grids.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/sort_unique.h"
#include "core/dragonfly/communities.h"
#include "core/dragonfly/grid_fit.h"
#include "core/dragonfly/spanned_grids.h"

namespace espalier {
namespace {

constexpr double kLeastInGrids = 0.9;         // of all switches
constexpr double kLeastLinksOfGrids = 0.8;    // of those that whole grids would have
constexpr double kLeastCabledGroups = 0.75;   // of all pairs
constexpr double kMostDirectlyCabled = 0.75;  // of pairs of a router and another group; a HyperX has all

// Groups by number, and the switches of each.
struct Members {
  explicit Members(const GroupOfSwitch& groups) : number(groups.size(), 0) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const SwitchId s : groups.ids()) {
      const auto [at, is_new] = numbers.try_emplace(groups[s], static_cast<std::uint32_t>(switches.size()));
      if (is_new) switches.emplace_back();
      number[s] = at->second;
      switches[at->second].push_back(s);
    }
  }
  IdVector<SwitchId, std::uint32_t> number;
  std::vector<std::vector<SwitchId>> switches;
};

// Of the groups that are grids of one size.
struct Grids {
  std::vector<std::uint32_t> numbers;
  std::size_t routers = 0;
  std::size_t links = 0;
  std::size_t possible = 0;
  [[nodiscard]] double density() const { return static_cast<double>(links) / static_cast<double>(possible); }
};

// Of that size that most routers have.
Grids grids_among(const CablingGraph& graph, const Members& members) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Grids> of_size;
  for (std::uint32_t g = 0; g < members.switches.size(); ++g) {
    if (members.switches[g].size() + 1 < kLeastRoutersOfGrid) continue;
    const auto fit = fit_grid(graph.neighbors_within(members.switches[g]));
    if (!fit || fit->rows * fit->columns < kLeastRoutersOfGrid) continue;
    Grids& grids = of_size[{fit->rows, fit->columns}];
    grids.numbers.push_back(g);
    grids.routers += members.switches[g].size();
    grids.links += fit->links;
    grids.possible += fit->possible;
  }
  Grids most;
  for (auto& [size, grids] : of_size)
    if (grids.routers > most.routers) most = std::move(grids);
  return most;
}

// Whether the grids are cabled as the groups of a dragonfly are.
bool are_cabled_as_groups(const CablingGraph& graph, const Members& members, const Grids& grids) {
  const std::size_t n = grids.numbers.size();
  std::vector<std::uint32_t> index_of(members.switches.size(), ~0U);
  for (std::uint32_t i = 0; i < n; ++i) index_of[grids.numbers[i]] = i;
  std::vector<std::uint8_t> cabled(n * n, 0);
  std::size_t direct = 0;
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < n; ++i)
    for (const SwitchId s : members.switches[grids.numbers[i]]) {
      others.clear();
      for (const SwitchId t : graph.neighbors(s))
        if (const std::uint32_t j = index_of[members.number[t]]; j != i && j != ~0U) others.push_back(j);
      sort_unique(others);
      for (const std::uint32_t j : others) cabled[i * n + j] = 1;
      direct += others.size();
    }
  const auto pairs = static_cast<double>(n * (n - 1));
  const auto num_cabled = static_cast<double>(std::accumulate(cabled.begin(), cabled.end(), std::size_t{0}));
  return n > 3 && num_cabled >= kLeastCabledGroups * pairs &&
         static_cast<double>(direct) <
             kMostDirectlyCabled * grids.density() * static_cast<double>(grids.routers * (n - 1));
}

}  // namespace

bool are_grids(const CablingGraph& graph, const GroupOfSwitch& groups) {
  const Members members(groups);
  const Grids grids = grids_among(graph, members);
  return static_cast<double>(grids.routers) >= kLeastInGrids * static_cast<double>(graph.size()) &&
         grids.density() >= kLeastLinksOfGrids && are_cabled_as_groups(graph, members, grids);
}

namespace {

// From which communities grow: from single switches, or also from those that links with many triangles join.
enum class Starts : std::uint8_t { kSingle, kTriangles };

// The least triangles of a link that joins switches at the start; kNoLink: no link does.
constexpr std::uint32_t kNoLink = ~0U;
std::vector<std::uint32_t> thresholds(const std::vector<std::uint32_t>& triangles, Starts starts) {
  std::vector<std::uint32_t> list;
  if (starts == Starts::kTriangles) list = triangles;
  std::erase(list, 0U);
  list.push_back(kNoLink);
  sort_unique(list);
  return list;
}

// Of several starts, the one after which most switches are in grids.
struct Communities {
  GroupOfSwitch groups;
  std::vector<std::vector<SwitchId>> grids;
  std::size_t routers = 0;
};
Communities communities_with_grids(const CablingGraph& graph, Starts starts) {
  const std::vector<std::uint32_t> triangles = graph.triangles();
  const std::vector<std::uint32_t> least = thresholds(triangles, starts);
  std::vector<Communities> of_start(least.size());
  parallel_for(least.size(), [&](std::size_t k) {
    Communities& made = of_start[k];
    made.groups = join_groups(graph, joined_by(graph, [&](std::size_t i) { return triangles[i] >= least[k]; }));
    Members members(made.groups);
    const Grids grids = grids_among(graph, members);
    made.routers = grids.routers;
    for (const std::uint32_t g : grids.numbers) made.grids.push_back(std::move(members.switches[g]));
  });
  Communities best;
  for (Communities& made : of_start)
    if (made.routers > best.routers) best = std::move(made);
  return best;
}

// The group to which most of its links go.
std::uint32_t nearest_group(const CablingGraph& graph, const GroupOfSwitch& groups, SwitchId s) {
  std::map<std::uint32_t, std::size_t> links;
  for (const SwitchId t : graph.neighbors(s)) ++links[groups[t]];
  const auto most =
      std::max_element(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == links.end() ? groups[s] : most->first;
}

// Switches that lack so many links that they are near no community: those for which a grid has a place join it.
// With more than a few left these are no groups anyway.
void fill_up(const CablingGraph& graph, const IdVector<SwitchId, std::uint8_t>& is_left, GroupOfSwitch& groups) {
  if (4 * static_cast<std::size_t>(std::count(is_left.begin(), is_left.end(), 1)) >= graph.size()) return;
  for (const SwitchId s : groups.ids()) {
    if (is_left[s] == 0) continue;
    const std::uint32_t own = std::exchange(groups[s], nearest_group(graph, groups, s));
    const Members members(groups);
    if (!fit_grid(graph.neighbors_within(members.switches[members.number[s]]))) groups[s] = own;
  }
}

// Grids, found one after the other; each other switch is a group of its own. Nothing: there is not even one.
std::optional<GroupOfSwitch> set_grids_aside(const CablingGraph& graph, Starts starts) {
  GroupOfSwitch groups(graph.size());
  std::iota(groups.begin(), groups.end(), 0U);
  IdVector<SwitchId, std::uint8_t> is_left(graph.size(), 1);
  CablingGraph rest = graph;
  bool is_first = true;
  while (!rest.edges().empty()) {
    const Communities found = communities_with_grids(rest, starts);
    if (found.grids.empty() && is_first) return std::nullopt;
    if (found.grids.empty()) break;
    is_first = false;
    for (const std::vector<SwitchId>& grid : found.grids)
      for (const SwitchId s : grid) {
        groups[s] = found.groups[s];
        is_left[s] = 0;
      }
    rest = rest.between(is_left);
  }
  fill_up(graph, is_left, groups);
  return groups;
}

// Those alone join grids.
void join_left_over(const CablingGraph& graph, GroupOfSwitch& groups) {
  IdVector<SwitchId, std::uint8_t> is_left(graph.size(), 0);
  for (const std::vector<SwitchId>& switches : Members(groups).switches)
    if (switches.size() == 1) is_left[switches.front()] = 1;
  fill_up(graph, is_left, groups);
}

}  // namespace

std::optional<GroupOfSwitch> find_grids(const CablingGraph& graph) {
  const std::vector<std::uint32_t> triangles = graph.triangles();
  if (std::all_of(triangles.begin(), triangles.end(), [](std::uint32_t t) { return t == 0; })) return std::nullopt;
  for (const Starts starts : {Starts::kTriangles, Starts::kSingle}) {
    std::optional<GroupOfSwitch> groups = set_grids_aside(graph, starts);
    if (!groups) break;  // single switches are one of the starts in either case
    if (are_grids(graph, *groups)) return groups;
  }
  for (GroupOfSwitch& groups : spanned_grids(graph)) {
    join_left_over(graph, groups);
    if (are_grids(graph, groups)) return std::move(groups);
  }
  return std::nullopt;
}

}  // namespace espalier
