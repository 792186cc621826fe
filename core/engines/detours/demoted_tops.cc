// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/demoted_tops.h"

#include <algorithm>
#include <vector>

#include "core/engines/detours/subtree.h"
#include "core/tree/demote.h"

namespace espalier {
namespace {

constexpr std::size_t kMostMissingRoots = 64;  // that are tried; the more are missing, the less they are alike

bool is_top(const FatTree& tree, SwitchId s) {
  return tree.up_groups(s).empty() && !tree.down_groups(s).empty() && tree.hosts(s).empty();
}

// Whether the subtree comes to `top` over a switch that is not wholly in it.
bool hangs_on_a_selective_switch(const Subtree& subtree, SwitchId top) {
  for (SwitchId s = subtree.toward[top]->remote; s != subtree.root; s = subtree.toward[s]->remote)
    if (std::binary_search(subtree.selective.begin(), subtree.selective.end(), s)) return true;
  return false;
}

std::vector<SwitchId> tops_to_demote(const RoutingProblem& problem, SwitchId root) {
  const FatTree& tree = problem.tree;
  const Subtree subtree = grow_subtree(problem, root).subtree;
  std::vector<SwitchId> odd;
  for (const SwitchId s : tree.fabric().switches()) {
    if (tree.component(s) != tree.component(root) || !is_top(tree, s)) continue;
    if (problem.costs.cost(root, s) == kUnreachable || (subtree.holds(s) && hangs_on_a_selective_switch(subtree, s)))
      odd.push_back(s);
  }
  return odd;
}

}  // namespace

std::optional<DemotedTops> demote_odd_tops(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::size_t num_tops = 0;
  std::size_t attempts = 0;
  std::optional<std::vector<SwitchId>> fewest;
  for (const SwitchId s : tree.fabric().switches()) {
    num_tops += is_top(tree, s) ? 1 : 0;
    if (!tree.down_groups(s).empty() || ++attempts > kMostMissingRoots) continue;
    std::vector<SwitchId> odd = tops_to_demote(problem, s);
    if (!odd.empty() && (!fewest || odd.size() < fewest->size())) fewest = std::move(odd);
  }
  if (!fewest || fewest->size() * 4 > num_tops) return std::nullopt;
  return DemotedTops{demote(tree, *fewest), fewest->size()};
}

}  // namespace espalier
