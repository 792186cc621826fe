// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/dispensable_links.h"

#include <algorithm>
#include <cstdint>

#include "core/tree/components.h"
#include "core/tree/demote.h"
#include "core/tree/level_reach.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

class NeededLinks {
 public:
  NeededLinks(const FatTree& tree, const std::vector<WrongLink>& links)
      : tree_(tree),
        bare_(without_channels(tree, channels_of(tree.fabric(), links))),
        costs_(tree),
        use_(tree.fabric().num_channels()) {
    for (const WrongLink& link : links) mark(link.lower, link.port, Use::kNone);
  }

  // Returns those that are not needed.
  std::vector<WrongLink> others(std::vector<WrongLink> links) {
    keep_parts_together(links);
    keep_paths_of_hosts();
    std::erase_if(links, [&](const WrongLink& link) { return at(link.lower, link.port) != Use::kNone; });
    return links;
  }

 private:
  enum class Use : std::uint8_t { kRegular, kNeeded, kNone };
  struct Pair {
    SwitchId from, to;
  };

  [[nodiscard]] Use at(SwitchId s, PortNum port) const { return use_[tree_.fabric().channel(s, port)]; }
  void mark(SwitchId s, PortNum port, Use use) {
    const Peer& peer = tree_.fabric().peer(s, port);
    use_[tree_.fabric().channel(s, port)] = use;
    use_[tree_.fabric().channel(peer.as_switch(), peer.port)] = use;
  }

  void keep_parts_together(const std::vector<WrongLink>& links) {
    const auto part = components(bare_, [](SwitchId) { return true; });
    for (const WrongLink& link : links)
      if (part[link.lower] != part[tree_.fabric().peer(link.lower, link.port).as_switch()])
        mark(link.lower, link.port, Use::kNeeded);
  }

  [[nodiscard]] bool is_above_leaves(SwitchId s) const { return !bare_.down_groups(s).empty(); }

  void keep_paths_of_hosts() {
    const UpDownCosts bare_costs(bare_);
    std::vector<Pair> lost;
    std::uint64_t above_leaves = 0;  // pairs of hosts
    for (const SwitchId s : tree_.fabric().switches()) {
      if (tree_.hosts(s).empty()) continue;
      for (const SwitchId t : tree_.fabric().switches()) {
        if (bare_costs.cost(s, t) != kUnreachable || costs_.cost(s, t) == kUnreachable || tree_.hosts(t).empty())
          continue;
        lost.push_back({s, t});
        if (is_above_leaves(s) || is_above_leaves(t)) above_leaves += tree_.hosts(s).size() * tree_.hosts(t).size();
      }
    }
    if (are_few_pairs(above_leaves, num_hosts()))
      std::erase_if(lost, [&](const Pair& pair) { return is_above_leaves(pair.from) || is_above_leaves(pair.to); });
    for (const Pair& pair : lost) keep_path(pair);
  }

  [[nodiscard]] std::uint64_t num_hosts() const {
    std::uint64_t sum = 0;
    for (const SwitchId s : tree_.fabric().switches()) sum += tree_.hosts(s).size();
    return sum;
  }

  // The best of the parallel links.
  [[nodiscard]] Use use_of(SwitchId s, const PortGroup& group) const {
    Use best = Use::kNone;
    for (const PortNum port : tree_.ports(group)) best = std::min(best, at(s, port));
    return best;
  }

  // Over what is in use already, where there is a choice.
  void keep_path(const Pair& pair) {
    for (SwitchId s = pair.from; s != pair.to;) {
      const std::vector<PortGroup> groups = closer_groups(tree_, costs_, s, pair.to);
      const auto& next = *std::min_element(groups.begin(), groups.end(), [&](const PortGroup& a, const PortGroup& b) {
        return use_of(s, a) < use_of(s, b);
      });
      for (const PortNum port : tree_.ports(next))
        if (at(s, port) == Use::kNone) mark(s, port, Use::kNeeded);
      s = next.remote;
    }
  }

  const FatTree& tree_;
  FatTree bare_;
  UpDownCosts costs_;
  IdVector<ChannelId, Use> use_;
};

}  // namespace

std::vector<WrongLink> dispensable_links(const FatTree& tree, const std::vector<WrongLink>& links) {
  if (links.empty()) return {};
  return NeededLinks(tree, links).others(links);
}

std::vector<ChannelId> channels_of(const Fabric& fabric, const std::vector<WrongLink>& links) {
  std::vector<ChannelId> both;
  for (const WrongLink& link : links) {
    const Peer& peer = fabric.peer(link.lower, link.port);
    both.push_back(fabric.channel(link.lower, link.port));
    both.push_back(fabric.channel(peer.as_switch(), peer.port));
  }
  std::sort(both.begin(), both.end());
  return both;
}

}  // namespace espalier
