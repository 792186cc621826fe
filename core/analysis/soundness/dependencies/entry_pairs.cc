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
  if (const std::vector<LidRange> alike = alike_ranges(fabric, tables, lids); !alike.empty()) {
    parallel_blocks(fabric.num_switches(), 1, [&](std::size_t first, std::size_t last) {
      PairCounter counter(fabric, tables, alike, visit);
      for (std::size_t i = first; i < last; ++i) counter.count_alike(id_at<SwitchId>(i), own(id_at<SwitchId>(i)));
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
      const SwitchId s = alone[i];
      kept[s].assign(num_counts(fabric, s, width[s]) + kReadBeyond, 0);
      const PairCounts own{kept[s].data(), width[s]};
      counter.count(s, own);
      take(s, own);
    }
  });
  // Whoever stands for another is counted.
  parallel_blocks(others.size(), 8, [&](std::size_t first, std::size_t last) {
    PairCounter counter(fabric, tables, lids, visit);
    std::vector<std::uint16_t> counts;
    for (std::size_t i = first; i < last; ++i) {
      const SwitchId s = others[i];
      counts.assign(num_counts(fabric, s, width[s]) + kReadBeyond, 0);
      const PairCounts own{counts.data(), width[s]};
      counter.count_from(s, own, sibling[s], kept[sibling[s]].data());
      take(s, own);
    }
  });
}

EntryPairs::EntryPairs(const Fabric& fabric, const ForwardingTables& tables) : width_(count_widths(fabric)) {
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
  count_entry_pairs(
      fabric, tables, [](SwitchId, Lid) {}, take);
}

}  // namespace espalier
