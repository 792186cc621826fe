// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/cleared_hub.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/engines/detours/complete_tables.h"
#include "core/tree/demote.h"

namespace espalier {
namespace {

constexpr std::size_t kMostHubs = 4;         // that are tried for the sake of hosts
constexpr std::size_t kMostLinks = 32;       // one link of so many is given up at most
constexpr std::uint64_t kMostUnreached = 4;  // for so many pairs of hosts without an up-down path there may be one more

struct DownLink {
  SwitchId above = kNoSwitch;
  PortGroup down;
};

// Switches that come down to a leaf by several links.
class SpareLinks {
 public:
  explicit SpareLinks(const FatTree& tree) : tree_(tree), is_above_(tree.fabric().num_switches()) {}

  // The groups by which some switch above `hub` comes down toward it, but for one of each.
  std::vector<DownLink> above(SwitchId hub) {
    above_.assign(1, hub);
    is_above_[hub] = 1;
    for (std::size_t head = 0; head < above_.size(); ++head)
      for (const PortGroup& up : tree_.up_groups(above_[head]))
        if (std::exchange(is_above_[up.remote], 1) == 0) above_.push_back(up.remote);
    std::vector<DownLink> spare;
    for (const SwitchId s : above_)
      if (s != hub) add_spare(s, spare);
    for (const SwitchId s : above_) is_above_[s] = 0;
    return spare;
  }

 private:
  void add_spare(SwitchId s, std::vector<DownLink>& spare) const {
    const PortGroup* kept = nullptr;
    std::size_t toward_hub = 0;
    for (const PortGroup& down : tree_.down_groups(s)) toward_hub += is_above_[down.remote];
    if (toward_hub < 2) return;
    std::tuple<bool, std::size_t, std::size_t> best;
    for (const PortGroup& down : tree_.down_groups(s)) {
      if (is_above_[down.remote] == 0) continue;
      const std::tuple key(index(tree_.level(s)) == index(tree_.level(down.remote)) + 1,
                           shared_neighbors(s, down.remote), down.num_ports);
      if (kept == nullptr || best < key) std::tie(kept, best) = std::pair(&down, key);
    }
    for (const PortGroup& down : tree_.down_groups(s))
      if (is_above_[down.remote] != 0 && &down != kept) spare.push_back({s, down});
  }

  // How often the other switches below s lead up to where `below` does as well.
  [[nodiscard]] std::size_t shared_neighbors(SwitchId s, SwitchId below) const {
    std::size_t shared = 0;
    for (const PortGroup& down : tree_.down_groups(s)) {
      if (down.remote == below) continue;
      auto a = tree_.up_groups(down.remote).begin();
      for (const PortGroup& b : tree_.up_groups(below)) {
        while (a != tree_.up_groups(down.remote).end() && a->remote < b.remote) ++a;
        if (a == tree_.up_groups(down.remote).end()) break;
        shared += a->remote == b.remote ? 1 : 0;
      }
    }
    return shared;
  }

  const FatTree& tree_;
  std::vector<SwitchId> above_;
  IdVector<SwitchId, std::uint8_t> is_above_;
};

bool reaches_others(const RoutingProblem& problem, SwitchId hub) {
  for (const SwitchId t : problem.fabric.switches())
    if (problem.costs.cost(hub, t) == kUnreachable && problem.tree.component(t) == problem.tree.component(hub))
      return false;
  return true;
}

// Per component, its leaves that will do, those that need the fewest links first.
std::vector<std::vector<std::pair<std::size_t, SwitchId>>> find_hubs(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  SpareLinks spare(tree);
  std::vector<std::vector<std::pair<std::size_t, SwitchId>>> hubs(tree.num_components());
  for (const SwitchId s : tree.fabric().switches())
    if (tree.down_groups(s).empty() && reaches_others(problem, s))
      hubs[tree.component(s)].emplace_back(spare.above(s).size(), s);
  for (auto& of_component : hubs) std::ranges::sort(of_component);
  return hubs;
}

FatTree without_links(const FatTree& tree, const std::vector<DownLink>& links) {
  std::vector<ChannelId> channels;
  for (const DownLink& link : links) add_both_channels(tree, link.above, link.down, channels);
  return without_channels(tree, channels);
}

}  // namespace

std::optional<ClearedHub> clear_hub(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  const auto hubs = find_hubs(problem);
  const std::uint64_t before = count_unreached_hosts(problem);
  for (std::size_t rank = 0; rank < kMostHubs; ++rank) {
    std::vector<DownLink> links;
    for (const auto& of_component : hubs) {
      if (of_component.empty()) return std::nullopt;
      const std::vector<DownLink> more =
          SpareLinks(tree).above(of_component[std::min(rank, of_component.size() - 1)].second);
      links.insert(links.end(), more.begin(), more.end());
    }
    if (links.empty() || links.size() * kMostLinks > tree.fabric().num_switch_links()) return std::nullopt;
    ClearedHub cleared{without_links(tree, links), links.size()};
    // Hosts on spines mostly, whose paths over links between spines become detours.
    const std::uint64_t unreached = count_unreached_hosts(RoutingProblem(cleared.tree));
    if (unreached * kMostUnreached <= before * (kMostUnreached + 1)) return cleared;
  }
  return std::nullopt;
}

}  // namespace espalier
