// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/ftree.h"

#include <algorithm>

#include "core/engines/coalescing_tree.h"
#include "core/engines/usage_counters.h"

namespace espalier {
namespace {

class LeastUsedUpward {
 public:
  explicit LeastUsedUpward(const FatTree& tree) : tree_(tree), used_(tree) {}

  void up(SwitchId s, std::vector<CableChoice>& out) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (const PortGroup& g : tree_.up_groups(s)) out.push_back({&g, used_.least_used(g)});
    std::sort(out.begin() + first, out.end(),
              [&](const CableChoice& a, const CableChoice& b) { return used_.key(*a.group) < used_.key(*b.group); });
  }
  void down(SwitchId a, std::vector<CableChoice>& out) {
    for (const PortGroup& g : tree_.down_groups(a)) out.push_back({&g, used_.least_used(g)});
  }
  void went_up(const PortGroup& taken, std::size_t attempt) {
    if (attempt == 0) used_.take(taken);
  }
  void went_down(const PortGroup& taken) { used_.take(taken); }

 private:
  const FatTree& tree_;
  UsageCounters used_;
};

}  // namespace

ForwardingTables ftree(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order) {
  LeastUsedUpward chooser(tree);
  return grow_all(tree, costs, order, chooser);
}

}  // namespace espalier
