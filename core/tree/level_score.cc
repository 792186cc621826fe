// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_score.h"

#include <algorithm>
#include <vector>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"
#include "core/tree/costs.h"

namespace espalier {
namespace {

constexpr std::size_t kDestinations = ByteBlock::kSize;  // that are looked at together

std::uint64_t sum_of_bytes(const ByteBlock& block) {
  std::uint64_t words[kDestinations / 8];
  block.store(words);
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) {
    constexpr std::uint64_t kEven = 0x00FF00FF00FF00FF;
    const std::uint64_t pairs = (word & kEven) + (word >> 8 & kEven);
    sum += pairs * 0x0001000100010001 >> 48;
  }
  return sum;
}

class Judge {
 public:
  explicit Judge(const FatTree& tree)
      : tree_(tree), costs_(tree), hosts_(costs_.stride()), has_hosts_(costs_.stride()) {
    for (const SwitchId s : tree.fabric().switches()) {
      hosts_[index(s)] = static_cast<std::uint32_t>(tree.hosts(s).size());
      has_hosts_[index(s)] = tree.hosts(s).empty() ? 0 : 255;
    }
  }

  // Of all paths from s.
  void judge(SwitchId s, LevelScore& score) const {
    const auto cost = costs_.cost_row(s);
    std::uint64_t hops = 0;
    std::uint64_t unreached = 0;
    for (std::size_t t = 0; t < hosts_.size(); ++t) {
      const std::uint32_t reached = cost[t] == kUnreachable ? 0 : hosts_[t];
      hops += std::uint64_t{reached} * cost[t];
      unreached += cost[t] == kUnreachable;
    }
    score.hops += hops * hosts_[index(s)];
    if (unreached > hosts_.size() - tree_.fabric().num_switches()) count_unreached(s, score);
    for (std::size_t first = 0; first < hosts_.size(); first += kDestinations)
      score.minus_alternatives -= static_cast<std::int64_t>(alternatives(s, first));
  }

 private:
  void count_unreached(SwitchId s, LevelScore& score) const {
    for (const SwitchId t : tree_.fabric().switches()) {
      if (costs_.cost(s, t) != kUnreachable || tree_.component(s) != tree_.component(t)) continue;
      score.unreached_hosts += std::uint64_t{hosts_[index(s)]} * hosts_[index(t)];
      ++score.unreached_switches;
    }
  }

  // Ports of s that lead closer to a switch with hosts, for all such from `first` on. No switch has more than 254 ports.
  [[nodiscard]] std::uint64_t alternatives(SwitchId s, std::size_t first) const {
    const auto at = [first](std::span<const Hops> row) { return ByteBlock::load(row.data() + first); };
    const ByteBlock none(kUnreachable);
    const ByteBlock cost = at(costs_.cost_row(s));
    const ByteBlock goes_up = equal(at(costs_.down_row(s)), none);
    const ByteBlock wanted = ByteBlock::load(has_hosts_.data() + first) & (equal(cost, none) ^ ByteBlock(255));
    ByteBlock ports;
    for (const PortGroup& up : tree_.up_groups(s))
      ports = ports + (less(at(costs_.cost_row(up.remote)), cost) & goes_up & ports_of(up));
    for (const PortGroup& down : tree_.down_groups(s))
      ports = ports + (less(at(costs_.down_row(down.remote)), cost) & (goes_up ^ ByteBlock(255)) & ports_of(down));
    return sum_of_bytes(ports & wanted);
  }
  static ByteBlock ports_of(const PortGroup& group) { return ByteBlock(static_cast<std::uint8_t>(group.num_ports)); }

  const FatTree& tree_;
  UpDownCosts costs_;
  std::vector<std::uint32_t> hosts_;     // per switch
  std::vector<std::uint8_t> has_hosts_;  // per switch: 255 or 0
};

LevelScore sum(LevelScore a, const LevelScore& b) {
  a.unreached_hosts += b.unreached_hosts;
  a.hops += b.hops;
  a.minus_alternatives += b.minus_alternatives;
  a.unreached_switches += b.unreached_switches;
  return a;
}

}  // namespace

LevelScore score_of(const FatTree& tree, const IdVector<SwitchId, std::uint32_t>& level) {
  const Judge judge(tree);
  LevelScore score = parallel_reduce(
      tree.fabric().num_switches(), 32, LevelScore{},
      [&](std::size_t begin, std::size_t end, LevelScore so_far) {
        for (std::size_t i = begin; i < end; ++i) judge.judge(id_at<SwitchId>(i), so_far);
        return so_far;
      },
      sum);
  for (const SwitchId s : tree.fabric().switches()) {
    if (level[s] != 0 && !tree.hosts(s).empty()) ++score.oddities;
    for (const PortGroup& up : tree.up_groups(s))
      score.odd_links += level[up.remote] != level[s] + 1 ? up.num_ports : 0;
  }
  score.oddities += score.odd_links;
  return score;
}

}  // namespace espalier
