// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/adapted_schedule.h"

#include <algorithm>

#include "core/schedule/combinatorics/equitable_coloring.h"

namespace espalier {
namespace {

struct Flow {
  ServerPair servers;
  std::uint32_t from = 0;  // leaves
  std::uint32_t to = 0;
  bool stays = false;
};

// The flows of one phase between leaves.
class PhaseChoice {
 public:
  PhaseChoice(const std::vector<std::uint32_t>& uplinks, std::vector<Flow> flows)
      : flows_(std::move(flows)), out_left_(uplinks), in_left_(uplinks) {}

  // In the order in which they stand, then as many more as there can be.
  const std::vector<Flow>& choose() {
    for (Flow& flow : flows_)
      if (out_left_[flow.from] > 0 && in_left_[flow.to] > 0) keep(flow);
    while (augment()) {
    }
    return flows_;
  }

 private:
  void keep(Flow& flow) {
    flow.stays = true;
    --out_left_[flow.from];
    --in_left_[flow.to];
  }

  // One alternating path from a leaf that could send more to one that could receive more: breadth first.
  bool augment() {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> by_out(out_left_.size(), kNone);  // the flow by which a leaf was reached
    std::vector<std::size_t> by_in(in_left_.size(), kNone);
    std::vector<char> seen_out(out_left_.size());
    std::vector<char> seen_in(in_left_.size());
    std::vector<std::uint32_t> todo;
    for (std::uint32_t leaf = 0; leaf < out_left_.size(); ++leaf)
      if (out_left_[leaf] > 0) {
        seen_out[leaf] = 1;
        todo.push_back(leaf);
      }
    for (std::size_t head = 0; head < todo.size(); ++head)
      for (std::size_t i = 0; i < flows_.size(); ++i) {
        const Flow& flow = flows_[i];
        if (flow.from != todo[head] || flow.stays || seen_in[flow.to] != 0) continue;
        seen_in[flow.to] = 1;
        by_in[flow.to] = i;
        if (in_left_[flow.to] > 0) return exchange(flow.to, by_in, by_out);
        for (std::size_t k = 0; k < flows_.size(); ++k)
          if (flows_[k].to == flow.to && flows_[k].stays && seen_out[flows_[k].from] == 0) {
            seen_out[flows_[k].from] = 1;
            by_out[flows_[k].from] = k;
            todo.push_back(flows_[k].from);
          }
      }
    return false;
  }

  bool exchange(std::uint32_t to, const std::vector<std::size_t>& by_in, const std::vector<std::size_t>& by_out) {
    --in_left_[to];
    for (;;) {
      Flow& comes = flows_[by_in[to]];
      comes.stays = true;
      if (out_left_[comes.from] > 0) {
        --out_left_[comes.from];
        return true;
      }
      Flow& goes = flows_[by_out[comes.from]];
      goes.stays = false;
      to = goes.to;
    }
  }

