// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/subtree.h"

#include <algorithm>

#include "core/base/byte_block.h"

namespace espalier {
namespace {

// The group that leads from `above` down to `below`. REQUIRES: they are neighbors.
const PortGroup* group_down(const FatTree& tree, SwitchId above, SwitchId below) {
  const auto groups = tree.down_groups(above);
  return &*std::lower_bound(groups.begin(), groups.end(), below,
                            [](const PortGroup& g, SwitchId s) { return g.remote < s; });
}

class Grower {
 public:
  Grower(const RoutingProblem& problem, SwitchId root)
      : tree_(problem.tree), costs_(problem.costs), seen_(problem.fabric.num_switches()) {
    subtree_.root = root;
    subtree_.toward = IdVector<SwitchId, const PortGroup*>(problem.fabric.num_switches(), nullptr);
  }

  GrownSubtree grown() {
    bool complete = grow(subtree_.root);
    for (const SwitchId t : tree_.fabric().switches())
      if (costs_.cost(subtree_.root, t) == kUnreachable && tree_.component(t) == tree_.component(subtree_.root))
        complete = false;
    std::sort(subtree_.selective.begin(), subtree_.selective.end());
    if (complete) find_climbs();
    return {std::move(subtree_), complete};
  }

 private:
  // Adds what is above n. False: n reaches something upward, but not through the subtree.
  bool grow(SwitchId n) {
    std::vector<const PortGroup*> ups = higher_first(n);
    std::vector<std::uint8_t> covered(costs_.stride(), 0);  // 255: n reaches it through the subtree
    const auto add = [&](SwitchId above) {
      subtree_.toward[above] = group_down(tree_, above, n);
      const Hops* const row = costs_.cost_row(above).data();
      for (std::size_t t = 0; t < covered.size(); t += ByteBlock::kSize)
        (ByteBlock::load(&covered[t]) | reached(row + t)).store(&covered[t]);
    };
    std::erase_if(ups, [&](const PortGroup* up) {
      if (!stands_alone(up->remote)) return false;
      add(up->remote);
      grow_whole(up->remote);
      return true;
    });
    bool complete = true;
    for (const PortGroup* up : ups)
      if (!subtree_.holds(up->remote) && adds_to(covered, n, up->remote)) {
        add(up->remote);
        complete = grow(up->remote) && complete;
      }
    const auto& groups = tree_.up_groups(n);
    if (std::all_of(groups.begin(), groups.end(), [&](const PortGroup& up) { return subtree_.joins(n, up.remote); }))
      return complete;
    subtree_.selective.push_back(n);
    return complete && !adds_to(covered, n, n);
  }

  // Up-groups that climb a level before those that stay on it, each kind in its own order.
  std::vector<const PortGroup*> higher_first(SwitchId n) const {
    std::vector<const PortGroup*> ups;
    for (const PortGroup& up : tree_.up_groups(n)) ups.push_back(&up);
    std::stable_partition(ups.begin(), ups.end(),
                          [&](const PortGroup* up) { return tree_.level(up->remote) > tree_.level(n); });
    return ups;
  }

  // Whether `bottom` and all above it are outside the subtree, and have one path down to `bottom` each.
  bool stands_alone(SwitchId bottom) {
    std::vector<SwitchId> found{bottom};
    bool alone = !subtree_.holds(bottom);
    seen_[bottom] = 1;
    for (std::size_t head = 0; alone && head < found.size(); ++head)
      for (const PortGroup& up : tree_.up_groups(found[head])) {
        alone = alone && seen_[up.remote] == 0 && !subtree_.holds(up.remote);
        seen_[up.remote] = 1;
        found.push_back(up.remote);
      }
    for (const SwitchId s : found) seen_[s] = 0;
    return alone;
  }

  // REQUIRES: stands_alone(bottom) was true.
  void grow_whole(SwitchId bottom) {
    for (const PortGroup& up : tree_.up_groups(bottom)) {
      subtree_.toward[up.remote] = group_down(tree_, up.remote, bottom);
      grow_whole(up.remote);
    }
  }

  // Whether `s` reaches a switch that is not below n and not `covered`.
  bool adds_to(const std::vector<std::uint8_t>& covered, SwitchId n, SwitchId s) const {
    const Hops* const costs = costs_.cost_row(s).data();
    const Hops* const below = costs_.down_row(n).data();
    for (std::size_t t = 0; t < covered.size(); t += ByteBlock::kSize) {
      const ByteBlock known = ByteBlock::load(&covered[t]) | reached(below + t);
      if ((reached(costs + t) & (known ^ ByteBlock(255))).any()) return true;
    }
    return false;
  }

  // Of a block of costs, those that are finite.
  static ByteBlock reached(const Hops* costs) {
    return equal(ByteBlock::load(costs), ByteBlock(kUnreachable)) ^ ByteBlock(255);
  }

  void find_climbs() {
    const auto ascending = tree_.ascending();
    subtree_.climb = IdVector<SwitchId, Hops>(tree_.fabric().num_switches(), kUnreachable);
    for (auto s = ascending.rbegin(); s != ascending.rend(); ++s) {
      Hops& own = subtree_.climb[*s];
      if (subtree_.holds(*s)) {
        own = 0;
        continue;
      }
      for (const PortGroup& up : tree_.up_groups(*s)) {
        if (const Hops above = subtree_.climb[up.remote]; above != kUnreachable)
          own = std::min(own, static_cast<Hops>(above + 1));
        if (own == 1) break;  // there is no less
      }
    }
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  Subtree subtree_;
  IdVector<SwitchId, std::uint8_t> seen_;  // scratch, all 0 between calls
};

}  // namespace

GrownSubtree grow_subtree(const RoutingProblem& problem, SwitchId root) { return Grower(problem, root).grown(); }

}  // namespace espalier
