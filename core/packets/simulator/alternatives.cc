// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets that cannot have the output that they prefer, and may take another one (Request).
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

bool Simulator::serve_alternatives(Router r) {
  BitWord somebody = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) somebody |= by_threshold(r, vc) | by_emptiest(r, vc);
  Openings open;
  open.free = free_outputs(r).word(0) & links(r);
  if (somebody == 0 || open.free == 0) return false;
  BitWord any = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) any |= open.room[vc] = open.free & *port_set(r, 1 + vc);
  if (any == 0) return false;

  const std::size_t before = winners_.size();
  const Port first = network_.first_port[r];
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (BitWord bits = by_threshold(r, vc) | by_emptiest(r, vc); bits != 0 && open.free != 0; bits &= bits - 1)
      divert_line(r, {first + nth_bit(bits, 0), vc}, open);
  return winners_.size() != before;
}

// Those outputs that have room whose fill is below the threshold times that of the preferred one.
void Simulator::find_below(Router r, Output preferred, Openings& open) const {
  const Port first = network_.first_port[r];
  const float limit = state_.fill(preferred.port, preferred.vc) * static_cast<float>(parameters_.threshold);
  if (parameters_.occupancy == Occupancy::kPort) {
    BitWord below = 0;
    for (BitWord bits = open.free & sought_[preferred.port]; bits != 0; bits &= bits - 1)
      if (state_.fill(first + nth_bit(bits, 0), 0) < limit) below |= bits & -bits;
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) open.below[vc] = open.room[vc] & below;
    return;
  }
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) {
    open.below[vc] = 0;
    for (BitWord bits = open.room[vc] & sought_[preferred.port]; bits != 0; bits &= bits - 1)
      if (state_.fill(first + nth_bit(bits, 0), vc) < limit) open.below[vc] |= bits & -bits;
  }
}

void Simulator::divert_line(Router r, Output preferred, Openings& open) {
  const BitWord sought = sought_[preferred.port];
  if ((sought & open.free) == 0) return;
  find_below(r, preferred, open);
  BitWord below = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) below |= open.below[vc];
  if (below == 0 && (by_emptiest(r, preferred.vc) & bit_of(preferred.port - network_.first_port[r])) == 0) return;

  const Line& line = lines_[preferred.port * state_.vcs + preferred.vc];
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
    const BitWord taken = bit_of(port_of(output) - network_.first_port[r]);
    open.free &= ~taken;
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) {
      open.room[vc] &= ~taken;
      open.below[vc] &= ~taken;
    }
  }
}

// By which output this head may leave; kIdle: by none.
std::uint32_t Simulator::divert(Router r, std::uint32_t queue, const Openings& open) {
  if (asks_[queue] == Asks::kNothing || !may_cross(queue)) return kIdle;
  const Request& request = requests_[queue];
  return asks_[queue] == Asks::kBelowThreshold ? choose_any(r, request, open) : choose_emptiest(r, request, open);
}

// One of all that qualify, each with the same chance.
std::uint32_t Simulator::choose_any(Router r, const Request& request, const Openings& open) {
  std::uint32_t equals = 0;
  std::uint32_t chosen = kIdle;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i] & open.below[vc]; bits != 0; bits &= bits - 1) {
        const std::uint32_t output = (network_.first_port[r] + nth_bit(bits, 0)) * state_.vcs + vc;
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
        const std::uint32_t output = port * state_.vcs + vc;
        const float fill = state_.fill(port, vc);
        if (fill > least || (wormhole_ && holder_[output] != kIdle)) continue;
        equals = fill < least ? 1 : equals + 1;
        least = fill;
        if (region_->random.below(equals) == 0) chosen = output;
      }
  return chosen;
}

}  // namespace espalier::packets
