// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/survivor_costs.h"

#include <algorithm>
#include <cstring>

namespace espalier {
namespace {

constexpr std::size_t kLine = 64;  // rows are whole cache lines; loops of known length become vector instructions

// to[i] = min(to[i], from[i] + 1), where infinity + 1 = infinity. REQUIRES: count is a multiple of kLine.
void relax(const Hops* __restrict from, Hops* __restrict to, std::size_t count) {
  for (std::size_t line = 0; line < count; line += kLine)
    for (std::size_t i = 0; i < kLine; ++i) {
      const Hops one_more = static_cast<Hops>(from[line + i] + (from[line + i] != kUnreachable));
      to[line + i] = std::min(to[line + i], one_more);
    }
}

// to[i] = from[i] where that is finite.
void overrule(const Hops* __restrict from, Hops* __restrict to, std::size_t count) {
  for (std::size_t line = 0; line < count; line += kLine)
    for (std::size_t i = 0; i < kLine; ++i)
      to[line + i] = from[line + i] != kUnreachable ? from[line + i] : to[line + i];
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
    if (alive.now[s] == kNoSwitch) lost_group_[index(s)] = 1;
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
    if (alive_.channel[index(fabric.channel(s, port))] != 0) return true;
  return false;
}

bool SurvivorCosts::differs(SwitchId, const Hops* row, std::span<const Hops> reference) const {
  return std::memcmp(row, reference.data(), stride_) != 0;
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
    if (!differs(s, row.data(), costs_.down_row(s))) continue;
    changed_[index(s)] = 1;
    own_.push_back(row);
    down_[index(s)] = own_.back().data();
  }
}

// Costs, from the highest switch down. Row data in own_ stays where it is when own_ grows.
void SurvivorCosts::climb() {
  std::vector<std::uint8_t> cost_changed(changed_.size());
  std::vector<Hops> row(stride_);
  const auto ascending = tree_.ascending();
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) {
    const SwitchId s = *it;
    bool affected = lost_group_[index(s)] != 0 || changed_[index(s)] != 0;
    for (const PortGroup& g : tree_.up_groups(s)) affected = affected || cost_changed[index(g.remote)] != 0;
    if (!affected) continue;
    std::fill(row.begin(), row.end(), kUnreachable);
    for (const PortGroup& g : tree_.up_groups(s))
      if (is_left(s, g)) relax(cost_[index(g.remote)], row.data(), stride_);
    overrule(down_[index(s)], row.data(), stride_);
    if (!differs(s, row.data(), costs_.cost_row(s))) continue;
    cost_changed[index(s)] = 1;
    own_.push_back(row);
    cost_[index(s)] = own_.back().data();
  }
  for (std::size_t i = 0; i < changed_.size(); ++i)
    changed_[i] = static_cast<std::uint8_t>(changed_[i] | cost_changed[i]);
}

}  // namespace espalier
