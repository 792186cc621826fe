// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/shared_trunks.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>

#include "core/analysis/soundness/credit_loop.h"
#include "core/analysis/soundness/multicast_dependencies.h"
#include "core/base/parallel.h"
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

// The first of the roots whose shortest tree is sound.
template <class IsSound>
std::optional<Trunk> first_sound(const FatTree& tree, std::span<const SwitchId> roots,
                                 const IdVector<SwitchId, McastSupport>& support, const IsSound& is_sound) {
  std::atomic<std::size_t> first = roots.size();
  parallel_for(roots.size(), [&](std::size_t i) {
    if (i > first || !is_sound(grow_shortest_trunk(tree, roots[i], support))) return;
    for (std::size_t other = first; i < other && !first.compare_exchange_weak(other, i);) {
    }
  });
  if (first == roots.size()) return std::nullopt;
  return grow_shortest_trunk(tree, roots[first], support);
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
    chosen = grow_shortest_trunk(tree, roots.front(), support);
    if (is_sound(chosen)) continue;
    std::optional<Trunk> sound = first_sound(tree, std::span(roots).subspan(1), support, is_sound);
    for (std::size_t i = 0; i < std::min(roots.size(), kMostRootsToGrowFrom) && !sound; ++i) {
      Trunk trunk = grow_sound_trunk(fabric, lanes, unicast, roots[i], support, kSl);
      if (links_of(fabric, trunk).size() == links_of(fabric, chosen).size() && is_sound(trunk))
        sound = std::move(trunk);
    }
    if (sound)
      chosen = *std::move(sound);
    else
      shared.unsound.push_back(component);
  }
  return shared;
}

}  // namespace espalier
