// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dependency_order.h"

#include <algorithm>
#include <bit>

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
  for (std::uint32_t c = 0; c < number_.size(); ++c) channel_at_[number_[c]] = c;
}

bool DependencyOrder::insert(ChannelId in, ChannelId out) {
  const auto from = static_cast<std::uint32_t>(index(in));
  const auto to = static_cast<std::uint32_t>(index(out));
  if (number_[from] >= number_[to]) {
    const bool acyclic = collect(from, to);
    forget(after_);
    forget(before_);
    if (acyclic) renumber();
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

// Gives the numbers that before_ and after_ occupy to before_ first, each list in its old order.
void DependencyOrder::renumber() {
  const auto to_numbers = [&](std::vector<std::uint32_t>& list) {
    for (std::uint32_t& c : list) c = number_[c];
    std::sort(list.begin(), list.end());
  };
  to_numbers(before_.channels);
  to_numbers(after_.channels);
  pool_.resize(before_.channels.size() + after_.channels.size());
  std::merge(before_.channels.begin(), before_.channels.end(), after_.channels.begin(), after_.channels.end(),
             pool_.begin());
  for (auto* list : {&before_.channels, &after_.channels})
    for (std::uint32_t& number : *list) number = channel_at_[number];
  std::size_t i = 0;
  for (const auto* list : {&before_.channels, &after_.channels})
    for (const std::uint32_t c : *list) {
      number_[c] = pool_[i++];
      channel_at_[number_[c]] = c;
    }
}

}  // namespace espalier
