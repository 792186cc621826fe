// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/combinatorics/bounded_flow.h"

#include <algorithm>
#include <limits>
#include <span>

namespace espalier {
namespace {

constexpr std::uint32_t kFar = ~std::uint32_t{0};

}  // namespace

BoundedFlow::BoundedFlow(std::size_t num_nodes) : num_nodes_(num_nodes + 2), excess_(num_nodes, 0) {}

std::size_t BoundedFlow::add_arc(std::uint32_t from, std::uint32_t to, std::int64_t lower, std::int64_t upper) {
  to_.push_back(to);
  to_.push_back(from);
  capacity_.push_back(upper - lower);
  capacity_.push_back(0);
  lower_.push_back(lower);
  // The lower bound flows in any case; what it leaves unbalanced is made good by the flow that solve() looks for.
  excess_[to] += lower;
  excess_[from] -= lower;
  return lower_.size() - 1;
}

bool BoundedFlow::find_distances() {
  const auto source = static_cast<std::uint32_t>(num_nodes_ - 2);
  distance_.assign(num_nodes_, kFar);
  distance_[source] = 0;
  queue_.assign(1, source);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::uint32_t v = queue_[head];
    for (const std::uint32_t h : halves_.at(v)) {
      if (capacity_[h] == 0 || distance_[to_[h]] != kFar) continue;
      distance_[to_[h]] = distance_[v] + 1;
      if (to_[h] == source + 1) return true;
      queue_.push_back(to_[h]);
    }
  }
  return false;
}

// Depth first along arcs that lead one step away from the source; at most eight steps deep in our networks.
std::int64_t BoundedFlow::push(std::uint32_t node, std::int64_t amount) {
  if (node == num_nodes_ - 1) return amount;
  std::int64_t pushed = 0;
  const std::span<const std::uint32_t> halves = halves_.at(node);
  for (std::uint32_t& i = next_[node]; i < halves.size(); ++i) {
    const std::uint32_t h = halves[i];
    if (capacity_[h] == 0 || distance_[to_[h]] != distance_[node] + 1) continue;
    const std::int64_t part = push(to_[h], std::min(amount - pushed, capacity_[h]));
    capacity_[h] -= part;
    capacity_[h ^ 1] += part;
    pushed += part;
    if (pushed == amount) return pushed;
  }
  return pushed;
}

bool BoundedFlow::solve() {
  const auto source = static_cast<std::uint32_t>(num_nodes_ - 2);
  std::int64_t wanted = 0;
  for (std::uint32_t v = 0; v < source; ++v) {
    const std::int64_t amount = excess_[v];
    if (amount == 0) continue;
    to_.push_back(amount > 0 ? v : source + 1);
    to_.push_back(amount > 0 ? source : v);
    capacity_.push_back(amount > 0 ? amount : -amount);
    capacity_.push_back(0);
    wanted += std::max<std::int64_t>(amount, 0);
  }
  halves_ = FlatLists<std::uint32_t>(num_nodes_, [&](const auto& add) {
    for (std::uint32_t h = 0; h < to_.size(); ++h) add(to_[h ^ 1], h);
  });
  while (wanted > 0 && find_distances()) {
    next_.assign(num_nodes_, 0);
    wanted -= push(source, std::numeric_limits<std::int64_t>::max());
  }
  return wanted == 0;
}

}  // namespace espalier
