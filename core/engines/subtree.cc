// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/subtree.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/engines/closed_form.h"

namespace espalier {
namespace {

bool reaches_all(const FatTree& tree, const UpDownCosts& costs, SwitchId root) {
  for (const SwitchId t : tree.fabric().switches())
    if (costs.cost(root, t) == kUnreachable && tree.part(t) == tree.part(root)) return false;
  return true;
}

// Whether every switch above `root` has one way down to it, parallel cables aside.
bool has_single_ways_down(const FatTree& tree, SwitchId root) {
  IdVector<SwitchId, std::uint8_t> seen(tree.fabric().num_switches());
  std::vector<SwitchId> todo{root};
  seen[root] = 1;
  while (!todo.empty()) {
    const SwitchId s = todo.back();
    todo.pop_back();
    for (const PortGroup& up : tree.up_groups(s)) {
      if (seen[up.remote] != 0) return false;
      seen[up.remote] = 1;
      todo.push_back(up.remote);
    }
  }
  return true;
}

}  // namespace

SwitchId subtree_root(const FatTree& tree, const UpDownCosts& costs, std::uint32_t part) {
  const auto fits = [&](SwitchId s) {
    return tree.part(s) == part && reaches_all(tree, costs, s) && has_single_ways_down(tree, s);
  };
  SwitchId above_leaves = kNoSwitch;
  for (const SwitchId s : tree.fabric().switches()) {
    const bool is_leaf = tree.down_groups(s).empty();
    if ((!is_leaf && above_leaves != kNoSwitch) || !fits(s)) continue;
    if (is_leaf) return s;
    above_leaves = s;
  }
  return above_leaves;
}

void route_through_subtree(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets, SwitchId root,
                           ForwardingTables& tables) {
  parallel_for(tree.fabric().num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    if (tree.part(s) != tree.part(root) || s == root) return;
    const std::vector<PortNum> towards_root = alternative_ports(tree, costs, s, root);
    const auto row = tables.row(s);
    for (const SwitchId t : tree.fabric().switches()) {
      if (costs.cost(s, t) != kUnreachable || tree.part(t) != tree.part(root)) continue;
      for (const LidTarget& target : targets.at(t))
        std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(index(target.base)), std::size_t{1} << target.lmc,
                    towards_root[target.id % towards_root.size()]);
    }
  });
}

}  // namespace espalier
