// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets that cannot have the output that they prefer, and may take another one (Request).
#include <utility>

#include "core/packets/simulator/lines.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

// Of all routers at which something has happened.
void Simulator::divert_all() {
  for (const Port out : listed_) wake(ports_[out].router);
  std::swap(served_list_, region_->awake);
  for (const Router r : served_list_) awake_[r] = 0;
  for (std::size_t i = 0; i < served_list_.size(); ++i) {
    if (ahead_ && i + kNear < served_list_.size()) sets_.fetch(served_list_[i + kNear]);
    const Router r = served_list_[i];
    if (serve_alternatives(here_of(r, network_.first_port[r]))) wake(r);
  }
  served_list_.clear();
}

bool Simulator::serve_alternatives(const Here& here) {
  const RouterSets::View sets = sets_.of(here.router);
  Openings open;
  open.free = sets.free() & (sets.local() | sets.global());
  if (sets.seeking() == 0 || open.free == 0) return false;
  BitWord any = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) any |= open.room[vc] = open.free & sets.vc(vc).room;
  if (any == 0) return false;

  const bool only_full = parameters_.diverts == Diverts::kWhenFull;
  const std::size_t before = winners_.size();
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (BitWord bits = sets.vc(vc).seeking & ~(only_full ? sets.vc(vc).room : 0); bits != 0; bits &= bits - 1) {
      const std::uint32_t position = lowest_bit(bits);
      if ((sought_[here.first + position] & open.free) == 0) continue;
      const bool below = find_below(here, position, vc, open);
      if (below || (sets.vc(vc).emptiest & bit_of(position)) != 0) divert_line(here, position, vc, open);
    }
  return winners_.size() != before;
}

// Those outputs that have room whose fill is below the threshold times that of the preferred one. Whether there are any.
bool Simulator::find_below(const Here& here, std::uint32_t position, std::uint32_t vc, Openings& open) {
  const Port port = here.first + position;
  const RouterSets::View sets = sets_.of(here.router);
  const std::uint32_t units =
      compares_ports_ ? state_.used[port]
                      : state_.capacity[port] - state_.credits[here.first_queue + state_.queue(position, vc)];
  const FillLevels::Limits limits = levels_.limits(ports_[port].kind, units);
  const BitWord* const locals = levels_.less_than(here.router, limits[0]);
  const BitWord* const globals = levels_.less_than(here.router, limits[1]);
  const BitWord local = sought_[port] & sets.local();
  const BitWord global = sought_[port] & sets.global();
  const std::uint32_t step = compares_ports_ ? 0 : 1;
  BitWord any = 0;
  for (std::uint32_t other = 0, row = 0; other < state_.vcs; ++other, row += step)
    any |= open.below[other] = open.room[other] & ((locals[row] & local) | (globals[row] & global));
  return any != 0;
}

// Heads that prefer this output, by others whose fill is low enough.
void Simulator::divert_line(const Here& here, std::uint32_t position, std::uint32_t vc, Openings& open) {
  const Line& line = lines_[here.first_queue + state_.queue(position, vc)];
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(here, line.count); skip > 0; --skip) before = here.next[before];
  for (std::uint32_t left = line.count; left > 0 && open.free != 0; --left) {
    const std::uint32_t queue = here.first_queue + here.next[before];
    const std::uint32_t output = divert(here, queue, open);
    if (output == kIdle) {
      before = here.next[before];
      continue;
    }
    leave(here, position, vc, before);
    queues_[queue].out = static_cast<std::uint8_t>(port_of(output));
    queues_[queue].out_vc = static_cast<std::uint8_t>(vc_of(output));
    win(here, queue, port_of(output), vc_of(output));
    const BitWord rest = ~bit_of(port_of(output));
    open.free &= rest;
    for (std::uint32_t other = 0; other < state_.vcs; ++other) {
      open.room[other] &= rest;
      open.below[other] &= rest;
    }
  }
}

// By which output this head may leave, counted from the router's first; kIdle: by none.
std::uint32_t Simulator::divert(const Here& here, std::uint32_t queue, const Openings& open) {
  const Queue::Status status = queues_[queue].status;
  if (status == Queue::Status::kWaiting || !may_cross(queue)) return kIdle;
  const Request& request = requests_[queue];
  return status == Queue::Status::kSeekingBelow ? choose_any(here, request, open)
                                                : choose_emptiest(here, request, open);
}

// One of all that qualify, each with the same chance.
std::uint32_t Simulator::choose_any(const Here& here, const Request& request, const Openings& open) {
  std::uint32_t equals = 0;
  std::uint32_t chosen = kIdle;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i] & open.below[vc]; bits != 0; bits &= bits - 1) {
        const std::uint32_t output = state_.queue(lowest_bit(bits), vc);
        if (wormhole_ && holder_[here.first_queue + output] != kIdle) continue;
        if (++equals == 1 || random_of(here.router).below(equals) == 0) chosen = output;
      }
  return chosen;
}

// The one of least fill, a random one of equals.
std::uint32_t Simulator::choose_emptiest(const Here& here, const Request& request, const Openings& open) {
  float least = 2;
  std::uint32_t equals = 0;
  std::uint32_t chosen = kIdle;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i] & open.room[vc]; bits != 0; bits &= bits - 1) {
        const std::uint32_t output = state_.queue(lowest_bit(bits), vc);
        const float fill = state_.fill(here.first + lowest_bit(bits), vc);
        if (fill > least || (wormhole_ && holder_[here.first_queue + output] != kIdle)) continue;
        equals = fill < least ? 1 : equals + 1;
        least = fill;
        if (random_of(here.router).below(equals) == 0) chosen = output;
      }
  return chosen;
}

}  // namespace espalier::packets
