// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/complete_tables.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/engines/subtree_plan.h"
#include "core/engines/turns.h"

namespace espalier {
namespace {

// Fills the rows of single switches; owns the scratch space that one row needs.
class DetourFiller {
 public:
  DetourFiller(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets,
               const std::vector<SubtreePlan>& plans)
      : tree_(tree), costs_(costs), targets_(targets), plans_(plans) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    const SubtreePlan& plan = plans_[tree_.part(s)];
    towards_.assign(plan.subtrees.size(), {});
    const auto cost = costs_.cost_row(s);
    for (const SwitchId t : tree_.fabric().switches()) {
      if (cost[index(t)] != kUnreachable || tree_.part(t) != tree_.part(s)) continue;
      const Subtree& subtree = plan.between(s, t);
      auto& ports = towards_[static_cast<std::size_t>(&subtree - plan.subtrees.data())];
      if (ports.empty()) ports = towards(subtree, s);
      spread(t, ports, row);
    }
    for (const Subtree& subtree : plan.subtrees)
      if (std::binary_search(subtree.selective.begin(), subtree.selective.end(), s)) turn_inside(plan, subtree, s, row);
  }

 private:
  // The ports of s that lead to or along the subtree.
  [[nodiscard]] std::vector<PortNum> towards(const Subtree& subtree, SwitchId s) const {
    if (subtree.toward[s] != nullptr) return ports_of({subtree.toward[s]});
    std::vector<const PortGroup*> ups;
    for (const PortGroup& up : tree_.up_groups(s))
      if (subtree.climb[up.remote] < subtree.climb[s]) ups.push_back(&up);
    return ports_of(ups);
  }

  // What comes down the subtree to a selective switch and turns there has to go up in the subtree.
  void turn_inside(const SubtreePlan& plan, const Subtree& subtree, SwitchId s, std::span<PortNum> row) const {
    std::vector<const PortGroup*> inside;
    for (const PortGroup& up : tree_.up_groups(s))
      if (subtree.joins(s, up.remote)) inside.push_back(&up);
    for (const SwitchId t : tree_.fabric().switches()) {
      if (costs_.cost(s, t) == kUnreachable || costs_.down_cost(s, t) != kUnreachable) continue;
      const auto turns_for = [&](const PortGroup* from) {
        return costs_.cost(from->remote, t) == kUnreachable && &plan.between(from->remote, t) == &subtree;
      };
      if (std::none_of(inside.begin(), inside.end(), turns_for)) continue;
      Hops nearest = kUnreachable;
      for (const PortGroup* up : inside) nearest = std::min(nearest, costs_.cost(up->remote, t));
      std::vector<const PortGroup*> closest;
      for (const PortGroup* up : inside)
        if (costs_.cost(up->remote, t) == nearest) closest.push_back(up);
      spread(t, ports_of(closest), row);
    }
  }

  [[nodiscard]] std::vector<PortNum> ports_of(const std::vector<const PortGroup*>& groups) const {
    std::vector<PortNum> ports;
    for (const PortGroup* g : groups) ports.insert(ports.end(), tree_.ports(*g).begin(), tree_.ports(*g).end());
    return ports;
  }

  // The LIDs at t in turn over these ports.
  void spread(SwitchId t, const std::vector<PortNum>& ports, std::span<PortNum> row) const {
    for (const LidTarget& target : targets_.at(t))
      for (std::size_t k = 0; k < std::size_t{1} << target.lmc; ++k)
        row[index(target.base) + k] = ports[(target.id + k) % ports.size()];
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const LidTargets& targets_;
  const std::vector<SubtreePlan>& plans_;
  std::vector<std::vector<PortNum>> towards_;  // per subtree of the part
};

bool reaches_its_part(const FatTree& tree, const UpDownCosts& costs, std::uint32_t part) {
  for (const SwitchId s : tree.fabric().switches())
    if (tree.part(s) == part)
      for (const SwitchId t : tree.fabric().switches())
        if (costs.cost(s, t) == kUnreachable && tree.part(t) == part) return false;
  return true;
}

}  // namespace

Status complete_tables(const FatTree& tree, const UpDownCosts& costs, const LidTargets& targets,
                       ForwardingTables& tables) {
  std::vector<SubtreePlan> plans(tree.num_parts());
  for (std::uint32_t part = 0; part < tree.num_parts(); ++part) {
    if (reaches_its_part(tree, costs, part)) continue;
    plans[part] = plan_subtrees(tree, costs, part, kNoSwitch);
    if (plans[part].subtrees.empty()) return route_by_turns(tree, costs, targets, tables);
  }
  // Every part that needs them has its subtrees, and their turns close no cycle.
  parallel_blocks(tree.fabric().num_switches(), 8, [&](std::size_t first, std::size_t last) {
    DetourFiller filler(tree, costs, targets, plans);
    for (std::size_t s = first; s < last; ++s) filler.fill(id_at<SwitchId>(s), tables.row(id_at<SwitchId>(s)));
  });
  return {};
}

std::uint64_t count_unreached_hosts(const FatTree& tree, const UpDownCosts& costs) {
  std::uint64_t pairs = 0;
  for (const SwitchId s : tree.fabric().switches())
    for (const SwitchId t : tree.fabric().switches())
      if (costs.cost(s, t) == kUnreachable && tree.part(s) == tree.part(t))
        pairs += tree.hosts(s).size() * tree.hosts(t).size();
  return pairs;
}

}  // namespace espalier
