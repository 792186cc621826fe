// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lines of heads that wait for an output: whose turn it is, who leaves, who has won. Inline: each hop does all of it.
#pragma once

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

// How many of a line are passed over before the first that is asked.
inline std::uint32_t Simulator::first_turn(const Here& here, std::uint32_t count) {
  if (count == 1 || parameters_.allocator == Allocator::kOldestFirst) return 0;
  if (parameters_.allocator == Allocator::kRoundRobin) return state_.now % count;
  return here.random->below(count);
}

inline void Simulator::leave(const Here& here, std::uint32_t position, std::uint32_t vc, std::uint16_t before) {
  Line& line = lines_[here.first_queue + state_.queue(position, vc)];
  std::uint16_t* const next = here.next;
  const std::uint16_t place = next[before];
  next[before] = next[place];
  --state_.waiting[here.first + position];
  if (line.last == place) line.last = before;
  if (--line.count > 0) return;
  const RouterSets::View sets = sets_.of(here.router, position);
  RouterSets::OfVc& of_vc = sets.vc(vc);
  const BitWord rest = ~bit_of(position);
  of_vc.wanted &= rest;
  if ((of_vc.seeking & ~rest) == 0) return;
  of_vc.seeking &= rest;
  of_vc.emptiest &= rest;
  BitWord seeking = 0;
  for (std::uint32_t other = 0; other < state_.vcs; ++other) seeking |= sets.vc(other).seeking;
  if ((seeking & ~rest) != 0) return;
  sets.seeking() &= rest;
  ports_[here.first + position].sought = 0;
}

inline void Simulator::win(const Here& here, std::uint32_t queue, std::uint32_t position, std::uint32_t vc) {
  const Port out = here.first + position;
  const std::uint32_t output = here.first_queue + state_.queue(position, vc);
  const RouterSets::View sets = sets_.of(here.router, position);
  last_progress_ = state_.now;
  sets.free() &= ~bit_of(position);
  if (one_input_) busy_in_[port_of(queue)] = 1;
  winners_.add({queue, output});
  if (!ahead_) prefetch(ports_[out]);
  const bool to_node = state_.capacity[out] == 0;
  const std::uint32_t taken = std::uint32_t{!to_node} * state_.unit;
  const std::uint32_t used = state_.used[out] += taken;
  const std::uint32_t room = state_.credits[output] = static_cast<std::uint16_t>(state_.credits[output] - taken);
  if (room < state_.unit) sets.vc(vc).room &= ~bit_of(position);
  if (wormhole_ && !to_node) holder_[output] = queues_[queue].sent + 1U == units_of_packet_ ? kIdle : queue;
  if (!policy_diverts_ || to_node) return;
  const std::uint32_t now = compares_ports_ ? used : state_.capacity[out] - room;
  for (std::uint32_t credit = 0; credit < state_.unit; ++credit)
    levels_.filled(here.router, compares_ports_ ? 0 : vc, position, now - credit);
}

}  // namespace espalier::packets
