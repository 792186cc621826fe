// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/uneven_exchange.h"

#include <algorithm>
#include <utility>

#include "core/schedule/combinatorics/equitable_coloring.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
using ServerPair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination

// The flows within one leaf: who still has to meet, and how many phases are left in which it could.
class LocalFlows {
 public:
  explicit LocalFlows(std::uint32_t servers)
      : k_(servers), open_(std::size_t{k_} * k_, 1), left_out_(k_, k_), left_in_(k_, k_) {}

  // Pairs of this phase, as indices within the leaf, among those whose byte is not 0. `spare_out`, `spare_in`: phases
  // that are left besides this one.
  std::vector<ServerPair> match(const std::vector<char>& can_send, const std::vector<char>& can_receive,
                                const std::vector<std::int32_t>& spare_out, const std::vector<std::int32_t>& spare_in) {
    by_receiver_.assign(k_, kNobody);
    order_.clear();
    for (std::uint32_t s = 0; s < k_; ++s)
      if (can_send[s] != 0 && left_out_[s] > 0) order_.push_back(s);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return spare_out[a] - static_cast<std::int32_t>(left_out_[a]) <
             spare_out[b] - static_cast<std::int32_t>(left_out_[b]);
    });
    receivers_.clear();
    for (std::uint32_t d = 0; d < k_; ++d)
      if (can_receive[d] != 0 && left_in_[d] > 0) receivers_.push_back(d);
    std::stable_sort(receivers_.begin(), receivers_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return spare_in[a] - static_cast<std::int32_t>(left_in_[a]) <
             spare_in[b] - static_cast<std::int32_t>(left_in_[b]);
    });
    for (const std::uint32_t s : order_) {
      tried_.assign(k_, 0);
      augment(s);
    }
    std::vector<ServerPair> pairs;
    for (std::uint32_t d = 0; d < k_; ++d)
      if (by_receiver_[d] != kNobody) {
        const std::uint32_t s = by_receiver_[d];
        open_[std::size_t{s} * k_ + d] = 0;
        --left_out_[s];
        --left_in_[d];
        pairs.emplace_back(s, d);
      }
    return pairs;
  }

  [[nodiscard]] std::vector<Bundle> rest() const {
    std::vector<Bundle> edges;
    for (std::uint32_t s = 0; s < k_; ++s)
      for (std::uint32_t d = 0; d < k_; ++d)
        if (open_[std::size_t{s} * k_ + d] != 0) edges.push_back({s, d, 1, 0});
    return edges;
  }
  [[nodiscard]] std::uint32_t most_left() const {
    std::uint32_t most = 0;
    for (const auto* left : {&left_out_, &left_in_})
      for (const std::uint32_t n : *left) most = std::max(most, n);
    return most;
  }

 private:
  bool augment(std::uint32_t s) {  // NOLINT(misc-no-recursion)
    for (const std::uint32_t d : receivers_) {
      if (open_[std::size_t{s} * k_ + d] == 0 || tried_[d] != 0) continue;
      tried_[d] = 1;
      if (by_receiver_[d] == kNobody || augment(by_receiver_[d])) {
        by_receiver_[d] = s;
        return true;
      }
    }
    return false;
  }

  std::uint32_t k_;
  std::vector<char> open_;  // [source * k + destination]
  std::vector<std::uint32_t> left_out_;
  std::vector<std::uint32_t> left_in_;
  std::vector<std::uint32_t> by_receiver_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> receivers_;
  std::vector<char> tried_;
};

class GapFiller {
 public:
  GapFiller(const LeafSpine& tree, UnevenExchange exchange)
      : tree_(tree),
        given_(std::move(exchange)),
        receives_(given_.slots.size(), 0),
        local_(given_.slots.size(), kNobody) {
    for (std::size_t i = 0; i < given_.slots.size(); ++i)
      if (const std::uint32_t d = given_.slots[i].destination; d != Slot::kIdle)
        receives_[std::size_t{d} * given_.phases + i % given_.phases] = 1;
  }

  UnevenExchange fill() && {
    std::uint32_t first = 0;
    std::vector<LocalFlows> rest;
    std::uint32_t extra = 0;
    for (const std::uint32_t servers : tree_.servers) {
      rest.push_back(fill_leaf(first, servers));
      extra = std::max(extra, rest.back().most_left());
      first += servers;
    }
    UnevenExchange whole{given_.phases + extra, {}};
    whole.slots.resize(std::size_t{first} * whole.phases);
    for (std::uint32_t s = 0; s < first; ++s)
      for (std::uint32_t p = 0; p < given_.phases; ++p) {
        const std::size_t i = std::size_t{s} * given_.phases + p;
        const Slot local{local_[i], static_cast<std::uint32_t>(tree_.num_spines)};
        whole.slots[std::size_t{s} * whole.phases + p] = local_[i] == kNobody ? given_.slots[i] : local;
      }
    first = 0;
    for (std::size_t leaf = 0; leaf < rest.size(); ++leaf) {
      append(rest[leaf], first, tree_.servers[leaf], whole);
      first += tree_.servers[leaf];
    }
    return whole;
  }

