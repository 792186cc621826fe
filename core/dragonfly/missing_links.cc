// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/missing_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/dragonfly/cabling_graph.h"
#include "core/dragonfly/grid_fit.h"

namespace espalier {
namespace {

// The number that most have, or 0 when too few agree.
template <class Pair>
std::uint32_t usual(const std::vector<Pair>& pairs) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const Pair& pair : pairs) ++counts[pair.links];
  if (counts.empty()) return 0;
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return static_cast<double>(most->second) >= kClearMajority * static_cast<double>(pairs.size()) ? most->first : 0;
}

template <class Pair>
std::vector<Pair> with_fewer(std::vector<Pair> pairs) {
  const std::uint32_t wanted = usual(pairs);
  std::erase_if(pairs, [&](const Pair& pair) { return pair.links >= wanted; });
  for (Pair& pair : pairs) pair.wanted = wanted;
  return pairs;
}

// Of each group whose routers stand in a grid that is large enough to tell, their places; none elsewhere.
std::vector<std::optional<GridFit>> grids_of(const Dragonfly& dragonfly) {
  const CablingGraph graph(dragonfly.fabric());
  std::vector<std::optional<GridFit>> grids;
  for (std::uint32_t g = 0; g < dragonfly.num_groups(); ++g) {
    const std::vector<SwitchId>& routers = dragonfly.routers(g);
    const bool is_none = routers.size() < kLeastRoutersOfGrid || dragonfly.is_whole(g);
    grids.push_back(is_none ? std::nullopt : fit_grid(graph.neighbors_within(routers)));
  }
  return grids;
}

// Whether routers in two places of one group are to be cabled to each other.
bool share_a_line(const std::optional<GridFit>& grid, std::uint32_t a, std::uint32_t b) {
  return !grid || grid->places[a].row == grid->places[b].row || grid->places[a].column == grid->places[b].column;
}

std::vector<MissingLocal> local_pairs(const Dragonfly& dragonfly) {
  const Fabric& fabric = dragonfly.fabric();
  std::vector<MissingLocal> pairs;
  const std::vector<std::optional<GridFit>> grids = grids_of(dragonfly);
  std::vector<std::uint32_t> links(fabric.num_switches(), 0);
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g)
    for (const SwitchId a : dragonfly.routers(g)) {
      for (const PortNum p : fabric.ports(a))
        if (dragonfly.port_class(a, p) == PortClass::kLocal) ++links[index(fabric.peer(a, p).as_switch())];
      for (const SwitchId b : dragonfly.routers(g)) {
        const bool cabled = dragonfly.kind() == Dragonfly::Kind::kRouters
                                ? share_a_line(grids[g], dragonfly.router(a), dragonfly.router(b))
                                : dragonfly.is_leaf(a) != dragonfly.is_leaf(b);
        if (a < b && cabled) pairs.push_back({a, b, links[index(b)], 0});
        links[index(b)] = 0;
      }
    }
  return pairs;
}

std::vector<MissingGlobal> group_pairs(const Dragonfly& dragonfly) {
  std::vector<MissingGlobal> pairs;
  const auto n = static_cast<std::uint32_t>(dragonfly.num_groups());
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b)
      pairs.push_back({a, b, static_cast<std::uint32_t>(dragonfly.exits(a, b).size()), 0});
  return pairs;
}

}  // namespace

MissingLinks find_missing_links(const Dragonfly& dragonfly) {
  return {with_fewer(local_pairs(dragonfly)), with_fewer(group_pairs(dragonfly))};
}

std::vector<MissingLinkRemark> describe(const Dragonfly& dragonfly, const MissingLinks& missing) {
  const Fabric& fabric = dragonfly.fabric();
  const auto group = [&](std::uint32_t g) {
    return fmt::format("group {} (that of {})", g, fabric.label(dragonfly.routers(g).front()));
  };
  std::vector<MissingLinkRemark> remarks;
  for (const MissingGlobal& pair : missing.global)
    remarks.push_back({"missing global link", kNoSwitch,
                       fmt::format("{} and {} are joined by {}, where most pairs of groups have {}", group(pair.a),
                                   group(pair.b), counted(pair.links, "link"), pair.wanted)});
  for (const MissingLocal& pair : missing.local)
    remarks.push_back({"missing local link", pair.a,
                       fmt::format("{} and {} of one group have {}, where most pairs have {}", fabric.label(pair.a),
                                   fabric.label(pair.b), counted(pair.links, "link"), pair.wanted)});
  return remarks;
}

}  // namespace espalier
