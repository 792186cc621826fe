// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference/stray_entries.h"

#include <utility>
#include <vector>

#include "core/analysis/routes/walk.h"
#include "core/engines/detours/channel_order.h"

namespace espalier {
namespace {

class StrayEntries {
 public:
  explicit StrayEntries(Reference& reference)
      : tree_(tree_of(reference)), costs_(tree_), fabric_(reference.fabric), tables_(reference.tables) {}

  // Returns whether there were any.
  [[nodiscard]] bool drop() {
    std::vector<std::pair<SwitchId, Lid>> odd;
    for_each_entry([&](SwitchId s, Lid lid, SwitchId t) {
      if (is_odd(costs_, s, next_switch(s, lid), t)) odd.emplace_back(s, lid);
    });
    if (!follows_orientation(odd.size(), fabric_)) return false;
    for (const auto& [s, lid] : odd) tables_.set(s, lid, kNoPort);
    bool any = !odd.empty();
    ChannelOrder order(tree_);
    insert_up_down_steps(tree_, order);
    for_each_entry([&](SwitchId s, Lid lid, SwitchId) {
      const SwitchId next = next_switch(s, lid);
      if (next == kNoSwitch || next_switch(next, lid) == kNoSwitch) return;
      if (order.insert(fabric_.channel(s, tables_.at(s, lid)), tables_.at(next, lid))) return;
      tables_.set(s, lid, kNoPort);
      any = true;
    });
    return any;
  }

 private:
  // visit(s, lid, t) for each entry toward another switch t.
  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (const SwitchId s : fabric_.switches())
      for (std::size_t lid = 1; lid < tables_.width(); ++lid)
        if (const SwitchId t = fabric_.destination_switch(id_at<Lid>(lid)); t != kNoSwitch && t != s)
          visit(s, id_at<Lid>(lid), t);
  }

  // kNoSwitch: the entry leads to none.
  [[nodiscard]] SwitchId next_switch(SwitchId s, Lid lid) const { return step(fabric_, tables_, s, lid).next; }

  const FatTree tree_;
  const UpDownCosts costs_;
  const Fabric& fabric_;
  ForwardingTables& tables_;
};

}  // namespace

void drop_stray_entries(Reference& reference) {
  // A link that no entry uses any more may be one that the orientation sets aside.
  while (StrayEntries(reference).drop()) {
  }
}

}  // namespace espalier
