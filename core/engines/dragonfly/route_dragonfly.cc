// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/route_dragonfly.h"

#include <bit>
#include <map>
#include <utility>

#include "core/base/try.h"
#include "core/engines/dragonfly/dragonfly_lanes.h"
#include "core/engines/dragonfly/lane_search.h"
#include "core/engines/dragonfly/offset_weights.h"

namespace espalier {
namespace {

std::uint8_t lowest_sl(std::uint16_t sls) { return static_cast<std::uint8_t>(std::countr_zero(sls)); }

// The SL from group `from` to a LID that has an intermediate group. What goes the shortest path after all has an SL in
// which neither end is intermediate: its local detour in the last group then is on VL 2.
std::uint8_t codeword_sl(const Dragonfly& dragonfly, const LidRoute& route, std::uint32_t from,
                         const Codewords& codewords) {
  const std::uint32_t goal = dragonfly.group(route.to);
  const bool over_middle =
      from != goal && (from == route.middle || aim(dragonfly, route, from, &codewords) == route.middle);
  const std::uint16_t sls = over_middle ? codewords.sls(from, route.middle, goal) : codewords.free_sls(from, goal);
  return sls == 0 ? std::uint8_t{0} : lowest_sl(sls);
}

// By group of the source, and by (group of the destination, intermediate group).
ServiceLevels closed_form_levels(const Dragonfly& dragonfly, const std::vector<LidRoute>& routes,
                                 const Codewords& codewords) {
  const Fabric& fabric = dragonfly.fabric();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> classes;  // -> a LID of the class
  for (std::size_t lid = 0; lid < routes.size(); ++lid)
    if (routes[lid].middle != kNoGroup) classes.try_emplace({dragonfly.group(routes[lid].to), routes[lid].middle}, lid);
  ServiceLevels levels(fabric.top_lid(), dragonfly.num_groups(), 1 + classes.size());
  std::uint32_t c = 0;
  for (auto& [key, lid] : classes) {
    ++c;
    for (std::uint32_t from = 0; from < dragonfly.num_groups(); ++from)
      levels.set(from, c, codeword_sl(dragonfly, routes[lid], from, codewords));
    lid = c;
  }
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const Lid lid = id_at<Lid>(i);
    if (routes[i].to == kNoSwitch) continue;
    levels.set_source_class(lid, dragonfly.group(routes[i].to));
    if (routes[i].middle != kNoGroup)
      levels.set_destination_class(
          lid, static_cast<std::uint32_t>(classes.at({dragonfly.group(routes[i].to), routes[i].middle})));
  }
  return levels;
}

Result<DragonflyRouting> route_over(const Dragonfly& dragonfly, const GroupPaths& paths,
                                    const DragonflyOptions& options) {
  const bool nonminimal = options.paths == PathSet::kNonminimal;
  SlPlan plan = nonminimal ? nonminimal_plan(dragonfly.num_groups()) : shortest_plan();
  const Codewords* const codewords = nonminimal ? &plan.codewords : nullptr;
  const std::vector<LidRoute> routes = choose_routes(dragonfly, options.paths, codewords);
  ForwardingTables tables = fill_tables(dragonfly, paths, routes, codewords, options.detours);

  std::uint64_t num_irregular = 0;
  ServiceLevels levels;
  if (nonminimal) levels = closed_form_levels(dragonfly, routes, plan.codewords);
  add_spare_sls(plan, dragonfly.num_groups(), options.max_vls);
  if (!dragonfly.is_whole() || dragonfly.kind() != Dragonfly::Kind::kRouters) {
    ESPALIER_TRY(LaneSearch found,
                 search_lanes(dragonfly, tables, plan, nonminimal ? &levels : nullptr, options.max_vls));
    levels = std::move(found.levels);
    num_irregular = found.num_irregular;
  }
  DragonflyRouting routing{std::move(tables), Lanes(std::move(levels), make_lane_maps(dragonfly, plan)), num_irregular};
  if (nonminimal && has_several_lids(dragonfly.fabric())) routing.choices = weigh_offsets(dragonfly.fabric());
  return routing;
}

bool lacks_local_links(const Dragonfly& dragonfly) {
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g)
    if (!dragonfly.is_whole(g)) return true;
  return false;
}

}  // namespace

Result<DragonflyRouting> route_dragonfly(const Dragonfly& dragonfly, const DragonflyOptions& options) {
  if (lacks_local_links(dragonfly)) {
    Result<DragonflyRouting> routing = route_over(dragonfly, GroupPaths(dragonfly, LocalTurns::kAny), options);
    if (routing) return routing;
  }
  return route_over(dragonfly, GroupPaths(dragonfly), options);
}

}  // namespace espalier
