// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree/ftree2.h"

#include <utility>

#include "core/engines/ftree/coalescing_tree.h"
#include "core/engines/ftree/usage_counters.h"

namespace espalier {
namespace {

class LeastUsedFarSwitch {
 public:
  explicit LeastUsedFarSwitch(const FatTree& tree)
      : tree_(tree), used_(tree), ascending_(tree.fabric().num_switches()), descending_(tree.fabric().num_switches()) {}

  void up(SwitchId s, std::vector<LinkChoice>& out) { sorted(tree_.up_groups(s), ascending_, out); }
  void down(SwitchId a, std::vector<LinkChoice>& out) { sorted(tree_.down_groups(a), descending_, out); }
  void went_up(const PortGroup& taken, std::size_t, std::size_t leaves) {
    ascending_[taken.remote] += leaves;
    if (leaves > 0) used_.take(taken);
  }
  void went_down(const PortGroup& taken, std::size_t leaves) {
    descending_[taken.remote] += leaves;
    used_.take(taken);
  }

 private:
  void sorted(std::span<const PortGroup> groups, const IdVector<SwitchId, std::uint64_t>& leaves,
              std::vector<LinkChoice>& out) {
    used_.append_sorted(
        groups, [&](const PortGroup& g) { return std::pair(leaves[g.remote], used_.key(g)); }, out);
  }

  const FatTree& tree_;
  UsageCounters used_;                            // per link
  IdVector<SwitchId, std::uint64_t> ascending_;   // asc-usage: leaves served on the way up through this switch
  IdVector<SwitchId, std::uint64_t> descending_;  // desc-usage: leaves that send up to or through it
};

}  // namespace

ForwardingTables ftree2(const RoutingProblem& problem) {
  LeastUsedFarSwitch chooser(problem.tree);
  return grow_all(problem, chooser);
}

}  // namespace espalier
