// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/lanes/dependency_order.h"

#include <algorithm>
#include <array>

#include "core/base/large_array.h"
#include "core/base/sort_unique.h"

namespace espalier {

DependencyOrder::DependencyOrder(const SwitchGraph& graph, std::vector<std::uint32_t> number)
    : words_(1),
      channels_(number.size()),
      reverse_(number.size()),
      number_(std::move(number)),
      channel_at_(number_.size()) {
  const Fabric& fabric = graph.fabric();
  for (const SwitchId s : fabric.switches()) words_ = std::max(words_, fabric.at(s).num_ports / kBits + std::size_t{1});
  const auto row = [&](SwitchId s) { return static_cast<std::uint32_t>(index(s) * words_); };
  const auto first = [&](SwitchId s) { return static_cast<std::uint32_t>(index(fabric.channel(s, kManagementPort))); };
  for (const SwitchId s : fabric.switches())
    for (const Hop& hop : graph.out(s)) {
      const Peer& peer = fabric.peer(hop.channel);
      channels_[index(hop.channel)] = {row(s),
                                       row(hop.far),
                                       first(s),
                                       first(hop.far),
                                       static_cast<std::uint8_t>(fabric.port(hop.channel)),
                                       static_cast<std::uint8_t>(peer.port)};
      reverse_[index(hop.channel)] = static_cast<std::uint32_t>(index(fabric.channel(hop.far, peer.port)));
    }
  followers_.assign(number_.size() * words_, 0);
  predecessors_ = followers_;
  for (Visited* visited : {&after_, &before_}) {
    visited->leaving.assign(fabric.num_switches() * words_, 0);
    visited->entering = visited->leaving;
  }
  taken_.assign(number_.size() / 64 + 1, 0);
  for (std::uint32_t c = 0; c < number_.size(); ++c) channel_at_[number_[c]] = c;
}

bool DependencyOrder::insert(ChannelId in, ChannelId out) {
  const auto from = static_cast<std::uint32_t>(index(in));
  const auto to = static_cast<std::uint32_t>(index(out));
  if (number_[from] >= number_[to]) {
    const bool acyclic = collect(from, to);
    if (acyclic) renumber();
    forget(after_);
    forget(before_);
    after_.channels.clear();
    before_.channels.clear();
    if (!acyclic) return false;
  }
  const Channel& first = channels_[from];
  const Channel& second = channels_[to];
  followers_[word(from, second.source_port)] |= bit(second.source_port);
  predecessors_[word(to, first.end_port)] |= bit(first.end_port);
  return true;
}

void DependencyOrder::visit(Visited& visited, std::uint32_t channel) const {
  const Channel& c = channels_[channel];
  visited.channels.push_back(channel);
  visited.leaving[c.source_row + c.source_port / kBits] |= bit(c.source_port);
  visited.entering[c.end_row + c.end_port / kBits] |= bit(c.end_port);
}

// Except for the list.
void DependencyOrder::forget(Visited& visited) const {
  for (const std::uint32_t channel : visited.channels) {
    const Channel& c = channels_[channel];
    visited.leaving[c.source_row + c.source_port / kBits] = 0;
    visited.entering[c.end_row + c.end_port / kBits] = 0;
  }
}

// False when one of them has been come to from the other side.
bool DependencyOrder::visit_followers(std::uint32_t channel, std::uint32_t highest) {
  const Channel& c = channels_[channel];
  for (std::uint32_t w = 0; w < words_; ++w) {
    Ports ports = followers_[channel * words_ + w];
    if ((ports & before_.leaving[c.end_row + w]) != 0) return false;
    for (ports &= ~after_.leaving[c.end_row + w]; ports != 0; ports &= ports - 1) {
      const std::uint32_t next = c.end_first + w * kBits + static_cast<std::uint32_t>(std::countr_zero(ports));
      if (number_[next] <= highest) visit(after_, next);
    }
  }
  return true;
}

bool DependencyOrder::visit_predecessors(std::uint32_t channel, std::uint32_t lowest) {
  const Channel& c = channels_[channel];
  for (std::uint32_t w = 0; w < words_; ++w) {
    Ports ports = predecessors_[channel * words_ + w];
    if ((ports & after_.entering[c.source_row + w]) != 0) return false;
    for (ports &= ~before_.entering[c.source_row + w]; ports != 0; ports &= ports - 1) {
      const std::uint32_t back = c.source_first + w * kBits + static_cast<std::uint32_t>(std::countr_zero(ports));
      if (number_[reverse_[back]] >= lowest) visit(before_, reverse_[back]);
    }
  }
  return true;
}

// Fills before_ with what leads to `from` and after_ with what `to` leads to, both with numbers from that of `to` up to
// that of `from` only, and in turn, so that they meet early; false when they do.
bool DependencyOrder::collect(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t lowest = number_[to];
  const std::uint32_t highest = number_[from];
  visit(after_, to);
  visit(before_, from);
  for (std::size_t a = 0, b = 0; a < after_.channels.size() || b < before_.channels.size();) {
    if (a < after_.channels.size() && !visit_followers(after_.channels[a++], highest)) return false;
    if (b < before_.channels.size() && !visit_predecessors(before_.channels[b++], lowest)) return false;
  }
  return true;
}

// A cycle leads back to where its step starts: from the last channel in the order to the first, which of these starts each
// one leads to, a bit for each, as many at once as fit in a cache line.
std::vector<std::uint8_t> DependencyOrder::close_cycles(std::span<const std::pair<ChannelId, ChannelId>> steps) const {
  constexpr std::size_t kAtOnce = 512;
  using Reached = std::array<std::uint64_t, kAtOnce / 64>;
  std::vector<std::uint32_t> starts;
  std::uint32_t lowest = static_cast<std::uint32_t>(number_.size());
  for (const auto& [in, out] : steps) {
    starts.push_back(number_[index(in)]);
    lowest = std::min(lowest, number_[index(out)]);
  }
  sort_unique(starts);
  std::vector<std::uint32_t> place(number_.size());  // of a number, in starts
  for (std::uint32_t i = 0; i < starts.size(); ++i) place[starts[i]] = i;

  std::vector<std::uint8_t> closing(steps.size());
  LargeVector<Reached> reached;  // per number
  for (std::size_t first = 0; first < starts.size(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, starts.size());
    reached.assign(number_.size(), {});
    for (std::size_t i = first; i < end; ++i)
      reached[starts[i]][(i - first) / 64] |= std::uint64_t{1} << (i - first) % 64;
    for (std::uint32_t number = starts[end - 1]; number-- > lowest;)
      for_each_follower(channel_at_[number], [&](std::uint32_t next) {
        for (std::size_t w = 0; w < Reached{}.size(); ++w) reached[number][w] |= reached[number_[next]][w];
      });
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::size_t at = place[number_[index(steps[i].first)]];
      if (at < first || at >= end) continue;
      const Reached& behind = reached[number_[index(steps[i].second)]];
      closing[i] = behind[(at - first) / 64] >> (at - first) % 64 & 1U;
    }
  }
  return closing;
}

// Gives the numbers that before_ and after_ occupy to before_ first, each list in its old order.
void DependencyOrder::renumber() {
  for (const Visited* visited : {&before_, &after_})
    for (const std::uint32_t c : visited->channels) taken_[number_[c] / 64] |= std::uint64_t{1} << number_[c] % 64;
  const std::size_t lowest = number_[after_.channels.front()], highest = number_[before_.channels.front()];
  pool_.clear();
  moved_.resize(before_.channels.size() + after_.channels.size());
  std::size_t next_before = 0, next_after = before_.channels.size();
  for (std::size_t w = lowest / 64; w <= highest / 64; ++w)
    for (std::uint64_t left = std::exchange(taken_[w], 0); left != 0; left &= left - 1) {
      pool_.push_back(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      const std::uint32_t c = channel_at_[pool_.back()];
      moved_[is_before(c) ? next_before++ : next_after++] = c;
    }
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    number_[moved_[i]] = pool_[i];
    channel_at_[pool_[i]] = moved_[i];
  }
}

}  // namespace espalier
