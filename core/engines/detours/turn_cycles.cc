// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/turn_cycles.h"

namespace espalier {
namespace {

class CycleSearch {
 public:
  CycleSearch(const FatTree& tree, const SubtreePlan& plan)
      : tree_(tree), plan_(plan), above_root_(tree.fabric().num_switches()), state_(tree.fabric().num_channels()) {
    for (const Subtree& subtree : plan.subtrees) above_root_[subtree.root] = 1;
    for (const SwitchId s : tree.ascending())
      if (above_root_[s] != 0)
        for (const PortGroup& up : tree.up_groups(s)) above_root_[up.remote] = 1;
  }

  // Every cycle contains a turn, so one that goes up from a switch above a root.
  bool finds_one() {
    for (const SwitchId s : tree_.fabric().switches())
      if (above_root_[s] != 0)
        for (const PortGroup& up : tree_.up_groups(s))
          if (comes_back({s, &up, Direction::kUp})) return true;
    return false;
  }

 private:
  enum class Direction : std::uint8_t { kUp, kDown };
  enum State : std::uint8_t { kNew, kOnPath, kDone };
  struct Step {  // of a packet: from this switch over this group
    SwitchId from;
    const PortGroup* group;
    Direction direction;
  };

  // Depth first: whether a step on the path is met again.
  bool comes_back(const Step& step) {  // NOLINT(misc-no-recursion)
    std::uint8_t& state = state_[step.group->first_port];
    if (state != kNew) return state == kOnPath;
    state = kOnPath;
    const SwitchId at = step.group->remote;
    for (const PortGroup& up : tree_.up_groups(at))
      if (step.direction == Direction::kUp || may_turn(step.from, at, up.remote))
        if (comes_back({at, &up, Direction::kUp})) return true;
    for (const PortGroup& down : tree_.down_groups(at))
      if (above_root_[down.remote] != 0 && down.remote != step.from)
        if (comes_back({at, &down, Direction::kDown})) return true;
    state = kDone;
    return false;
  }

  [[nodiscard]] bool may_turn(SwitchId from, SwitchId at, SwitchId to) const {
    if (from == to) return false;
    const Subtree& subtree = plan_.between(from, to);
    return subtree.joins(at, from) && subtree.joins(at, to);
  }

  const FatTree& tree_;
  const SubtreePlan& plan_;
  IdVector<SwitchId, std::uint8_t> above_root_;  // or a root
  std::vector<std::uint8_t> state_;              // per group, at its first port
};

}  // namespace

bool turns_close_a_cycle(const FatTree& tree, const SubtreePlan& plan) { return CycleSearch(tree, plan).finds_one(); }

}  // namespace espalier
