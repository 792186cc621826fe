// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets that cannot have the output that they prefer, and may take another one (Request).
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

bool Simulator::serve_alternatives(Router r) {
  const RouterSets::View sets = sets_.of(r);
  const BitWord links = sets.local() | sets.global();
  Openings open;
  open.free = *sets.free() & links;
  if (sets.seeking() == 0 || open.free == 0) return false;
  BitWord any = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) any |= open.room[vc] = open.free & *sets.room(vc);
  if (any == 0) return false;

  const std::size_t before = winners_.size();
  const Port first = network_.first_port[r];
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (BitWord bits = sets.by_threshold(vc) | sets.by_emptiest(vc); bits != 0 && open.free != 0; bits &= bits - 1)
      divert_line(r, {first + nth_bit(bits, 0), vc}, open);
  return winners_.size() != before;
}

// Those outputs that have room whose fill is below the threshold times that of the preferred one. Whether there are any.
bool Simulator::find_below(Router r, Output preferred, Openings& open) {
  const PortState& port = ports_[preferred.port];
  const RouterSets::View sets = sets_.of(r);
  const std::uint32_t units =
      compares_ports_ ? state_.used[preferred.port]
                      : state_.capacity[preferred.port] - state_.credits[state_.queue(preferred.port, preferred.vc)];
  const FillLevels::Limits& limits = levels_.limits(port.end.kind, units);
  BitWord any = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) {
    const BitWord sought = open.room[vc] & port.sought;
    open.below[vc] = levels_.within(r, compares_ports_ ? 0 : vc, limits, sought & sets.local(), sought & sets.global());
    any |= open.below[vc];
  }
  return any != 0;
}

void Simulator::divert_line(Router r, Output preferred, Openings& open) {
  if ((ports_[preferred.port].sought & open.free) == 0) return;
  const bool below = find_below(r, preferred, open);
  const BitWord position = bit_of(ports_[preferred.port].end.position);
  if (!below && (sets_.of(r).by_emptiest(preferred.vc) & position) == 0) return;

  const Line& line = lines_[state_.queue(preferred.port, preferred.vc)];
  const std::uint32_t first = first_queue(r);
  const std::uint16_t* next = &next_[first];
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(line.count); skip > 0; --skip) before = next[before];
  for (std::uint32_t left = line.count; left > 0 && open.free != 0; --left) {
    const std::uint32_t queue = first + next[before];
    const std::uint32_t output = divert(r, queue, open);
    if (output == kIdle) {
      before = next[before];
      continue;
    }
    leave(r, preferred, before);
    win(r, queue, output);
    const BitWord taken = bit_of(ports_[port_of(output)].end.position);
    open.free &= ~taken;
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) {
      open.room[vc] &= ~taken;
      open.below[vc] &= ~taken;
    }
  }
}

// By which output this head may leave; kIdle: by none.
std::uint32_t Simulator::divert(Router r, std::uint32_t queue, const Openings& open) {
  const Asks asks = queues_[queue].asks;
  if (asks == Asks::kNothing || !may_cross(queue)) return kIdle;
  const Request& request = requests_[queue];
  return asks == Asks::kBelowThreshold ? choose_any(r, request, open) : choose_emptiest(r, request, open);
}

// One of all that qualify, each with the same chance.
std::uint32_t Simulator::choose_any(Router r, const Request& request, const Openings& open) {
  std::uint32_t equals = 0;
  std::uint32_t chosen = kIdle;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i] & open.below[vc]; bits != 0; bits &= bits - 1) {
        const std::uint32_t output = state_.queue(network_.first_port[r] + nth_bit(bits, 0), vc);
        if (wormhole_ && holder_[output] != kIdle) continue;
        if (++equals == 1 || region_->random.below(equals) == 0) chosen = output;
      }
  return chosen;
}

// The one of least fill, a random one of equals.
std::uint32_t Simulator::choose_emptiest(Router r, const Request& request, const Openings& open) {
  float least = 2;
  std::uint32_t equals = 0;
  std::uint32_t chosen = kIdle;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i] & open.room[vc]; bits != 0; bits &= bits - 1) {
        const Port port = network_.first_port[r] + nth_bit(bits, 0);
        const std::uint32_t output = state_.queue(port, vc);
        const float fill = state_.fill(port, vc);
        if (fill > least || (wormhole_ && holder_[output] != kIdle)) continue;
        equals = fill < least ? 1 : equals + 1;
        least = fill;
        if (region_->random.below(equals) == 0) chosen = output;
      }
  return chosen;
}

}  // namespace espalier::packets
