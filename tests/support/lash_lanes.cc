// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/lash_lanes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/ordered_graph.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

std::uint64_t reversed(Guid guid) {
  auto bytes = static_cast<std::uint64_t>(guid);
  std::uint64_t back = 0;
  for (int i = 0; i < 8; ++i, bytes >>= 8U) back = back << 8U | (bytes & 0xFFU);
  return back;
}

std::vector<SwitchId> in_order(const Fabric& fabric) {
  std::vector<SwitchId> switches;
  for (const SwitchId s : fabric.switches()) switches.push_back(s);
  std::sort(switches.begin(), switches.end(),
            [&](SwitchId a, SwitchId b) { return reversed(fabric.at(a).guid) < reversed(fabric.at(b).guid); });
  return switches;
}

// Switches as LASH numbers them, and the next one on the way to each other one.
class Paths {
 public:
  explicit Paths(const Fabric& fabric)
      : size_(static_cast<std::uint32_t>(fabric.num_switches())),
        neighbors_(size_),
        next_(std::size_t{size_} * size_, kNone),
        channel_(next_) {
    const std::vector<SwitchId> switches = in_order(fabric);
    std::vector<std::uint32_t> number(size_);
    for (std::uint32_t i = 0; i < size_; ++i) number[index(switches[i])] = i;
    for (std::uint32_t i = 0; i < size_; ++i)
      for (const PortNum p : fabric.ports(switches[i])) {
        const Peer& peer = fabric.peer(switches[i], p);
        if (!peer.is_switch()) continue;
        const std::uint32_t neighbor = number[index(peer.as_switch())];
        std::uint32_t& channel = channel_[i * size_ + neighbor];
        if (channel != kNone) continue;
        channel = num_channels_++;
        neighbors_[i].push_back(neighbor);
      }
    for (std::uint32_t root = 0; root < size_; ++root) follow_tree(root);
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t next(std::uint32_t from, std::uint32_t to) const { return next_[from * size_ + to]; }
  // A channel is a pair of neighbors, however many links they have: that to the next one.
  [[nodiscard]] std::size_t num_channels() const { return num_channels_; }
  [[nodiscard]] std::uint32_t channel(std::uint32_t from, std::uint32_t to) const {
    return channel_[from * size_ + next(from, to)];
  }

 private:
  // Who has no path yet to a switch below it in the breadth-first tree from the root takes that of the tree.
  void follow_tree(std::uint32_t root) {
    std::vector<std::uint32_t> parent(size_, kNone);
    parent[root] = root;
    std::vector<std::uint32_t> queue{root};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const std::uint32_t neighbor : neighbors_[queue[i]])
        if (parent[neighbor] == kNone) {
          parent[neighbor] = queue[i];
          queue.push_back(neighbor);
        }
    for (const std::uint32_t to : queue)
      for (std::uint32_t below = to; below != root; below = parent[below]) {
        std::uint32_t& next = next_[parent[below] * size_ + to];
        if (next == kNone) next = below;
      }
  }

  std::uint32_t size_;
  std::vector<std::vector<std::uint32_t>> neighbors_;
  std::vector<std::uint32_t> next_;     // of each to each
  std::vector<std::uint32_t> channel_;  // of each to each neighbor
  std::uint32_t num_channels_ = 0;
};

// The dependencies of one lane.
class Lane {
 public:
  explicit Lane(const Paths& paths) : order_(any_order(paths.num_channels())), followers_(paths.num_channels()) {}

  // False, and nothing changes: the way there and back would close a cycle.
  [[nodiscard]] bool add(const Paths& paths, std::uint32_t a, std::uint32_t b) {
    added_.clear();
    if (add_way(paths, a, b) && add_way(paths, b, a)) return true;
    for (; !added_.empty(); added_.pop_back()) {
      order_.remove(added_.back().from, added_.back().to);
      followers_[added_.back().from].pop_back();
    }
    return false;
  }

 private:
  struct Dependency {
    std::uint32_t from;
    std::uint32_t to;
  };

  static OrderedGraph any_order(std::size_t channels) {
    std::vector<OrderedGraph::Vertex> order(channels);
    std::iota(order.begin(), order.end(), 0U);
    return OrderedGraph(order);
  }

  [[nodiscard]] bool add_way(const Paths& paths, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t at = from; paths.next(at, to) != to; at = paths.next(at, to)) {
      const Dependency dependency{paths.channel(at, to), paths.channel(paths.next(at, to), to)};
      std::vector<std::uint32_t>& followers = followers_[dependency.from];
      if (std::find(followers.begin(), followers.end(), dependency.to) != followers.end()) continue;
      if (!order_.add(dependency.from, dependency.to)) return false;
      followers.push_back(dependency.to);
      added_.push_back(dependency);
    }
    return true;
  }

  OrderedGraph order_;
  std::vector<std::vector<std::uint32_t>> followers_;  // per channel, those that depend on it
  std::vector<Dependency> added_;                      // last, not yet for good
};

}  // namespace

std::size_t lash_lanes(const Fabric& fabric) {
  const Paths paths(fabric);
  std::vector<Lane> lanes;
  for (std::uint32_t a = 0; a < paths.size(); ++a)
    for (std::uint32_t b = a + 1; b < paths.size(); ++b) {
      if (paths.next(a, b) == kNone) continue;
      const auto takes = [&](Lane& lane) { return lane.add(paths, a, b); };
      if (std::any_of(lanes.begin(), lanes.end(), takes)) continue;
      lanes.emplace_back(paths);
      (void)takes(lanes.back());
    }
  return lanes.size();
}

}  // namespace espalier
