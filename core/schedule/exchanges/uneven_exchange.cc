// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/uneven_exchange.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "core/schedule/combinatorics/equitable_coloring.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};
using ServerPair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination

// Flows within a leaf in the phases in which both of their ends idle, as many of them as a local search finds room for: a
// flow without one takes the phase of another, which looks for another phase (ejection chains; F. Glover, "Ejection chains,
// reference structures and alternating path methods", Discrete Applied Mathematics 65, 1996).
class LocalFlows {
 public:
  LocalFlows(std::uint32_t servers, std::uint32_t blocks, std::uint32_t grain)
      : k_(servers),
        blocks_(blocks),
        grain_(grain),
        phases_(blocks * grain),
        idle_out_(std::size_t{k_} * phases_),
        idle_in_(idle_out_.size()),
        sends_(idle_out_.size(), kNobody),
        receives_(idle_out_.size(), kNobody),
        phase_of_(std::size_t{k_} * k_, kNobody) {}

  // Who has nothing else to do in a phase.
  void set_idle_sender(std::uint32_t server, std::uint32_t phase) { idle_out_[at(server, phase)] = 1; }
  void set_idle_receiver(std::uint32_t server, std::uint32_t phase) { idle_in_[at(server, phase)] = 1; }

  // Two servers of the leaf may do in a block what the other one was to do: each sends to the same servers then. Exchanges
  // them where that leaves pairs with more phases in which both ends idle, and tells each with exchange(block, a, b).
  template <class Exchange>
  void spread_idle_senders(Exchange exchange) {
    std::vector<std::uint32_t> common(std::size_t{k_} * k_);
    for (std::uint32_t s = 0; s < k_; ++s)
      for (std::uint32_t block = 0; block < blocks_; ++block) count_common(s, s, block, 1, common);
    std::vector<std::uint32_t> then;
    for (std::size_t step = 0; step < std::size_t{kExchanges} * k_ * blocks_; ++step) {
      const auto block = static_cast<std::uint32_t>(mix(step, 1) % blocks_);
      const auto a = static_cast<std::uint32_t>(mix(step, 2) % k_);
      const auto b = static_cast<std::uint32_t>(mix(step, 3) % k_);
      if (a == b) continue;
      then = common;
      for (const auto& [server, other] : {std::pair(a, b), std::pair(b, a)}) {
        count_common(server, server, block, ~std::uint32_t{0}, then);
        count_common(server, other, block, 1, then);
      }
      if (shortage(a, then) + shortage(b, then) >= shortage(a, common) + shortage(b, common)) continue;
      common.swap(then);
      std::swap_ranges(idle_out_.begin() + at(a, block * grain_), idle_out_.begin() + at(a, (block + 1) * grain_),
                       idle_out_.begin() + at(b, block * grain_));
      exchange(block, a, b);
    }
  }

  // Gives phases to as many pairs as it can.
  void search() {
    std::vector<ServerPair> open;
    for (std::uint32_t s = 0; s < k_; ++s)
      for (std::uint32_t d = 0; d < k_; ++d) open.emplace_back(s, d);
    std::vector<std::uint32_t> best = phase_of_;
    std::uint32_t least = most_left();
    std::size_t fewest = open.size();
    for (std::size_t step = 0; step < std::size_t{kSteps} * k_ * k_ && !open.empty(); ++step) {
      const std::size_t i = mix(step, 0) % open.size();
      const ServerPair pair = open[i];
      open[i] = open.back();
      open.pop_back();
      place(pair, step, open);
      if (open.size() > fewest) continue;
      fewest = open.size();
      const std::uint32_t now = most_left();
      if (now > least) continue;
      least = now;
      best = phase_of_;
    }
    phase_of_ = std::move(best);
  }