 private:
  LocalFlows fill_leaf(std::uint32_t first, std::uint32_t servers) {
    LocalFlows flows(servers);
    std::vector<std::int32_t> spare_out(servers, 0);
    std::vector<std::int32_t> spare_in(servers, 0);
    const auto at = [&](std::uint32_t i, std::uint32_t p) { return std::size_t{first + i} * given_.phases + p; };
    for (std::uint32_t i = 0; i < servers; ++i)
      for (std::uint32_t p = 0; p < given_.phases; ++p) {
        spare_out[i] += given_.slots[at(i, p)].destination == Slot::kIdle ? 1 : 0;
        spare_in[i] += receives_[at(i, p)] == 0 ? 1 : 0;
      }
    std::vector<char> can_send(servers);
    std::vector<char> can_receive(servers);
    for (std::uint32_t p = 0; p < given_.phases; ++p) {
      for (std::uint32_t i = 0; i < servers; ++i) {
        can_send[i] = given_.slots[at(i, p)].destination == Slot::kIdle ? 1 : 0;
        can_receive[i] = receives_[at(i, p)] == 0 ? 1 : 0;
        spare_out[i] -= can_send[i];
        spare_in[i] -= can_receive[i];
      }
      for (const auto& [s, d] : flows.match(can_send, can_receive, spare_out, spare_in)) local_[at(s, p)] = first + d;
    }
    return flows;
  }

  // What found no gap, in phases of its own.
  void append(const LocalFlows& flows, std::uint32_t first, std::uint32_t servers, UnevenExchange& whole) const {
    const std::vector<Bundle> edges = flows.rest();
    if (edges.empty()) return;
    const LaminarSide side = LaminarSide::flat(servers);
    color_equitably(edges, side, side, flows.most_left(), [&](std::uint32_t phase, const std::vector<Bundle>& mine) {
      for (const Bundle& e : mine)
        whole.slots[std::size_t{first + e.left} * whole.phases + given_.phases + phase] = {
            first + e.right, static_cast<std::uint32_t>(tree_.num_spines)};
    });
  }

  const LeafSpine& tree_;
  UnevenExchange given_;              // between leaves only
  std::vector<char> receives_;        // [server * phases + phase]
  std::vector<std::uint32_t> local_;  // [server * phases + phase]: destination within the leaf
};

std::uint32_t ceil_divide(std::uint32_t n, std::uint32_t d) { return (n + d - 1) / d; }

// Blocks that the leaves need at least: a server gets one piece per block, a leaf sends one per uplink and ghost.
std::uint32_t least_blocks_between_leaves(const LeafSpine& tree, std::uint32_t grain) {
  std::uint32_t least = 0;
  const std::uint32_t all = tree.num_servers();
  for (std::size_t a = 0; a < tree.num_leaves(); ++a) {
    if (tree.servers[a] == 0) continue;
    std::uint32_t others = 0;
    for (std::size_t b = 0; b < tree.num_leaves(); ++b)
      others += b != a && tree.servers[b] > 0 && tree.common_spines(a, b) > 0 ? 1 : 0;
    least = std::max(least, others);
    if (const std::uint32_t ways = std::min(tree.uplinks(a), grain); ways > 0 && others > 0)
      least = std::max(least, ceil_divide(all - tree.servers[a], ways));
  }
  return least;
}

}  // namespace

std::optional<UnevenExchange> plan_uneven_exchange(const LeafSpine& tree, std::uint32_t most_phases) {
  const std::uint32_t grain = *std::max_element(tree.servers.begin(), tree.servers.end());
  if (grain == 0) return std::nullopt;
  const std::vector<std::uint32_t> demand = routable_demand(tree, grain);
  for (std::uint32_t blocks = least_blocks_between_leaves(tree, grain); blocks * grain <= most_phases; ++blocks) {
    const auto loads = assign_spines(tree, demand, blocks);
    if (!loads) continue;
    const Part part = exchange_between_leaves(tree, *loads, blocks);
    UnevenExchange between{blocks * grain,
                           exchange_servers(tree, {part}, grain, static_cast<std::uint32_t>(tree.num_spines + 1))};
    UnevenExchange whole = GapFiller(tree, std::move(between)).fill();
    if (whole.phases <= most_phases) return whole;
  }
  return std::nullopt;
}

}  // namespace espalier
