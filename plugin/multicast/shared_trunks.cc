// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/shared_trunks.h"

#include <algorithm>
#include <utility>

#include "core/analysis/soundness/credit_loop.h"
#include "core/analysis/soundness/multicast_dependencies.h"
#include "plugin/multicast/sound_trunk.h"

namespace espalier {
namespace {

constexpr std::size_t kMostRoots = 16;  // of shortest trees that are tried in each component
constexpr std::size_t kMostRootsToGrowFrom = 8;
constexpr std::uint8_t kSl = 0;  // of groups

std::vector<ChannelId> links_of(const Fabric& fabric, const Trunk& trunk) {
  std::vector<ChannelId> links;
  for (const SwitchId s : trunk.steps.ids())
    if (trunk.steps[s].parent != kNoSwitch) links.push_back(fabric.channel(s, trunk.steps[s].port));
  return links;
}

// Switches that support multicast, evenly spread over the component.
std::map<std::uint32_t, std::vector<SwitchId>> roots_to_try(const FatTree& tree,
                                                            const IdVector<SwitchId, McastSupport>& support) {
  std::map<std::uint32_t, std::vector<SwitchId>> roots;
  for (const SwitchId s : tree.fabric().switches())
    if (support[s] == McastSupport::kYes) roots[tree.component(s)].push_back(s);
  for (auto& [component, all] : roots) {
    const std::size_t step = std::max<std::size_t>(1, all.size() / kMostRoots);
    std::vector<SwitchId> some;
    for (std::size_t i = 0; i < all.size() && some.size() < kMostRoots; i += step) some.push_back(all[i]);
    all = std::move(some);
  }
  return roots;
}

}  // namespace

SharedTrunks share_trunks(const FatTree& tree, const ChannelDependencies& unicast, const Lanes& lanes,
                          const IdVector<SwitchId, McastSupport>& support) {
  const Fabric& fabric = tree.fabric();
  SharedTrunks shared;
  const auto is_sound = [&](const Trunk& trunk) {
    ChannelDependencies both = unicast;
    // Without multicast there is no cycle.
    return !has_credit_loop(both, add_multicast_dependencies(fabric, lanes, links_of(fabric, trunk), kSl, both));
  };
  for (const auto& [component, roots] : roots_to_try(tree, support)) {
    Trunk& chosen = shared.by_component[component];
    bool sound = false;
    for (std::size_t i = 0; i < roots.size() && !sound; ++i) {
      Trunk trunk = grow_shortest_trunk(tree, roots[i], support);
      sound = is_sound(trunk);
      if (sound || i == 0) chosen = std::move(trunk);
    }
    for (std::size_t i = 0; i < std::min(roots.size(), kMostRootsToGrowFrom) && !sound; ++i) {
      Trunk trunk = grow_sound_trunk(fabric, lanes, unicast, roots[i], support, kSl);
      sound = links_of(fabric, trunk).size() == links_of(fabric, chosen).size() && is_sound(trunk);
      if (sound) chosen = std::move(trunk);
    }
    if (!sound) shared.unsound.push_back(component);
  }
  return shared;
}

}  // namespace espalier
