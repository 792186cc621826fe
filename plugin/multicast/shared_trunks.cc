// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/shared_trunks.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>

#include "core/base/parallel.h"
#include "plugin/multicast/sound_trunk.h"

namespace espalier {
namespace {

constexpr std::size_t kMostRoots = 16;  // of shortest trees that are tried in each component
constexpr std::size_t kMostRootsToGrowFrom = 8;
constexpr std::uint8_t kSl = 0;  // of groups

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
std::optional<Trunk> first_sound(const FatTree& tree, std::span<const SwitchId> roots,
                                 const IdVector<SwitchId, McastSupport>& support, const TrunksBesideUnicast& trunks) {
  std::atomic<std::size_t> first = roots.size();
  parallel_for(roots.size(), [&](std::size_t i) {
    if (i > first || !trunks.is_sound(grow_shortest_trunk(tree, roots[i], support))) return;
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
  const TrunksBesideUnicast trunks(fabric, lanes, unicast, kSl);
  for (const auto& [component, roots] : roots_to_try(tree, support)) {
    Trunk& chosen = shared.by_component[component];
    chosen = grow_shortest_trunk(tree, roots.front(), support);
    if (trunks.is_sound(chosen)) continue;
    std::optional<Trunk> sound = first_sound(tree, std::span(roots).subspan(1), support, trunks);
    for (std::size_t i = 0; i < std::min(roots.size(), kMostRootsToGrowFrom) && !sound; ++i) {
      Trunk trunk = trunks.grow(roots[i], support);
      if (links_of(fabric, trunk).size() == links_of(fabric, chosen).size() && trunks.is_sound(trunk))
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
