// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/survivors/survivor_costs.h"

#include <algorithm>
#include <cstring>

#include "core/base/byte_block.h"
#include "core/base/sort_unique.h"

namespace espalier {
namespace {

constexpr std::size_t kMostShare = 8;  // of a row that is computed by single targets: one in so many

// to[i] = min(to[i], from[i] + 1), where infinity + 1 = infinity. REQUIRES: count is a multiple of ByteBlock::kSize.
void relax(const Hops* from, Hops* to, std::size_t count) {
  static_assert(kUnreachable == 255);
  for (std::size_t i = 0; i < count; i += ByteBlock::kSize)
    min(ByteBlock::load(to + i), one_more(ByteBlock::load(from + i))).store(to + i);
}

// to[i] = from[i] where that is finite.
void overrule(const Hops* from, Hops* to, std::size_t count) {
  for (std::size_t i = 0; i < count; i += ByteBlock::kSize) {
    const ByteBlock hops = ByteBlock::load(from + i);
    select(equal(hops, ByteBlock(kUnreachable)), ByteBlock::load(to + i), hops).store(to + i);
  }
}

bool is_same(std::span<const Hops> row, std::span<const Hops> reference) {
  return std::memcmp(row.data(), reference.data(), row.size()) == 0;
}

}  // namespace

SurvivorCosts::SurvivorCosts(const FatTree& tree, const UpDownCosts& costs, const Survivors& alive)
    : tree_(tree),
      costs_(costs),
      alive_(alive),
      stride_(costs.stride()),
      lost_group_(tree.fabric().num_switches()),
      changed_(lost_group_.size()),
      down_(lost_group_.size()),
      cost_(lost_group_.size()) {
  for (const SwitchId s : tree.fabric().switches()) {
    down_[index(s)] = costs.down_row(s).data();
    cost_[index(s)] = costs.cost_row(s).data();
    if (alive.now[s] != kNoSwitch) continue;
    lost_group_[index(s)] = 1;
    gone_.push_back(static_cast<std::uint32_t>(s));
  }
  for (const SwitchId s : alive.losers) {
    const auto is_gone = [&](const PortGroup& g) { return !is_left(s, g); };
    const bool lost = std::any_of(tree.up_groups(s).begin(), tree.up_groups(s).end(), is_gone) ||
                      std::any_of(tree.down_groups(s).begin(), tree.down_groups(s).end(), is_gone);
    lost_group_[index(s)] = lost ? 1 : 0;
  }
  descend();
  climb();
}

bool SurvivorCosts::is_left(SwitchId s, const PortGroup& group) const {
  const Fabric& fabric = tree_.fabric();
  for (const PortNum port : tree_.ports(group))
    if (alive_.channel[fabric.channel(s, port)] != 0) return true;
  return false;
}

void SurvivorCosts::keep_gone(std::vector<Hops>& row, std::span<const Hops> reference) const {
  for (const std::uint32_t t : gone_) row[t] = reference[t];
}

// A copy that stays.
const Hops* SurvivorCosts::own(const std::vector<Hops>& row) {
  Hops* const kept = own_.take(stride_);
  std::copy(row.begin(), row.end(), kept);
  return kept;
}

// Down-costs, from the lowest switch up.
void SurvivorCosts::descend() {
  std::vector<Hops> row(stride_);
  for (const SwitchId s : tree_.ascending()) {
    bool affected = lost_group_[index(s)] != 0;
    for (const PortGroup& g : tree_.down_groups(s)) affected = affected || changed_[index(g.remote)] != 0;
    if (!affected) continue;
    std::fill(row.begin(), row.end(), kUnreachable);
    row[index(s)] = 0;
    for (const PortGroup& g : tree_.down_groups(s))
      if (is_left(s, g)) relax(down_[index(g.remote)], row.data(), stride_);
    keep_gone(row, costs_.down_row(s));
    if (is_same(row, costs_.down_row(s))) continue;
    changed_[index(s)] = 1;
    down_[index(s)] = own(row);
  }
}

// The targets to which the costs of an upper neighbor of s have changed. False: more than are worth a list.
bool SurvivorCosts::gather(SwitchId s, const std::vector<Targets>& changes, Targets& targets) const {
  const std::size_t most = stride_ / kMostShare;
  targets.clear();
  for (const PortGroup& g : tree_.up_groups(s)) {
    const Targets& of = changes[index(g.remote)];
    if (targets.size() + of.size() > most) return false;
    targets.insert(targets.end(), of.begin(), of.end());
  }
  sort_unique(targets);
  return true;
}

// What climb() computes for one target. REQUIRES: s has lost no group.
Hops SurvivorCosts::cost_from_above(SwitchId s, std::uint32_t t) const {
  if (down_[index(s)][t] != kUnreachable) return down_[index(s)][t];
  Hops least = kUnreachable;
  for (const PortGroup& g : tree_.up_groups(s)) {
    const Hops from = cost_[index(g.remote)][t];
    if (from != kUnreachable) least = std::min(least, static_cast<Hops>(from + 1));
  }
  return least;
}

// Costs, from the highest switch down.
void SurvivorCosts::climb() {
  std::vector<std::uint8_t> cost_changed(changed_.size());
  std::vector<Targets> changes(changed_.size());  // per switch whose costs have changed: to whom
  Targets targets;
  std::vector<Hops> row(stride_);
  const auto keep = [&](SwitchId s, const std::vector<Hops>& costs) {
    cost_changed[index(s)] = 1;
    cost_[index(s)] = own(costs);
  };
  const auto ascending = tree_.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    const SwitchId s = *it;
    bool affected = lost_group_[index(s)] != 0 || changed_[index(s)] != 0;
    for (const PortGroup& g : tree_.up_groups(s)) affected = affected || cost_changed[index(g.remote)] != 0;
    if (!affected) continue;
    if (lost_group_[index(s)] == 0 && changed_[index(s)] == 0 && gather(s, changes, targets)) {
      const auto was = costs_.cost_row(s);
      std::erase_if(targets, [&](std::uint32_t t) { return cost_from_above(s, t) == was[t]; });
      if (targets.empty()) continue;
      std::copy(was.begin(), was.end(), row.begin());
      for (const std::uint32_t t : targets) row[t] = cost_from_above(s, t);
      keep(s, row);
      changes[index(s)] = targets;
      continue;
    }
    std::fill(row.begin(), row.end(), kUnreachable);
    for (const PortGroup& g : tree_.up_groups(s))
      if (is_left(s, g)) relax(cost_[index(g.remote)], row.data(), stride_);
    overrule(down_[index(s)], row.data(), stride_);
    const auto was = costs_.cost_row(s);
    keep_gone(row, was);
    if (is_same(row, was)) continue;
    keep(s, row);
    for (std::uint32_t t = 0; t < stride_; ++t)
      if (row[t] != was[t]) changes[index(s)].push_back(t);
  }
  for (std::size_t i = 0; i < changed_.size(); ++i)
    changed_[i] = static_cast<std::uint8_t>(changed_[i] | cost_changed[i]);
}

}  // namespace espalier
