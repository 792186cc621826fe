// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/detours/leaf_turns.h"

#include <limits>

namespace espalier {

LeafTurns::LeafTurns(const WorkingState& state, const LostPairs& pairs, const ClassLoads& loads)
    : state_(state), prepared_(state.prepared), pairs_(pairs), loads_before_(loads) {}

bool LeafTurns::turn(DetourColumn& column) {
  if (!prepared_.is_oriented()) return false;
  const bool is_host = prepared_.is_host_lid(column.lid());
  turns_.clear();
  for (const SwitchId s : column.missing()) {
    column.for_each_passable(s, [&](ChannelId in, SwitchId leaf) {
      if (leaf == column.destination() || !prepared_.is_bottom(leaf) || !column.has_joined(leaf)) return;
      if (is_host)
        find_closer(column, in);
      else
        find_any(column, in);
    });
    if (!is_host && !turns_.empty()) break;
  }
  if (turns_.empty()) return false;
  const Turn best = is_host ? cheapest(column) : turns_.front();
  column.change(prepared_.far(best.in), best.out);
  column.take(prepared_.fabric().source(best.in), best.in);
  return true;
}

bool LeafTurns::is_allowed(const DetourColumn& column, ChannelId in, ChannelId out) const {
  const PortNum port = prepared_.fabric().port(out);
  return pairs_.order().has(in, port) && column.may_leave_by(prepared_.far(in), port);
}

// Few of its ports may be turned to, so that comes first: to see what leads closer takes a look at a row of costs for each.
void LeafTurns::find_closer(const DetourColumn& column, ChannelId in) {
  const FatTree& tree = prepared_.tree();
  const SwitchId leaf = prepared_.far(in);
  const SwitchId t = column.destination();
  if (!state_.reaches(leaf, t)) return;
  const Hops own = state_.costs.cost(leaf, t);
  for (const PortGroup& g : tree.up_groups(leaf))
    for (const PortNum port : tree.ports(g)) {
      if (!pairs_.order().has(in, port) || state_.costs.cost(g.remote, t) >= own) continue;
      const ChannelId out = state_.channel(leaf, port);
      if (out != kNoChannel && column.may_leave_by(leaf, port)) turns_.push_back({in, out});
    }
}

void LeafTurns::find_any(DetourColumn& column, ChannelId in) {
  const SwitchId leaf = prepared_.far(in);
  const ChannelId out =
      column.best_channel(leaf, [&](ChannelId c) { return is_allowed(column, in, c) && !column.leads_by(c, leaf); });
  if (out != kNoChannel) turns_.push_back({in, out});
}

// The turn under which the flows of its leaf's hosts cost least, the first of equal ones. They take it.
const Turn& LeafTurns::cheapest(const DetourColumn& column) {
  if (!own_loads_) own_loads_ = loads_before_.view_of_prices();
  const auto of = [&](const Turn& turn) { return prepared_.far(turn.in); };
  const auto own = [&](SwitchId leaf) { return state_.channel_of(leaf, column.lid()); };
  const Turn* best = nullptr;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Turn& turn : turns_) {
    if (prepared_.leaf(of(turn)) == kNoLeaf) return turn;
    const ClassLoads::Flow flow = prepared_.flow(prepared_.leaf(of(turn)), column.lid());
    for_each_behind(column, own(of(turn)), [&](ChannelId c) { own_loads_->remove(c, flow); });
    if (const std::uint64_t now = price(column, flow, turn.out); best == nullptr || now < least) {
      least = now;
      best = &turn;
    }
    for_each_behind(column, own(of(turn)), [&](ChannelId c) { own_loads_->add(c, flow); });
  }
  const ClassLoads::Flow flow = prepared_.flow(prepared_.leaf(of(*best)), column.lid());
  for_each_behind(column, own(of(*best)), [&](ChannelId c) {
    own_loads_->remove(c, flow);
    removed_.push_back({c, flow});
  });
  for_each_behind(column, best->out, [&](ChannelId c) {
    own_loads_->add(c, flow);
    added_.push_back({c, flow});
  });
  return *best;
}

std::uint64_t LeafTurns::price(const DetourColumn& column, ClassLoads::Flow flow, ChannelId channel) const {
  std::uint64_t sum = 0;
  for_each_behind(column, channel, [&](ChannelId c) { sum += own_loads_->price(c, flow); });
  return sum;
}

void LeafTurns::apply_to(ClassLoads& loads) const {
  for (const auto& [channel, flow] : removed_) loads.remove(channel, flow);
  for (const auto& [channel, flow] : added_) loads.add(channel, flow);
}

}  // namespace espalier
