// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/traffic_plan.h"

#include <algorithm>

#include "core/schedule/combinatorics/equitable_coloring.h"
#include "core/schedule/leaf_spine/phase_spines.h"

namespace espalier {
namespace {

class TrafficPlanner {
 public:
  TrafficPlanner(const LeafSpine& tree, std::uint32_t lids_per_host) : tree_(tree), lids_(lids_per_host) {
    for (std::uint32_t leaf = 0; leaf < tree.num_leaves(); ++leaf)
      leaf_of_.insert(leaf_of_.end(), tree.servers[leaf], leaf);
    used_.resize(leaf_of_.size() * tree.num_leaves());
  }

  TrafficPlan run(const std::vector<ServerDemand>& demand) {
    find_bound(demand);
    plan_.exchange.phases = plan_.bound;
    plan_.exchange.grain = 1;
    plan_.exchange.slots.assign(leaf_of_.size() * plan_.bound, {});
    std::vector<Bundle> edges;
    for (const ServerDemand& d : demand)
      if (tree_.common_spines(leaf_of_[d.from], leaf_of_[d.to]) != 0 && leaf_of_[d.from] != leaf_of_[d.to])
        edges.push_back({d.from, d.to, d.count, 0});
      else
        plan_.left_over.insert(plan_.left_over.end(), d.count, {d.from, d.to});
    const LaminarSide side{leaf_of_, static_cast<std::uint32_t>(tree_.num_leaves())};
    if (!edges.empty())
      color_equitably(edges, side, side, plan_.bound,
                      [&](std::uint32_t phase, const std::vector<Bundle>& mine) { choose_spines(phase, mine); });
    return std::move(plan_);
  }

 private:
  void find_bound(const std::vector<ServerDemand>& demand) {
    const std::size_t n = leaf_of_.size();
    std::vector<std::uint32_t> of_server(2 * n, 0);
    std::vector<std::uint32_t> of_leaf(2 * tree_.num_leaves(), 0);
    for (const ServerDemand& d : demand) {
      of_server[d.from] += d.count;
      of_server[n + d.to] += d.count;
      if (leaf_of_[d.from] == leaf_of_[d.to]) continue;
      of_leaf[leaf_of_[d.from]] += d.count;
      of_leaf[tree_.num_leaves() + leaf_of_[d.to]] += d.count;
    }
    for (const std::uint32_t messages : of_server) plan_.bound = std::max(plan_.bound, messages);
    for (std::size_t i = 0; i < of_leaf.size(); ++i)
      if (const std::uint32_t up = tree_.uplinks(i % tree_.num_leaves()); up != 0)
        plan_.bound = std::max(plan_.bound, (of_leaf[i] + up - 1) / up);
  }

  // Messages with few common spines first: they have the least choice.
  void choose_spines(std::uint32_t phase, const std::vector<Bundle>& in_phase) {
    std::vector<Bundle> messages = in_phase;
    const auto choice = [&](const Bundle& e) { return tree_.common_spines(leaf_of_[e.left], leaf_of_[e.right]); };
    std::stable_sort(messages.begin(), messages.end(),
                     [&](const Bundle& a, const Bundle& b) { return choice(a) < choice(b); });
    std::vector<LeafPair> flows;
    for (const Bundle& e : messages) flows.push_back({leaf_of_[e.left], leaf_of_[e.right]});
    const std::vector<std::uint32_t> spines = spines_of_first_flows(tree_, flows);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Bundle& e = messages[i];
      if (spines[i] != kNoSpine && may_use(leaf_of_[e.left], e.right, spines[i]))
        plan_.exchange.slots[std::size_t{e.left} * plan_.bound + phase] = {e.right, spines[i]};
      else
        plan_.left_over.emplace_back(e.left, e.right);
    }
  }

  // Whether the leaf has a LID for that spine toward the destination.
  bool may_use(std::uint32_t leaf, std::uint32_t destination, std::uint32_t spine) {
    std::vector<std::uint32_t>& used = used_[destination * tree_.num_leaves() + leaf];
    if (std::find(used.begin(), used.end(), spine) != used.end()) return true;
    if (used.size() >= lids_) return false;
    used.push_back(spine);
    return true;
  }

  const LeafSpine& tree_;
  std::uint32_t lids_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::vector<std::uint32_t>> used_;  // [destination * leaves + leaf]: spines
  TrafficPlan plan_;
};

}  // namespace

TrafficPlan plan_traffic(const LeafSpine& tree, const std::vector<ServerDemand>& demand, std::uint32_t lids_per_host) {
  return TrafficPlanner(tree, lids_per_host).run(demand);
}

}  // namespace espalier
