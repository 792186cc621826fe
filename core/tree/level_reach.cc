// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/level_reach.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/fabric/connectivity/connected_components.h"

namespace espalier {
namespace {

using PerSwitch = IdVector<SwitchId, std::uint32_t>;

// For each switch the switches with hosts that it leads to, a bit each.
class HostReach {
 public:
  HostReach(const Fabric& fabric, const PerSwitch& hosts, const PerSwitch& level, LevelLinks links = LevelLinks::kAll)
      : fabric_(fabric), hosts_(hosts), level_(level), links_(links) {
    for (const SwitchId s : fabric.switches()) {
      ascending_.push_back(s);
      if (hosts[s] > 0) with_hosts_.push_back(s);
    }
    std::stable_sort(ascending_.begin(), ascending_.end(), [&](SwitchId a, SwitchId b) { return level[a] < level[b]; });
    words_ = (with_hosts_.size() + 63) / 64;
    bits_.assign(fabric.num_switches() * words_, 0);
    for (std::size_t i = 0; i < with_hosts_.size(); ++i) row(with_hosts_[i])[i / 64] |= std::uint64_t{1} << i % 64;
  }

  void spread_upward() {
    for (const SwitchId s : ascending_)
      for_each_neighbor(s, [&](SwitchId other) {
        if (is_below(other, s)) add(other, s);
      });
  }
  // After which a switch leads to all that those above it lead to.
  void spread_downward() {
    for (auto s = ascending_.rbegin(); s != ascending_.rend(); ++s)
      for_each_neighbor(*s, [&](SwitchId other) {
        if (is_below(*s, other)) add(other, *s);
      });
  }

  [[nodiscard]] bool one_leads_to_all() const {
    return std::ranges::any_of(ascending_, [&](SwitchId s) { return num_reached(s) == with_hosts_.size(); });
  }
  [[nodiscard]] bool has_none_above(SwitchId s) const {
    bool none = true;
    for_each_neighbor(s, [&](SwitchId other) { none = none && level_[other] <= level_[s]; });
    return none;
  }
  // That both lead to.
  [[nodiscard]] std::uint64_t common_hosts(SwitchId a, SwitchId b) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < with_hosts_.size(); ++i)
      if (row(a)[i / 64] & row(b)[i / 64] & std::uint64_t{1} << i % 64) sum += hosts_[with_hosts_[i]];
    return sum;
  }
  // Pairs of hosts, of `component_hosts` by switch.
  [[nodiscard]] std::uint64_t unreached(const std::vector<std::uint64_t>& component_hosts) const {
    std::uint64_t sum = 0;
    for (const SwitchId s : with_hosts_) {
      std::uint64_t reached = 0;
      for (std::size_t i = 0; i < with_hosts_.size(); ++i)
        if (row(s)[i / 64] >> i % 64 & 1) reached += hosts_[with_hosts_[i]];
      sum += hosts_[s] * (component_hosts[index(s)] - reached);
    }
    return sum;
  }

 private:
  [[nodiscard]] bool is_below(SwitchId a, SwitchId b) const {
    return links_ == LevelLinks::kAll ? level_[a] < level_[b] : level_[a] + 1 == level_[b];
  }
  [[nodiscard]] std::uint64_t* row(SwitchId s) { return bits_.data() + index(s) * words_; }
  [[nodiscard]] const std::uint64_t* row(SwitchId s) const { return bits_.data() + index(s) * words_; }
  void add(SwitchId from, SwitchId to) {
    for (std::size_t w = 0; w < words_; ++w) row(to)[w] |= row(from)[w];
  }
  [[nodiscard]] std::size_t num_reached(SwitchId s) const {
    std::size_t reached = 0;
    for (std::size_t w = 0; w < words_; ++w) reached += static_cast<std::size_t>(std::popcount(row(s)[w]));
    return reached;
  }
  template <class Visit>
  void for_each_neighbor(SwitchId s, Visit visit) const {
    for (const PortNum p : fabric_.ports(s))
      if (const Peer& peer = fabric_.peer(s, p); peer.is_switch()) visit(peer.as_switch());
  }

  const Fabric& fabric_;
  const PerSwitch& hosts_;
  const PerSwitch& level_;
  LevelLinks links_;
  std::vector<SwitchId> ascending_, with_hosts_;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// By switch, the hosts of its connected component.
std::vector<std::uint64_t> hosts_of_components(const Fabric& fabric, const PerSwitch& hosts) {
  const auto component = connected_components(fabric);
  std::vector<std::uint64_t> of_component(fabric.num_switches()), of_switch;
  for (const SwitchId s : fabric.switches()) of_component[component[s]] += hosts[s];
  for (const SwitchId s : fabric.switches()) of_switch.push_back(of_component[component[s]]);
  return of_switch;
}

}  // namespace

bool are_few_pairs(std::uint64_t pairs, std::uint64_t hosts) {
  constexpr std::uint64_t kFew = 64;  // one in so many
  return pairs * kFew <= hosts * hosts;
}

bool joins_most_hosts(const Fabric& fabric, const PerSwitch& hosts, const PerSwitch& level, LevelLinks links) {
  HostReach reach(fabric, hosts, level, links);
  reach.spread_upward();
  if (reach.one_leads_to_all()) return true;
  reach.spread_downward();
  return are_few_pairs(reach.unreached(hosts_of_components(fabric, hosts)),
                       std::accumulate(hosts.begin(), hosts.end(), std::uint64_t{0}));
}

std::vector<SwitchId> widest_tops(const Fabric& fabric, const PerSwitch& hosts, const PerSwitch& level) {
  HostReach below(fabric, hosts, level);
  below.spread_upward();
  const auto component = connected_components(fabric);
  std::vector<SwitchId> widest(fabric.num_switches(), kNoSwitch);  // by component
  std::vector<std::uint64_t> most(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) {
    if (!below.has_none_above(s)) continue;
    const std::uint64_t here = below.common_hosts(s, s);
    SwitchId& best = widest[component[s]];
    if (best == kNoSwitch || here > most[component[s]]) std::tie(best, most[component[s]]) = std::pair(s, here);
  }
  std::vector<SwitchId> tops;
  for (const SwitchId s : fabric.switches())
    if (below.has_none_above(s) && 2 * below.common_hosts(s, widest[component[s]]) >= most[component[s]])
      tops.push_back(s);
  return tops;
}

}  // namespace espalier
