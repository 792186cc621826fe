// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/entry_pairs.h"

#include <algorithm>

#include "core/analysis/soundness/dependencies/pair_counter.h"
#include "core/analysis/soundness/dependencies/sibling_switches.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {

EntryPairs::EntryPairs(const Fabric& fabric, const ForwardingTables& tables, const Visit& visit) {
  check(tables.num_switches() == fabric.num_switches(), "tables of another fabric");
  std::size_t total = 0;
  for (const SwitchId s : fabric.switches()) {
    std::size_t most = 0;
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (peer.is_switch()) most = std::max<std::size_t>(most, fabric.at(peer.as_switch()).num_ports);
    }
    width_.push_back(static_cast<std::uint16_t>(most + 2));
    first_.push_back(total);
    total += (fabric.at(s).num_ports + 1U) * (most + 2);
  }
  counts_.assign(total, 0);

  const auto own = [&](SwitchId s) { return PairCounts{counts_.data() + first_[index(s)], width_[s]}; };
  const std::vector<LidRange> lids = owned_lids(fabric, tables.width());
  const IdVector<SwitchId, SwitchId> sibling = find_siblings(fabric, tables, lids);
  std::vector<SwitchId> alone;
  std::vector<SwitchId> others;
  for (const SwitchId s : fabric.switches())
    (sibling[s] == s || width_[sibling[s]] != width_[s] ? alone : others).push_back(s);
  std::stable_sort(others.begin(), others.end(), [&](SwitchId a, SwitchId b) { return sibling[a] < sibling[b]; });
  parallel_blocks(alone.size(), 1, [&](std::size_t first, std::size_t last) {
    PairCounter counter(fabric, tables, lids, visit);
    for (std::size_t i = first; i < last; ++i) counter.count(alone[i], own(alone[i]));
  });
  // Whoever stands for another is counted.
  parallel_blocks(others.size(), 8, [&](std::size_t first, std::size_t last) {
    PairCounter counter(fabric, tables, lids, visit);
    for (std::size_t i = first; i < last; ++i)
      counter.count_from(others[i], own(others[i]), sibling[others[i]], own(sibling[others[i]]).counts);
  });
}

}  // namespace espalier
