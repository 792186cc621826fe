// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/multicast_tree.h"

#include <algorithm>

#include "core/base/hash.h"

namespace espalier {
namespace {

class TrunkGrower {
 public:
  TrunkGrower(const FatTree& tree, SwitchId root, const IdVector<SwitchId, McastSupport>& support)
      : tree_(tree), support_(support) {
    trunk_.root = root;
    trunk_.steps = IdVector<SwitchId, Trunk::Step>(tree.fabric().num_switches());
    queue_.push_back(root);
  }

  Trunk grow() && {
    for (std::size_t i = 0; i < queue_.size(); ++i) enter_all(queue_[i], tree_.down_groups(queue_[i]));
    // Invariant: all that lies below the root is in. The rest needs a turn that unicast would not take.
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      enter_all(queue_[i], tree_.down_groups(queue_[i]));
      enter_all(queue_[i], tree_.up_groups(queue_[i]));
    }
    return std::move(trunk_);
  }

 private:
  void enter_all(SwitchId from, std::span<const PortGroup> groups) {
    for (const PortGroup& group : groups) {
      if (trunk_.contains(group.remote) || support_[group.remote] == McastSupport::kNo) continue;
      const PortNum port = tree_.ports(group).front();
      trunk_.steps[group.remote] = {from, tree_.fabric().peer(from, port).port, port};
      queue_.push_back(group.remote);
    }
  }

  const FatTree& tree_;
  const IdVector<SwitchId, McastSupport>& support_;
  Trunk trunk_;
  std::vector<SwitchId> queue_;
};

}  // namespace

Trunk grow_shortest_trunk(const FatTree& tree, SwitchId root, const IdVector<SwitchId, McastSupport>& support) {
  return breadth_first(tree, root, [&](SwitchId s) { return support[s] != McastSupport::kNo; });
}

std::vector<TreeEdge> join(const Trunk& trunk, std::span<const SwitchId> members) {
  if (members.empty()) return {};
  struct Mark {
    bool member = false;
    bool in = false;
    std::uint32_t children = 0;
    SwitchId child = kNoSwitch;  // one of them
  };
  IdVector<SwitchId, Mark> marks(trunk.steps.size());
  for (const SwitchId s : members) marks[s].member = true;

  // The union of the ways from the members to the root.
  for (SwitchId s : members) {
    for (; !marks[s].in; s = trunk.steps[s].parent) {
      marks[s].in = true;
      if (s == trunk.root) break;
      Mark& parent = marks[trunk.steps[s].parent];
      ++parent.children;
      parent.child = s;
    }
  }

  // The root only relays when all members are below one of its children: start at the topmost fork or member.
  SwitchId top = trunk.root;
  while (!marks[top].member && marks[top].children == 1) {
    marks[top].in = false;
    top = marks[top].child;
  }

  std::vector<TreeEdge> edges;
  for (const SwitchId s : trunk.steps.ids()) {
    const Trunk::Step& step = trunk.steps[s];
    if (marks[s].in && s != top) edges.push_back({step.parent, step.parent_port, s, step.port});
  }
  return edges;
}

SwitchId choose_root(const FatTree& tree, std::uint32_t component, std::uint16_t mlid,
                     const IdVector<SwitchId, McastSupport>& support) {
  SwitchId best = kNoSwitch;
  std::pair<Level, std::uint64_t> best_rank{};
  for (const SwitchId s : tree.fabric().switches()) {
    if (tree.component(s) != component || support[s] == McastSupport::kNo) continue;
    const std::pair rank{tree.level(s), mix(0, mix(0, index(tree.fabric().at(s).guid)) ^ mlid)};
    if (best == kNoSwitch || rank > best_rank) {
      best = s;
      best_rank = rank;
    }
  }
  return best;
}

const Trunk* MulticastPlan::trunk(std::uint32_t component, std::uint16_t mlid) {
  if (const auto shared = shared_.find(component); shared != shared_.end()) return &shared->second;
  const SwitchId root = choose_root(*tree_, component, mlid, support_);
  if (root == kNoSwitch) return nullptr;
  auto found = trunks_.find(root);
  if (found == trunks_.end()) found = trunks_.emplace(root, TrunkGrower(*tree_, root, support_).grow()).first;
  return &found->second;
}

}  // namespace espalier
