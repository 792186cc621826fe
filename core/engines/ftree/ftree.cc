// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree/ftree.h"

#include "core/engines/ftree/coalescing_tree.h"
#include "core/engines/ftree/usage_counters.h"

namespace espalier {
namespace {

class LeastUsedLink {
 public:
  explicit LeastUsedLink(const FatTree& tree) : tree_(tree), used_(tree) {}

  void up(SwitchId s, std::vector<LinkChoice>& out) { sorted(tree_.up_groups(s), out); }
  void down(SwitchId a, std::vector<LinkChoice>& out) { sorted(tree_.down_groups(a), out); }
  void went_up(const PortGroup& taken, std::size_t attempt, std::size_t) {
    if (attempt == 0) used_.take(taken);
  }
  void went_down(const PortGroup& taken, std::size_t) { used_.take(taken); }

 private:
  void sorted(std::span<const PortGroup> groups, std::vector<LinkChoice>& out) {
    used_.append_sorted(
        groups, [&](const PortGroup& g) { return used_.key(g); }, out);
  }

  const FatTree& tree_;
  UsageCounters used_;
};

}  // namespace

ForwardingTables ftree(const RoutingProblem& problem) {
  LeastUsedLink chooser(problem.tree);
  return grow_all(problem, chooser);
}

}  // namespace espalier
