// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/channel_order.h"

#include <algorithm>
#include <utility>

namespace espalier {

ChannelOrder::ChannelOrder(const Fabric& fabric, std::vector<std::uint32_t> number)
    : fabric_(fabric), number_(std::move(number)), seen_(fabric_.num_channels()) {
  std::uint32_t words = 0;
  for (const ChannelId c : IdRange<ChannelId>(fabric_.num_channels())) {
    first_word_.push_back(words);
    const Peer& peer = fabric_.peer(c);
    opposite_.push_back(peer.is_switch() ? fabric_.channel(peer.as_switch(), peer.port) : c);
    if (peer.is_switch()) words += fabric_.at(peer.as_switch()).num_ports / 64U + 1;
  }
  allowed_.assign(words, 0);
  refused_.assign(words, 0);
}

ChannelOrder::ChannelOrder(const FatTree& tree)
    : ChannelOrder(tree.fabric(), std::vector<std::uint32_t>(tree.fabric().num_channels())) {
  std::uint32_t next = 0;
  const auto number_all = [&](SwitchId s, std::span<const PortGroup> groups) {
    for (const PortGroup& g : groups)
      for (const PortNum port : tree.ports(g)) number_[index(fabric_.channel(s, port))] = next++;
  };
  const auto ascending = tree.ascending();
  for (const SwitchId s : ascending) number_all(s, tree.up_groups(s));
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it) number_all(*it, tree.down_groups(*it));
}

// visit(ChannelId) for each that may follow c.
template <class Visit>
void ChannelOrder::for_each_after(ChannelId c, Visit visit) const {
  const SwitchId far = fabric_.peer(c).as_switch();
  for (std::size_t base = 0; base <= fabric_.at(far).num_ports; base += 64)
    for (std::uint64_t bits = allowed_[first_word_[index(c)] + base / 64]; bits != 0; bits &= bits - 1)
      visit(fabric_.channel(far, id_at<PortNum>(base + static_cast<std::size_t>(__builtin_ctzll(bits)))));
}

// visit(ChannelId) for each that c may follow, down to number `lowest`.
template <class Visit>
void ChannelOrder::for_each_before(ChannelId c, std::uint32_t lowest, Visit visit) const {
  const SwitchId near = fabric_.source(c);
  const PortNum out = fabric_.port(c);
  const std::size_t first = index(fabric_.channel(near, kManagementPort));
  for (std::size_t in = first + 1; in <= first + fabric_.at(near).num_ports; ++in) {
    const ChannelId previous = opposite_[in];
    if (index(previous) != in && number_[index(previous)] >= lowest && has(previous, out)) visit(previous);
  }
}

bool ChannelOrder::has_any(ChannelId in) const {
  const auto* const first = allowed_.data() + first_word_[index(in)];
  return std::any_of(first, first + fabric_.at(fabric_.peer(in).as_switch()).num_ports / 64U + 1,
                     [](std::uint64_t word) { return word != 0; });
}

bool ChannelOrder::insert(ChannelId in, PortNum out) {
  if (has(in, out)) return true;
  std::uint64_t& refused = refused_[first_word_[index(in)] + index(out) / 64];
  if ((refused & bit(out)) != 0) return false;
  const ChannelId next = fabric_.channel(fabric_.peer(in).as_switch(), out);
  if (number_[index(in)] > number_[index(next)]) {
    const bool acyclic = next != in && collect_both(next, in);
    if (acyclic) reorder_(before_, after_, [&](ChannelId c) -> std::uint32_t& { return number_[index(c)]; });
    forget_visited();
    if (!acyclic) {
      refused |= bit(out);
      has_refused_ = true;
      return false;
    }
  }
  allow(in, out);
  return true;
}

bool ChannelOrder::insert_all(std::vector<Dependency> dependencies) {
  std::erase_if(dependencies, [&](const Dependency& d) { return has(d.in, fabric_.port(d.out)); });
  for (const Dependency& d : dependencies) allow(d.in, fabric_.port(d.out));
  if (turn_upward(dependencies)) return true;
  for (const Dependency& d : dependencies) forbid(d.in, fabric_.port(d.out));
  return false;
}

