// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/reached_channels.h"

#include <algorithm>

#include "core/fabric/connectivity/breadth_first.h"

namespace espalier {
namespace {

using Vertex = ReachedChannels::Vertex;

// Topological, and by turns where there is a choice.
std::vector<Vertex> sorted(const SharedEdges& edges, const std::vector<std::uint32_t>& turn) {
  std::vector<std::size_t> left(turn.size());  // predecessors that are not in the order yet
  std::vector<std::vector<Vertex>> ready(turn.empty() ? 0 : *std::max_element(turn.begin(), turn.end()) + 1);
  for (Vertex v = 0; v < turn.size(); ++v) {
    left[v] = edges.predecessors(v).size();
    if (left[v] == 0) ready[turn[v]].push_back(v);
  }
  std::vector<Vertex> order;
  order.reserve(turn.size());
  for (std::size_t now = 0; now < ready.size();) {
    if (ready[now].empty()) {
      ++now;
      continue;
    }
    order.push_back(ready[now].back());
    ready[now].pop_back();
    for (const Vertex next : edges.successors(order.back())) {
      if (--left[next] != 0) continue;
      ready[turn[next]].push_back(next);
      now = std::min<std::size_t>(now, turn[next]);
    }
  }
  return order;
}

}  // namespace

ReachedChannels::ReachedChannels(const Fabric& fabric, const ChannelDependencies& unicast, std::uint32_t vls)
    : fabric_(fabric), unicast_(unicast), number_(unicast.num_virtual_channels(), kUnreached) {
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    for (std::uint8_t vl = 0; vl < unicast.num_vls(); ++vl)
      if ((vls >> vl & 1U) != 0) reach(unicast.virtual_channel(c, vl));
  std::vector<Step> edges;
  for (Vertex v = 0; v < channels_.size(); ++v)
    unicast.for_each_next(channels_[v], [&](VirtualChannelId next) {
      reach(next);
      edges.emplace_back(v, number_[index(next)]);
    });
  edges_ = std::make_shared<const SharedEdges>(channels_.size(), edges);
}

void ReachedChannels::reach(VirtualChannelId v) {
  if (number_[index(v)] != kUnreached) return;
  number_[index(v)] = static_cast<Vertex>(channels_.size());
  channels_.push_back(v);
}

// Depth first: what leads back to a channel that has been entered and not left closes a cycle.
bool ReachedChannels::close_cycle(std::span<const Step> steps) const {
  enum class Seen : std::uint8_t { kNo, kEntered, kLeft };
  const SharedEdges added(channels_.size(), steps);
  std::vector<Seen> seen(channels_.size(), Seen::kNo);
  std::vector<Vertex> stack;
  for (const Step& step : steps) stack.push_back(step.first);
  while (!stack.empty()) {
    const Vertex v = stack.back();
    if (seen[v] != Seen::kNo) {
      seen[v] = Seen::kLeft;
      stack.pop_back();
      continue;
    }
    seen[v] = Seen::kEntered;  // it stays below those that it leads to, and is left after them
    for (const std::span<const Vertex> nexts : {edges_->successors(v), added.successors(v)})
      for (const Vertex next : nexts) {
        if (seen[next] == Seen::kEntered) return true;
        if (seen[next] == Seen::kNo) stack.push_back(next);
      }
  }
  return false;
}

OrderedGraph ReachedChannels::toward_and_away(const IdVector<SwitchId, std::uint32_t>& hops) const {
  return OrderedGraph(sorted(*edges_, turns(hops)), edges_);
}

// When a channel comes in the order, if nothing else decides.
std::vector<std::uint32_t> ReachedChannels::turns(const IdVector<SwitchId, std::uint32_t>& hops) const {
  std::uint32_t farthest = 0;
  for (const std::uint32_t h : hops) farthest = h == kFarAway ? farthest : std::max(farthest, h);
  std::vector<std::uint32_t> turn(channels_.size(), 0);
  for (Vertex v = 0; v < channels_.size(); ++v) {
    const ChannelId c = unicast_.channel(channels_[v]);
    const Peer& peer = fabric_.peer(c);
    const std::uint32_t from = hops[fabric_.source(c)];
    if (!peer.is_switch() || from == kFarAway) continue;
    const std::uint32_t to = hops[peer.as_switch()];
    turn[v] = to < from ? farthest - from : to == from ? farthest : farthest + to;
  }
  return turn;
}

}  // namespace espalier
