// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_proposal.h"

#include <algorithm>
#include <utility>

#include "core/tree/level_reach.h"
#include "core/tree/tree_of_levels.h"

namespace espalier {
namespace {

constexpr std::size_t kOddLinks = 4;  // at most one link in so many may be a mistake

std::vector<ChannelId> odd_channels(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& level) {
  std::vector<ChannelId> odd;
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() == s) continue;
      const auto [low, high] = std::minmax(level[s], level[peer.as_switch()]);
      if (high != low + 1) odd.push_back(fabric.channel(s, p));
    }
  return odd;
}

}  // namespace

LevelProposal::LevelProposal(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                             IdVector<SwitchId, std::uint32_t> level)
    : fabric_(&fabric), hosts_(&hosts), level_(std::move(level)), odd_(odd_channels(fabric, level_)) {}

bool LevelProposal::has_few_odd_links() const { return odd_links() * kOddLinks <= fabric_->num_switch_links(); }

std::size_t LevelProposal::oddities() const {
  std::size_t count = odd_links();
  for (const SwitchId s : fabric_->switches()) count += level_[s] != 0 && (*hosts_)[s] > 0 ? 1 : 0;
  return count;
}

bool LevelProposal::is_tree() const {
  if (!is_tree_)
    is_tree_ = has_few_odd_links() && joins_most_hosts(*fabric_, *hosts_, level_, LevelLinks::kOfNeighbors);
  return *is_tree_;
}

const JudgedLevels& LevelProposal::whole() const {
  if (!whole_) whole_ = judge({});
  return *whole_;
}

const JudgedLevels& LevelProposal::regular() const {
  if (odd_.empty()) return whole();
  if (!regular_) regular_ = judge({.set_aside = odd_});
  return *regular_;
}

std::unique_ptr<const JudgedLevels> LevelProposal::judge(TreeContext context) const {
  return std::make_unique<const JudgedLevels>(tree_of_levels(*fabric_, level_, std::move(context)), level_);
}

// Where levels can do without their odd links, shortcuts that these are make hops say little: the odd links count first, and
// then the alternatives of the regular ones. By hops a leaf would be ranked above all its other neighbors, or a pod turned
// over, for the sake of one stray cable.
bool is_better(const LevelProposal& a, const LevelProposal& b) {
  if (a.odd_links() + b.odd_links() == 0) return a.whole().is_better_than(b.whole());
  if (!a.is_tree() || !b.is_tree()) {
    if (a.is_tree() && a.oddities() < b.oddities()) return true;
    if (b.is_tree() && b.oddities() < a.oddities()) return false;
    return a.whole().is_better_than(b.whole());
  }
  if (a.odd_links() != b.odd_links()) return a.odd_links() < b.odd_links();
  const JudgedLevels &of_a = a.regular(), &of_b = b.regular();
  if (of_a.minus_alternatives() != of_b.minus_alternatives())
    return of_a.minus_alternatives() < of_b.minus_alternatives();
  const LevelScore &here = of_a.score(), &there = of_b.score();
  return here == there ? a.whole().is_better_than(b.whole()) : here < there;
}

}  // namespace espalier