// Renumbers so that all of these, which are allowed, go upward: what is behind those that go downward moves behind the
// highest start of these, by one search for all. False, and nothing changed: they close a cycle.
bool ChannelOrder::turn_upward(const std::vector<Dependency>& dependencies) {
  std::uint32_t highest = 0;
  std::uint32_t lowest = ~std::uint32_t{0};
  for (const Dependency& d : dependencies) {
    if (number_[index(d.in)] < number_[index(d.out)]) continue;
    highest = std::max(highest, number_[index(d.in)]);
    lowest = std::min(lowest, number_[index(d.out)]);
    if (std::exchange(seen_[index(d.out)], kSeen) == 0) after_.push_back(d.out);
  }
  if (after_.empty()) return true;
  collect_after(highest);
  for (const ChannelId c : after_) lowest = std::min(lowest, number_[index(c)]);
  const std::vector<ChannelId> numbered = numbered_from(lowest, highest);
  // From the last to the first, so that those before which nothing has to move keep their order.
  std::vector<ChannelId> sorted;
  const bool acyclic = std::all_of(numbered.rbegin(), numbered.rend(),
                                   [&](ChannelId c) { return seen_[index(c)] != kSeen || sort_behind(c, sorted); });
  if (acyclic) {
    for (const ChannelId c : numbered)
      if (seen_[index(c)] == 0) number_[index(c)] = lowest++;
    for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) number_[index(*it)] = lowest++;
  }
  forget_visited();
  return acyclic;
}

// Channels between switches with these numbers, both included, in their order.
std::vector<ChannelId> ChannelOrder::numbered_from(std::uint32_t lowest, std::uint32_t highest) const {
  std::vector<ChannelId> channels(highest - lowest + 1, kNoChannel);
  for (const ChannelId c : IdRange<ChannelId>(fabric_.num_channels()))
    if (const std::uint32_t n = number_[index(c)]; n >= lowest && n <= highest && opposite_[index(c)] != c)
      channels[n - lowest] = c;
  std::erase(channels, kNoChannel);
  return channels;
}

// Appends `first` and those that were seen behind it, each behind all that follow it (depth-first search). False: there
// is a cycle.
bool ChannelOrder::sort_behind(ChannelId first, std::vector<ChannelId>& sorted) {
  struct Step {
    ChannelId channel;
    std::size_t base;     // of the ports
    std::uint64_t ports;  // from there on, those not looked at yet
  };
  std::vector<Step> path;
  const auto enter = [&](ChannelId c) {
    seen_[index(c)] = kOnPath;
    path.push_back({c, 0, allowed_[first_word_[index(c)]]});
  };
  for (enter(first); !path.empty();) {
    auto& [c, base, ports] = path.back();
    const SwitchId far = fabric_.peer(c).as_switch();
    if (ports != 0) {
      const ChannelId next =
          fabric_.channel(far, id_at<PortNum>(base + static_cast<std::size_t>(__builtin_ctzll(ports))));
      ports &= ports - 1;
      if (seen_[index(next)] == kOnPath) return false;
      if (seen_[index(next)] == kSeen) enter(next);
    } else if (base += 64; base <= fabric_.at(far).num_ports) {
      ports = allowed_[first_word_[index(c)] + base / 64];
    } else {
      seen_[index(c)] = kSorted;
      sorted.push_back(c);
      path.pop_back();
    }
  }
  return true;
}

bool ChannelOrder::exchange(const std::vector<std::pair<ChannelId, ChannelId>>& channels) {
  const auto swap_all = [&] {
    for (const auto& [a, b] : channels) std::swap(number_[index(a)], number_[index(b)]);
  };
  swap_all();
  if (std::ranges::all_of(channels, [&](const auto& two) { return goes_upward(two.first) && goes_upward(two.second); }))
    return true;
  swap_all();
  return false;
}

bool ChannelOrder::goes_upward(ChannelId c) const {
  bool all = true;
  for_each_after(c, [&](ChannelId next) { all = all && number_[index(next)] > number_[index(c)]; });
  for_each_before(c, number_[index(c)], [&](ChannelId) { all = false; });
  return all;
}

