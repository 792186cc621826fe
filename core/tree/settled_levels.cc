// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/settled_levels.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier {
namespace {

constexpr int kMostRounds = 8;  // two or three settle a tree; what is none may take long

// Links of one switch, by the level of the far end.
class LinksByLevel {
 public:
  void count(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& level, SwitchId s) {
    std::fill(links_.begin(), links_.end(), 0);
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_switch() || peer.as_switch() == s) continue;
      const std::uint32_t there = level[peer.as_switch()];
      if (there >= links_.size()) links_.resize(there + std::size_t{1});
      ++links_[there];
    }
  }
  // Those that would join neighboring levels.
  [[nodiscard]] std::uint32_t fitting(std::uint32_t level) const {
    return (level > 0 ? at(level - std::size_t{1}) : 0) + at(level + std::size_t{1});
  }
  // The level with most of these, which is the present one unless another has more. Of others the lowest for who has hosts
  // and the highest for who has none, since both fit where all neighbors are on one level.
  [[nodiscard]] std::uint32_t best(std::uint32_t present, bool has_hosts) const {
    std::uint32_t found = present;
    for (std::uint32_t other = 0; other <= links_.size(); ++other)
      if (fitting(other) > fitting(found) || (!has_hosts && found != present && fitting(other) == fitting(found)))
        found = other;
    return found;
  }

 private:
  [[nodiscard]] std::uint32_t at(std::size_t level) const { return level < links_.size() ? links_[level] : 0; }
  std::vector<std::uint32_t> links_;
};

}  // namespace

IdVector<SwitchId, std::uint32_t> settle(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts,
                                         IdVector<SwitchId, std::uint32_t> level) {
  LinksByLevel links;
  bool moved = true;
  for (int round = 0; moved && round < kMostRounds; ++round) {
    moved = false;
    for (const SwitchId s : fabric.switches()) {
      if (level[s] == 0 && hosts[s] > 0) continue;
      links.count(fabric, level, s);
      const std::uint32_t before = std::exchange(level[s], links.best(level[s], hosts[s] > 0));
      moved = moved || level[s] != before;
    }
  }
  return level;
}

}  // namespace espalier
