// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/trees/exchange_bound.h"

#include <algorithm>

#include "core/schedule/leaf_spine/host_tree.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "core/schedule/trees/pod_tree.h"

namespace espalier {

namespace {

std::uint32_t bound_of_connected(const FatTree& tree, const std::vector<EndportId>& servers) {
  const auto others = static_cast<std::uint32_t>(servers.size() - 1);
  if (const Result<HostTree> two_levels = two_level_tree(tree, servers))
    return std::max(others, phase_bound(two_levels->shape).leaf);
  const Result<PodTree> pods = three_level_tree(tree, servers);
  return pods ? std::max({others, phase_bound(pods->below.shape).leaf, pod_bound(*pods)}) : others;
}

}  // namespace

std::uint32_t exchange_bound(const FatTree& tree, const std::vector<EndportId>& servers) {
  std::vector<std::vector<EndportId>> parts(tree.num_components());
  for (const EndportId e : servers) parts[tree.component(tree.fabric().at(e).leaf)].push_back(e);
  std::uint32_t bound = 0;
  for (const std::vector<EndportId>& part : parts)
    if (!part.empty()) bound = std::max(bound, bound_of_connected(tree, part));
  return bound;
}

}  // namespace espalier