  // kNobody: none.
  [[nodiscard]] std::uint32_t phase_of(ServerPair pair) const { return phase_of_[pair.first * k_ + pair.second]; }
  [[nodiscard]] std::vector<Bundle> rest() const {
    std::vector<Bundle> edges;
    for (std::uint32_t s = 0; s < k_; ++s)
      for (std::uint32_t d = 0; d < k_; ++d)
        if (phase_of({s, d}) == kNobody) edges.push_back({s, d, 1, 0});
    return edges;
  }
  // The most pairs of one server that have none.
  [[nodiscard]] std::uint32_t most_left() const {
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < k_; ++i) {
      std::uint32_t out = 0, in = 0;
      for (std::uint32_t j = 0; j < k_; ++j) {
        out += phase_of({i, j}) == kNobody ? 1 : 0;
        in += phase_of({j, i}) == kNobody ? 1 : 0;
      }
      most = std::max({most, out, in});
    }
    return most;
  }

 private:
  static constexpr std::uint32_t kSteps = 20;      // for each pair
  static constexpr std::uint32_t kExchanges = 10;  // for each server and block

  // Adds `change` to what server s has in common with each, if it idles in the block when `like` does.
  void count_common(std::uint32_t s, std::uint32_t like, std::uint32_t block, std::uint32_t change,
                    std::vector<std::uint32_t>& common) const {
    for (std::uint32_t p = block * grain_; p < (block + 1) * grain_; ++p)
      if (idle_out_[at(like, p)] != 0)
        for (std::uint32_t d = 0; d < k_; ++d)
          if (idle_in_[at(d, p)] != 0) common[s * k_ + d] += change;
  }
  // A quarter of it with each phase in common, pair by pair.
  [[nodiscard]] std::uint64_t shortage(std::uint32_t s, const std::vector<std::uint32_t>& common) const {
    std::uint64_t sum = 0;
    for (std::uint32_t d = 0; d < k_; ++d) sum += (std::uint64_t{1} << 32) >> std::min(32U, 2 * common[s * k_ + d]);
    return sum;
  }

  [[nodiscard]] std::size_t at(std::uint32_t server, std::uint32_t phase) const {
    return std::size_t{server} * phases_ + phase;
  }
  // How many pairs would lose their phase to this one.
  [[nodiscard]] std::uint32_t displaced(ServerPair pair, std::uint32_t p) const {
    return (sends_[at(pair.first, p)] == kNobody ? 0U : 1U) + (receives_[at(pair.second, p)] == kNobody ? 0U : 1U);
  }
  // In the phase in which it displaces the fewest, of these one that changes from step to step.
  void place(ServerPair pair, std::size_t step, std::vector<ServerPair>& open) {
    std::uint32_t best = kNobody;
    std::pair<std::uint32_t, std::uint64_t> least{kNobody, 0};
    for (std::uint32_t p = 0; p < phases_; ++p) {
      if (idle_out_[at(pair.first, p)] == 0 || idle_in_[at(pair.second, p)] == 0) continue;
      const std::pair key{displaced(pair, p), mix(step, p)};
      if (key < least) std::tie(best, least) = std::pair(p, key);
    }
    if (best == kNobody) return;
    if (const std::uint32_t d = sends_[at(pair.first, best)]; d != kNobody) take_out({pair.first, d}, best, open);
    if (const std::uint32_t s = receives_[at(pair.second, best)]; s != kNobody) take_out({s, pair.second}, best, open);
    put(pair, best);
  }
  void put(ServerPair pair, std::uint32_t phase) {
    sends_[at(pair.first, phase)] = pair.second;
    receives_[at(pair.second, phase)] = pair.first;
    phase_of_[pair.first * k_ + pair.second] = phase;
  }
  void take_out(ServerPair pair, std::uint32_t phase, std::vector<ServerPair>& open) {
    sends_[at(pair.first, phase)] = kNobody;
    receives_[at(pair.second, phase)] = kNobody;
    phase_of_[pair.first * k_ + pair.second] = kNobody;
    open.push_back(pair);
  }

  std::uint32_t k_;
  std::uint32_t blocks_;
  std::uint32_t grain_;
  std::uint32_t phases_;
  std::vector<char> idle_out_;  // [server * phases + phase]
  std::vector<char> idle_in_;
  std::vector<std::uint32_t> sends_;     // the same: to whom within the leaf
  std::vector<std::uint32_t> receives_;  // from whom
  std::vector<std::uint32_t> phase_of_;  // [source * k + destination]
};

class GapFiller {
 public:
  GapFiller(const LeafSpine& tree, std::uint32_t grain, UnevenExchange exchange)
      : tree_(tree),
        grain_(grain),
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
    LocalFlows flows(servers, given_.phases / grain_, grain_);
    const auto at = [&](std::uint32_t i, std::uint32_t p) { return std::size_t{first + i} * given_.phases + p; };
    for (std::uint32_t i = 0; i < servers; ++i)
      for (std::uint32_t p = 0; p < given_.phases; ++p) {
        if (given_.slots[at(i, p)].destination == Slot::kIdle) flows.set_idle_sender(i, p);
        if (receives_[at(i, p)] == 0) flows.set_idle_receiver(i, p);
      }
    flows.spread_idle_senders([&](std::uint32_t block, std::uint32_t a, std::uint32_t b) {
      std::swap_ranges(given_.slots.begin() + at(a, block * grain_), given_.slots.begin() + at(a, (block + 1) * grain_),
                       given_.slots.begin() + at(b, block * grain_));
    });
    flows.search();
    for (std::uint32_t s = 0; s < servers; ++s)
      for (std::uint32_t d = 0; d < servers; ++d)
        if (const std::uint32_t p = flows.phase_of({s, d}); p != kNobody) local_[at(s, p)] = first + d;
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
  std::uint32_t grain_;
  UnevenExchange given_;              // between leaves only
  std::vector<char> receives_;        // [server * phases + phase]
  std::vector<std::uint32_t> local_;  // [server * phases + phase]: destination within the leaf
};

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
    if (const std::uint32_t uplinks = std::min(tree.uplinks(a), grain); uplinks > 0 && others > 0)
      least = std::max(least, (all - tree.servers[a] + uplinks - 1) / uplinks);
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
    UnevenExchange whole = GapFiller(tree, grain, std::move(between)).fill();
    if (whole.phases <= most_phases) return whole;
  }
  return std::nullopt;
}

}  // namespace espalier
