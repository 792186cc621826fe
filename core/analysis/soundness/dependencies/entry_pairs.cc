// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/dependencies/entry_pairs.h"

#include <algorithm>

#include "core/analysis/soundness/dependencies/alike_ranges.h"
#include "core/analysis/soundness/dependencies/pair_counter.h"
#include "core/analysis/soundness/dependencies/sibling_switches.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {

namespace {

constexpr std::size_t kReadBeyond = 64;  // readers take 64 counts at once

// Next ports, and one more for entries that name no port.
IdVector<SwitchId, std::uint16_t> count_widths(const Fabric& fabric) {
  IdVector<SwitchId, std::uint16_t> width;
  for (const SwitchId s : fabric.switches()) {
    std::size_t most = 0;
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (peer.is_switch()) most = std::max<std::size_t>(most, fabric.at(peer.as_switch()).num_ports);
    }
    width.push_back(static_cast<std::uint16_t>(most + 2));
  }
  return width;
}

std::size_t num_counts(const Fabric& fabric, SwitchId s, std::size_t width) {
  return (fabric.at(s).num_ports + std::size_t{1}) * width;
}

}  // namespace

void count_entry_pairs(const Fabric& fabric, const ForwardingTables& tables, const VisitEntry& visit,
                       const TakePairs& take) {
  check(tables.num_switches() == fabric.num_switches(), "tables of another fabric");
  const IdVector<SwitchId, std::uint16_t> width = count_widths(fabric);
  const std::vector<LidRange> lids = owned_lids(fabric, tables.width());
  const auto clear = [&](SwitchId s, std::vector<std::uint16_t>& counts) {
    counts.assign(num_counts(fabric, s, width[s]) + kReadBeyond, 0);
    return PairCounts{counts.data(), width[s]};
  };
  if (const std::vector<LidRange> alike = alike_ranges(fabric, tables, lids); !alike.empty()) {
    parallel_blocks(fabric.num_switches(), 1, [&](std::size_t first, std::size_t last) {
      PairCounter counter(fabric, tables, alike, visit);
      std::vector<std::uint16_t> counts;
      for (std::size_t i = first; i < last; ++i) {
        const SwitchId s = id_at<SwitchId>(i);
        const PairCounts own = clear(s, counts);
        counter.count_alike(s, own);
        take(s, own);
      }
    });
    return;
  }
  const IdVector<SwitchId, SwitchId> sibling = find_siblings(fabric, tables, lids);
  std::vector<SwitchId> alone;
  std::vector<SwitchId> others;
  for (const SwitchId s : fabric.switches())
    (sibling[s] == s || width[sibling[s]] != width[s] ? alone : others).push_back(s);
  std::stable_sort(others.begin(), others.end(), [&](SwitchId a, SwitchId b) { return sibling[a] < sibling[b]; });
  IdVector<SwitchId, std::vector<std::uint16_t>> kept(fabric.num_switches());
  parallel_blocks(alone.size(), 1, [&](std::size_t first, std::size_t last) {
    PairCounter counter(fabric, tables, lids, visit);
    for (std::size_t i = first; i < last; ++i) {
      const PairCounts own = clear(alone[i], kept[alone[i]]);
      counter.count(alone[i], own);
      take(alone[i], own);
    }
  });
  // Whoever stands for another is counted.
  parallel_blocks(others.size(), 8, [&](std::size_t first, std::size_t last) {
    PairCounter counter(fabric, tables, lids, visit);
    std::vector<std::uint16_t> counts;
    for (std::size_t i = first; i < last; ++i) {
      const PairCounts own = clear(others[i], counts);
      counter.count_from(others[i], own, sibling[others[i]], kept[sibling[others[i]]].data());
      take(others[i], own);
    }
  });
}

EntryPairs::EntryPairs(const Fabric& fabric, const ForwardingTables& tables, const VisitEntry& visit)
    : width_(count_widths(fabric)) {
  std::size_t total = 0;
  for (const SwitchId s : fabric.switches()) {
    first_.push_back(total);
    total += num_counts(fabric, s, width_[s]);
  }
  counts_.resize(total + kReadBeyond);
  const auto take = [&](SwitchId s, PairCounts own) {
    std::copy_n(own.counts, num_counts(fabric, s, own.width),
                counts_.begin() + static_cast<std::ptrdiff_t>(first_[index(s)]));
  };
  count_entry_pairs(fabric, tables, visit, take);
}

}  // namespace espalier
