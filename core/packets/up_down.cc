// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/up_down.h"

#include <algorithm>
#include <utility>

#include "core/packets/network.h"

namespace espalier::packets {

UpDown::UpDown(Neighbors neighbors) : neighbors_(std::move(neighbors)), place_(neighbors_.size(), kNone) {
  if (neighbors_.empty()) return;
  const auto fewer = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  const auto root = std::max_element(neighbors_.begin(), neighbors_.end(), fewer);
  order_.push_back(static_cast<std::uint32_t>(root - neighbors_.begin()));
  place_[order_[0]] = 0;
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (const std::uint32_t next : neighbors_[order_[i]]) {
      if (place_[next] != kNone) continue;
      place_[next] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(next);
    }
  joins_all_ = order_.size() == neighbors_.size();
}

bool UpDown::adjacent(std::uint32_t a, std::uint32_t b) const {
  return std::binary_search(neighbors_[a].begin(), neighbors_[a].end(), b);
}

std::vector<std::uint32_t> UpDown::toward(std::span<const std::uint32_t> goals) const {
  const auto size = static_cast<std::uint32_t>(neighbors_.size());
  std::vector<std::uint32_t> next(size, kNone);
  std::vector<std::uint32_t> hops(size, kNone);
  for (const std::uint32_t goal : goals) hops[goal] = 0;
  // Of equals the first from a router on that differs from goal to goal, so that not all go by way of one.
  const auto choose = [&](std::uint32_t from, auto&& may_follow) {
    const auto& all = neighbors_[from];
    std::size_t i = (from + goals[0]) % std::max<std::size_t>(1, all.size());
    for (std::size_t left = all.size(); left > 0; --left, i = i + 1 == all.size() ? 0 : i + 1)
      if (may_follow(all[i]) && hops[all[i]] != kNone && (hops[from] == kNone || hops[all[i]] + 1 < hops[from])) {
        hops[from] = hops[all[i]] + 1;
        next[from] = all[i];
      }
  };
  // Later routers first: who can go down. Then from the top: who has to go up.
  for (std::size_t i = size; i-- > 0;)
    if (hops[order_[i]] != 0) choose(order_[i], [&](std::uint32_t to) { return place_[to] > i; });
  for (std::size_t i = 0; i < size; ++i)
    if (hops[order_[i]] == kNone) choose(order_[i], [&](std::uint32_t to) { return place_[to] < i; });
  return next;
}

}  // namespace espalier::packets