  std::vector<Flow> flows_;
  std::vector<std::uint32_t> out_left_;
  std::vector<std::uint32_t> in_left_;
};

std::uint32_t ceil_divide(std::uint32_t n, std::uint32_t d) { return (n + d - 1) / d; }

// How many flows lie in each set.
std::vector<std::uint32_t> count(const std::vector<ServerPair>& flows, std::size_t sets, auto set_of) {
  std::vector<std::uint32_t> counts(sets, 0);
  for (const ServerPair& flow : flows) ++counts[set_of(flow)];
  return counts;
}

// The fewest phases in which all of these can go.
std::uint32_t phases_for(const std::vector<ServerPair>& moved, const std::vector<std::uint32_t>& uplinks,
                         std::uint32_t servers_per_leaf) {
  std::uint32_t phases = 0;
  for (const bool sends : {true, false}) {
    const auto server = [&](const ServerPair& flow) { return sends ? flow.first : flow.second; };
    for (const std::uint32_t n : count(moved, uplinks.size() * servers_per_leaf, server)) phases = std::max(phases, n);
    const auto of_leaf =
        count(moved, uplinks.size(), [&](const ServerPair& flow) { return server(flow) / servers_per_leaf; });
    for (std::size_t leaf = 0; leaf < uplinks.size(); ++leaf)
      if (of_leaf[leaf] > 0) phases = std::max(phases, ceil_divide(of_leaf[leaf], uplinks[leaf]));
  }
  return phases;
}

void add_phases(const std::vector<ServerPair>& moved, const std::vector<std::uint32_t>& uplinks,
                std::uint32_t servers_per_leaf, PhaseList& phases) {
  LaminarSide side{{}, static_cast<std::uint32_t>(uplinks.size())};
  for (std::uint32_t s = 0; s < uplinks.size() * servers_per_leaf; ++s) side.outer_of.push_back(s / servers_per_leaf);
  std::vector<Bundle> edges;
  for (const auto& [s, d] : moved) edges.push_back({s, d, 1, 0});
  color_equitably(edges, side, side, phases_for(moved, uplinks, servers_per_leaf),
                  [&](std::uint32_t, const std::vector<Bundle>& mine) {
                    phases.emplace_back();
                    for (const Bundle& e : mine) phases.back().emplace_back(e.left, e.right);
                  });
}

}  // namespace

std::vector<ServerPair> may_have_to_move(const PhaseList& phases, const std::vector<std::uint32_t>& uplinks,
                                         std::uint32_t servers_per_leaf) {
  std::vector<ServerPair> marked;
  for (const auto& phase : phases) {
    std::vector<ServerPair> remote;
    for (const ServerPair& flow : phase)
      if (flow.first / servers_per_leaf != flow.second / servers_per_leaf) remote.push_back(flow);
    const auto out = count(remote, uplinks.size(), [&](const ServerPair& f) { return f.first / servers_per_leaf; });
    const auto in = count(remote, uplinks.size(), [&](const ServerPair& f) { return f.second / servers_per_leaf; });
    for (const ServerPair& flow : remote)
      if (out[flow.first / servers_per_leaf] > uplinks[flow.first / servers_per_leaf] ||
          in[flow.second / servers_per_leaf] > uplinks[flow.second / servers_per_leaf])
        marked.push_back(flow);
  }
  return marked;
}

AdaptedSchedule adapt_schedule(const PhaseList& phases, const std::vector<std::uint32_t>& uplinks,
                               std::uint32_t servers_per_leaf) {
  AdaptedSchedule adapted;
  std::vector<ServerPair> moved;
  std::vector<std::uint32_t> out_moves(uplinks.size() * servers_per_leaf, 0);  // per server
  std::vector<std::uint32_t> in_moves(out_moves.size(), 0);
  for (const auto& phase : phases) {
    std::vector<Flow> flows;
    auto& rest = adapted.phases.emplace_back();
    for (const ServerPair& servers : phase) {
      const Flow flow{servers, servers.first / servers_per_leaf, servers.second / servers_per_leaf, false};
      if (flow.from == flow.to)
        rest.push_back(servers);
      else
        flows.push_back(flow);
    }
    std::stable_sort(flows.begin(), flows.end(), [&](const Flow& a, const Flow& b) {
      const auto moved_so_far = [&](const Flow& f) { return out_moves[f.servers.first] + in_moves[f.servers.second]; };
      return moved_so_far(a) > moved_so_far(b);
    });
    PhaseChoice choice(uplinks, std::move(flows));
    for (const Flow& flow : choice.choose()) {
      if (flow.stays) {
        rest.push_back(flow.servers);
        continue;
      }
      moved.push_back(flow.servers);
      ++out_moves[flow.servers.first];
      ++in_moves[flow.servers.second];
    }
  }
  adapted.moved = static_cast<std::uint32_t>(moved.size());
  if (!moved.empty()) add_phases(moved, uplinks, servers_per_leaf, adapted.phases);
  return adapted;
}

}  // namespace espalier
