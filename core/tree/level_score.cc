// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_score.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"
#include "core/fabric/connectivity/breadth_first.h"
#include "core/fabric/connectivity/multi_source_bfs.h"
#include "core/tree/level_reach.h"

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

ByteBlock ports_of(const PortGroup& group) { return ByteBlock(static_cast<std::uint8_t>(group.num_ports)); }

LevelScore& operator+=(LevelScore& a, const LevelScore& b) {
  a.unreached_hosts += b.unreached_hosts;
  a.hops += b.hops;
  a.unreached_switches += b.unreached_switches;
  return a;
}

// By switch, on all processors.
template <class Value, class Add>
Value sum_over_switches(const FatTree& tree, const Add& add) {
  return parallel_reduce(
      tree.fabric().num_switches(), 32, Value{},
      [&](std::size_t begin, std::size_t end, Value sum) {
        for (std::size_t i = begin; i < end; ++i) add(id_at<SwitchId>(i), sum);
        return sum;
      },
      [](Value a, const Value& b) {
        a += b;
        return a;
      });
}

}  // namespace

JudgedLevels::JudgedLevels(FatTree tree, IdVector<SwitchId, std::uint32_t> level)
    : level_(std::move(level)),
      tree_(std::move(tree)),
      costs_(tree_),
      hosts_(costs_.stride()),
      has_hosts_(costs_.stride()) {
  for (const SwitchId s : tree_.fabric().switches()) {
    hosts_[index(s)] = static_cast<std::uint32_t>(tree_.hosts(s).size());
    has_hosts_[index(s)] = tree_.hosts(s).empty() ? 0 : 255;
  }
}

const LevelScore& JudgedLevels::reach() const {
  if (reach_) return *reach_;
  LevelScore& reach =
      reach_.emplace(sum_over_switches<LevelScore>(tree_, [&](SwitchId s, LevelScore& sum) { add_reach(s, sum); }));
  // A tree turned over for a few pairs would cost all others most of their paths.
  if (!are_few_pairs(reach.unreached_hosts, std::accumulate(hosts_.begin(), hosts_.end(), std::uint64_t{0})))
    reach.many_unreached = reach.unreached_hosts;
  else if (reach.unreached_hosts > 0)
    reach.hops += hops_of_unreached();
  return reach;
}

std::int64_t JudgedLevels::minus_alternatives() const {
  if (!minus_alternatives_)
    minus_alternatives_ = -static_cast<std::int64_t>(
        sum_over_switches<std::uint64_t>(tree_, [&](SwitchId s, std::uint64_t& sum) { sum += alternatives(s); }));
  return *minus_alternatives_;
}

bool JudgedLevels::has_unreached(SwitchId s) const {
  if (hosts_[index(s)] == 0) return false;
  const auto to_all = costs_.cost_row(s).first(tree_.fabric().num_switches());
  return std::find(to_all.begin(), to_all.end(), kUnreachable) != to_all.end();
}

// As far as cables go.
std::uint64_t JudgedLevels::hops_of_unreached() const {
  const std::size_t num_switches = tree_.fabric().num_switches();
  std::vector<std::uint64_t> hops(num_switches, 0);
  search_from_all(SwitchNeighbors(tree_.fabric()), [&](MultiSourceBfs& searches, SwitchId first, std::size_t count) {
    const auto source = [&](std::size_t i) { return id_at<SwitchId>(index(first) + i); };
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < count; ++i) wanted |= std::uint64_t{has_unreached(source(i))} << i;
    if (wanted == 0) return;
    for (searches.start(first, count); !searches.front().empty(); searches.advance())
      for (const SwitchId t : searches.front()) {
        if (hosts_[index(t)] == 0) continue;
        for (std::uint64_t bits = searches.arrived(t) & wanted; bits != 0; bits &= bits - 1) {
          const SwitchId s = source(static_cast<std::size_t>(std::countr_zero(bits)));
          if (costs_.cost(s, t) == kUnreachable)
            hops[index(s)] += std::uint64_t{hosts_[index(s)]} * hosts_[index(t)] * searches.distance();
        }
      }
  });
  return std::accumulate(hops.begin(), hops.end(), std::uint64_t{0});
}

bool JudgedLevels::is_better_than(const JudgedLevels& other) const {
  const auto first = [](const LevelScore& s) { return std::pair(s.many_unreached, s.hops); };
  if (first(reach()) != first(other.reach())) return first(reach()) < first(other.reach());
  return score() < other.score();
}

const LevelScore& JudgedLevels::score() const {
  if (score_) return *score_;
  score_ = reach();
  score_->minus_alternatives = minus_alternatives();
  for (const SwitchId s : tree_.fabric().switches()) {
    if (level_[s] != 0 && !tree_.hosts(s).empty()) ++score_->oddities;
    for (const PortGroup& up : tree_.up_groups(s))
      score_->odd_links += level_[up.remote] != level_[s] + 1 ? up.num_ports : 0;
  }
  score_->oddities += score_->odd_links;
  return *score_;
}

void JudgedLevels::add_reach(SwitchId s, LevelScore& score) const {
  const auto cost = costs_.cost_row(s);
  std::uint64_t hops = 0;
  std::uint64_t unreached = 0;
  for (std::size_t t = 0; t < hosts_.size(); ++t) {
    const std::uint32_t reached = cost[t] == kUnreachable ? 0 : hosts_[t];
    hops += std::uint64_t{reached} * cost[t];
    unreached += cost[t] == kUnreachable;
  }
  score.hops += hops * hosts_[index(s)];
  if (unreached > hosts_.size() - tree_.fabric().num_switches()) add_unreached(s, score);
}

void JudgedLevels::add_unreached(SwitchId s, LevelScore& score) const {
  for (const SwitchId t : tree_.fabric().switches()) {
    if (costs_.cost(s, t) != kUnreachable || tree_.component(s) != tree_.component(t)) continue;
    score.unreached_hosts += std::uint64_t{hosts_[index(s)]} * hosts_[index(t)];
    ++score.unreached_switches;
  }
}

// Whether hosts are here or below: what nothing passes through gains nobody by its alternatives.
bool JudgedLevels::carries_traffic(SwitchId s) const {
  const auto down = costs_.down_row(s);
  for (std::size_t t = 0; t < hosts_.size(); ++t)
    if (hosts_[t] > 0 && (t == index(s) || down[t] != kUnreachable)) return true;
  return false;
}

std::uint64_t JudgedLevels::alternatives(SwitchId s) const {
  if (!carries_traffic(s)) return 0;
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < hosts_.size(); first += kDestinations) sum += alternatives(s, first);
  return sum;
}

// Ports of s that lead closer to a switch with hosts, for all such from `first` on. No switch has more than 254 ports.
std::uint64_t JudgedLevels::alternatives(SwitchId s, std::size_t first) const {
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

}  // namespace espalier
