// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/channel_order.h"

#include <algorithm>
#include <iterator>
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
    const bool acyclic = collect_after(next, in);
    if (acyclic) {
      collect_before(in, number_[index(next)]);
      renumber();
    }
    for (const auto* visited : {&after_, &before_})
      for (const ChannelId c : *visited) seen_[index(c)] = 0;
    after_.clear();
    before_.clear();
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
  // Those farthest downward first: each moves what is between its ends, and most of the others then go upward.
  std::ranges::sort(dependencies, [&](const Dependency& a, const Dependency& b) {
    return std::pair(number_[index(b.in)], number_[index(a.out)]) <
           std::pair(number_[index(a.in)], number_[index(b.out)]);
  });
  const auto refused =
      std::ranges::find_if_not(dependencies, [&](const Dependency& d) { return insert(d.in, fabric_.port(d.out)); });
  if (refused == dependencies.end()) return true;
  for (auto it = dependencies.begin(); it != refused; ++it) retract(it->in, fabric_.port(it->out));
  return false;
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
  allowed_[first_word_[index(in)] + index(out) / 64] &= ~bit(out);
}

void ChannelOrder::remove(ChannelId gone) {
  if (!fabric_.peer(gone).is_switch()) return;
  forget_refusals();
  const SwitchId far = fabric_.peer(gone).as_switch();
  for (std::size_t word = 0; word <= fabric_.at(far).num_ports / 64U; ++word)
    allowed_[first_word_[index(gone)] + word] = 0;
  const SwitchId near = fabric_.source(gone);
  const PortNum out = fabric_.port(gone);
  for (std::size_t p = 1; p <= fabric_.at(near).num_ports; ++p)
    if (const Peer& peer = fabric_.peer(near, id_at<PortNum>(p)); peer.is_switch())
      allowed_[first_word_[index(fabric_.channel(peer.as_switch(), peer.port))] + index(out) / 64] &= ~bit(out);
}

// Fills after_ with what is reachable from `from` up to the number of `target`; false when that includes `target`.
bool ChannelOrder::collect_after(ChannelId from, ChannelId target) {
  if (from == target) return false;
  after_.push_back(from);
  seen_[index(from)] = 1;
  bool is_met = false;
  for (std::size_t head = 0; head < after_.size() && !is_met; ++head)
    for_each_after(after_[head], [&](ChannelId next) {
      is_met = is_met || next == target;
      if (seen_[index(next)] != 0 || number_[index(next)] > number_[index(target)]) return;
      seen_[index(next)] = 1;
      after_.push_back(next);
    });
  return !is_met;
}

// Fills before_ with what leads to `from`, down to number `lowest`.
void ChannelOrder::collect_before(ChannelId from, std::uint32_t lowest) {
  before_.push_back(from);
  seen_[index(from)] = 1;
  for (std::size_t head = 0; head < before_.size(); ++head)
    for_each_before(before_[head], lowest, [&](ChannelId previous) {
      if (seen_[index(previous)] != 0) return;
      seen_[index(previous)] = 1;
      before_.push_back(previous);
    });
}

// Gives the numbers that before_ and after_ occupy to before_ first, each list in its old order.
void ChannelOrder::renumber() {
  const auto in_order = [&](const std::vector<ChannelId>& channels, std::vector<Numbered>& numbered) {
    numbered.clear();
    for (const ChannelId c : channels) numbered.push_back({number_[index(c)], c});
    std::sort(numbered.begin(), numbered.end(),
              [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  };
  in_order(before_, numbered_before_);
  in_order(after_, numbered_after_);
  pool_.clear();
  std::ranges::merge(numbered_before_, numbered_after_, std::back_inserter(pool_), {}, &Numbered::number,
                     &Numbered::number);
  std::size_t i = 0;
  for (const auto* list : {&numbered_before_, &numbered_after_})
    for (const Numbered& channel : *list) number_[index(channel.channel)] = pool_[i++].number;
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
