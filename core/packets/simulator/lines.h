// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lines of heads that wait for an output: whose turn it is, who leaves, who has won. Inline: each hop does all of it.
#pragma once

#include <algorithm>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

// How many of a line are passed over before the first that is asked.
inline std::uint32_t Simulator::first_turn(const Here& here, std::uint32_t count) {
  if (count == 1 || parameters_.allocator == Allocator::kOldestFirst) return 0;
  if (parameters_.allocator == Allocator::kRoundRobin) return state_.now % count;
  return random_of(here.router).below(count);
}

inline void Simulator::leave(const Here& here, std::uint32_t position, std::uint32_t vc, std::uint16_t before) {
  Line& line = lines_[here.first_queue + state_.queue(position, vc)];
  --state_.waiting[here.first + position];
  if (line.count > 1) {
    const std::uint16_t place = here.next[before];
    here.next[before] = here.next[place];
    if (line.last == place) line.last = before;
    --line.count;
    return;
  }
  line.count = 0;
  ports_[here.first + position].wanted &= static_cast<std::uint16_t>(~(1U << vc));
  if (policy_diverts_) stop_seeking(here, position, vc);
}

// Nobody waits for this output any more.
inline void Simulator::stop_seeking(const Here& here, std::uint32_t position, std::uint32_t vc) {
  const RouterSets::View sets = sets_.of(here.router, position);
  RouterSets::OfVc& of_vc = sets.vc(vc);
  const BitWord rest = ~bit_of(position);
  if ((of_vc.seeking & ~rest) == 0) return;
  of_vc.seeking &= rest;
  of_vc.emptiest &= rest;
  BitWord seeking = 0;
  for (std::uint32_t other = 0; other < state_.vcs; ++other) seeking |= sets.vc(other).seeking;
  if ((seeking & ~rest) != 0) return;
  sets.seeking() &= rest;
  sought_[here.first + position] = 0;
}

inline void Simulator::win(const Here& here, std::uint32_t queue, std::uint32_t position, std::uint32_t vc) {
  const Port out = here.first + position;
  const std::uint32_t output = here.first_queue + state_.queue(position, vc);
  PortState& port = ports_[out];
  winners_.add({queue, output});
  const Cycle crossed = state_.now + port.crossing;
  port.link_free = std::max(state_.now, port.link_free) + port.serial;
  port.free_at = std::max(crossed, port.link_free - std::min(port.link_free, parameters_.output_buffer));
  if (policy_diverts_ || port.wanted != 0) region_->frees.add(port.free_at, out);
  if (one_input_) busy_in_[port_of(queue)] = crossed;
  if (port.kind != PortClass::kNode) take_room(here, queue, output);
  if (policy_diverts_) sets_.of(here.router, position).free() &= ~bit_of(position);
}

// A unit takes its room behind the output.
inline void Simulator::take_room(const Here& here, std::uint32_t queue, std::uint32_t output) {
  const Port out = port_of(output);
  const std::uint32_t vc = vc_of(output);
  const std::uint32_t used = state_.used[out] += state_.unit;
  const std::uint32_t room = state_.credits[output] = static_cast<std::uint16_t>(state_.credits[output] - state_.unit);
  if (room < state_.unit) ports_[out].room &= static_cast<std::uint16_t>(~(1U << vc));
  if (wormhole_) holder_[output] = queues_[queue].sent + 1U == units_of_packet_ ? kIdle : queue;
  if (!policy_diverts_) return;
  const std::uint32_t position = out - here.first;
  if (room < state_.unit) sets_.of(here.router, position).vc(vc).room &= ~bit_of(position);
  const std::uint32_t now = compares_ports_ ? used : state_.capacity[out] - room;
  for (std::uint32_t credit = 0; credit < state_.unit; ++credit)
    levels_.filled(here.router, compares_ports_ ? 0 : vc, position, now - credit);
}

}  // namespace espalier::packets