// Of what is less, something that was refused may close no cycle any more.
void ChannelOrder::forget_refusals() {
  if (std::exchange(has_refused_, false)) std::fill(refused_.begin(), refused_.end(), 0);
}

void ChannelOrder::retract(ChannelId in, PortNum out) {
  forget_refusals();
  forbid(in, out);
}

void ChannelOrder::remove(ChannelId gone) {
  if (!fabric_.peer(gone).is_switch()) return;
  forget_refusals();
  const SwitchId far = fabric_.peer(gone).as_switch();
  for (std::size_t word = 0; word <= fabric_.at(far).num_ports / 64U; ++word)
    allowed_[first_word_[index(gone)] + word] = 0;
  const SwitchId near = fabric_.source(gone);
  const PortNum out = fabric_.port(gone);
  for (const PortNum p : fabric_.ports(near))
    if (const Peer& peer = fabric_.peer(near, p); peer.is_switch())
      allowed_[first_word_[index(fabric_.channel(peer.as_switch(), peer.port))] + index(out) / 64] &= ~bit(out);
}

// Adds to after_ what is reachable from it up to number `highest`.
void ChannelOrder::collect_after(std::uint32_t highest) {
  for (std::size_t head = 0; head < after_.size(); ++head)
    for_each_after(after_[head], [&](ChannelId next) {
      if (seen_[index(next)] != 0 || number_[index(next)] > highest) return;
      seen_[index(next)] = kSeen;
      after_.push_back(next);
    });
}

// Fills after_ with what is reachable from `first`, and before_ with what leads to `last`, each up to the other's number;
// false as soon as they meet. In turn, the smaller one first: a way from one to the other is mostly found from its middle.
bool ChannelOrder::collect_both(ChannelId first, ChannelId last) {
  const std::uint32_t lowest = number_[index(first)], highest = number_[index(last)];
  const auto add = [&](ChannelId c, std::vector<ChannelId>& visited, Mark mark) {
    std::uint8_t& seen = seen_[index(c)];
    if (seen == 0) visited.push_back(c);
    const bool is_met = seen != 0 && seen != mark;
    if (seen == 0) seen = mark;
    return !is_met;
  };
  bool apart = add(first, after_, kSeen) && add(last, before_, kSeenBefore);
  std::size_t next_after = 0, next_before = 0;
  while (apart && (next_after < after_.size() || next_before < before_.size())) {
    const bool forward =
        next_before == before_.size() || (next_after < after_.size() && after_.size() <= before_.size());
    if (forward)
      for_each_after(after_[next_after++], [&](ChannelId next) {
        if (number_[index(next)] <= highest) apart = add(next, after_, kSeen) && apart;
      });
    else
      for_each_before(before_[next_before++], lowest,
                      [&](ChannelId previous) { apart = add(previous, before_, kSeenBefore) && apart; });
  }
  return apart;
}

void ChannelOrder::forget_visited() {
  for (auto* visited : {&after_, &before_}) {
    visited_ += visited->size();
    for (const ChannelId c : *visited) seen_[index(c)] = 0;
    visited->clear();
  }
}

bool insert_up_down_steps(const FatTree& tree, ChannelOrder& order) {
  const Fabric& fabric = tree.fabric();
  bool all = true;
  for (const SwitchId s : fabric.switches()) {
    const auto allow = [&](const PortGroup& in, std::span<const PortGroup> outs) {
      for (const PortGroup& out : outs) {
        if (out.remote == s) continue;
        for (const PortNum a : tree.ports(in))
          for (const PortNum b : tree.ports(out)) all = order.insert(fabric.channel(s, a), b) && all;
      }
    };
    for (const PortGroup& up : tree.up_groups(s)) {
      allow(up, tree.up_groups(up.remote));
      allow(up, tree.down_groups(up.remote));
    }
    for (const PortGroup& down : tree.down_groups(s)) allow(down, tree.down_groups(down.remote));
  }
  return all;
}

}  // namespace espalier
