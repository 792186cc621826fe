// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/dragonfly_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/dragonfly/detect.h"
#include "core/engines/dragonfly/route_dragonfly.h"
#include "core/engines/layers/layers.h"
#include "core/engines/modulo/dmodc.h"
#include "core/fabric/choices/lid_choices.h"

namespace espalier {
namespace {

// Of damaged fabrics. With five and six lanes the fullest channel is no emptier (docs/measured/lanes.md), and other traffic
// may need them.
constexpr unsigned kDamagedVls = 4;

// Any graph within the lanes there are.
Result<Routing> route_in_layers(const FatTree& tree, unsigned max_vls, const std::string& why) {
  Result<Routing> routing = Layers("layers", max_vls, std::make_shared<Dmodc>()).route(tree);
  if (routing) routing->warnings.push_back(fmt::format("{}: routed as engine layers does instead", why));
  return routing;
}

// Where damage already costs lanes, shortest paths over third groups crowd on few channels: that, or layers, whichever has
// the emptier fullest channel. With several LIDs for each host offsets have intermediate groups, which layers knows nothing of.
bool may_be_crowded(bool has_offsets, const DragonflyRouting& routing) {
  return !has_offsets && routing.num_irregular > 0 && routing.lanes.num_vls() > kShortestVls;
}

// Whether a search for lanes among the steps from channel to channel takes seconds at most.
bool is_quickly_searched(const Fabric& fabric) {
  constexpr std::size_t kMostSteps = std::size_t{1} << 21U;
  std::size_t steps = 0;
  for (const SwitchId s : fabric.switches()) {
    std::size_t ports = 0;
    for (const PortNum p : fabric.ports(s)) ports += fabric.peer(s, p).is_switch() ? 1 : 0;
    steps += ports * ports;
  }
  return steps <= kMostSteps;
}

Result<Routing> better_of(const FatTree& tree, const Routing& routing, unsigned max_vls) {
  const OtherRouting known = [&](const Fabric&) { return std::optional(routing); };
  return Layers("layers", max_vls, nullptr, known).route(tree);
}

}  // namespace

Result<Routing> DragonflyEngine::route(const FatTree& tree) const {
  const auto groups = groups_of(tree.fabric(), options_.groups);
  if (!groups->dragonfly) return fail(groups->dragonfly.error().message, "use an engine for trees or for any topology");
  const Dragonfly& dragonfly = *groups->dragonfly;
  const bool has_offsets = has_several_lids(tree.fabric());
  const PathSet first = has_offsets ? paths_ : PathSet::kMinimal;  // offset 0 always goes the shortest path
  const unsigned needed = first == PathSet::kNonminimal ? kNonminimalVls : kShortestVls;
  if (options_.max_vls < needed)
    return fail(fmt::format("{} needs {} virtual lanes, but links have {}", name_, needed, options_.max_vls),
                "if it is opensm.conf that limits them, by max_op_vls or by lanes without weight in qos_vlarb_low, "
                "change that; else use engine layers");

  const unsigned max_vls = std::min(options_.max_vls, kDamagedVls);
  std::string why;
  for (const PathSet paths : {first, PathSet::kMinimal}) {
    Result<DragonflyRouting> routed = route_dragonfly(dragonfly, {paths, max_vls});
    if (routed) {
      const bool crowded = may_be_crowded(has_offsets, *routed) && is_quickly_searched(tree.fabric());
      Routing routing{std::move(routed->tables), {}};
      routing.lanes = std::move(routed->lanes);
      routing.choices = std::move(routed->choices);
      if (!why.empty()) routing.warnings.push_back(fmt::format("{}: all LID offsets take shortest paths", why));
      return crowded ? better_of(tree, routing, max_vls) : std::move(routing);
    }
    why = routed.error().message;
    if (first == PathSet::kMinimal) break;
  }
  return route_in_layers(tree, max_vls, why);
}

}  // namespace espalier
