// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which waiting packets may leave in a cycle.
//
// First each free output takes a packet that prefers it, then packets that are left behind look for alternatives among
// the outputs that are left (alternatives.cc). An output that several queues prefer takes one of a random virtual
// channel, and of its packets the one whose turn it is (Allocator).
//
// A router sleeps until something happens to it that may let a head leave: one comes to a free output, an output that
// somebody waits for becomes free, a queue behind has room again, or, where heads have alternatives, any credit comes. What
// a waiting packet is denied depends on these alone, and on thresholds: so a router is looked at again in the next cycle
// only when packets have left by alternatives.
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::allocate() {
  served_list_.swap(region_->awake);
  for (const Router r : served_list_) awake_[r] = 0;
  for (std::size_t i = 0; i < served_list_.size(); ++i) {
    if (ahead_) fetch_ahead(i);
    const Router r = served_list_[i];
    serve_preferred(r);
    if (policy_diverts_ && serve_alternatives(r)) wake(r);
  }
  served_list_.clear();
}

// What the next routers of the list will need: first their sets, then what these lead to.
void Simulator::fetch_ahead(std::size_t next) {
  constexpr std::size_t kSets = 6;
  constexpr std::size_t kLines = 3;
  if (next + kSets < served_list_.size()) {
    const Router soon = served_list_[next + kSets];
    sets_.fetch(soon);
    prefetch(state_.used[network_.first_port[soon]]);
    prefetch(next_[first_queue(soon)]);
    prefetch(next_[first_queue(soon) + 32]);
  }
  if (next + kLines >= served_list_.size()) return;
  const Router soon = served_list_[next + kLines];
  const RouterSets::View sets = sets_.of(soon);
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (BitWord bits = *sets.free() & *sets.room(vc) & *sets.wanted(vc); bits != 0; bits &= bits - 1) {
      const std::uint32_t output = state_.queue(network_.first_port[soon] + nth_bit(bits, 0), vc);
      prefetch(lines_[output]);
      prefetch(state_.credits[output]);
    }
}

void Simulator::serve_preferred(Router r) {
  const RouterSets::View sets = sets_.of(r);
  BitWord somebody = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (std::size_t w = 0; w < sets.words; ++w) somebody |= sets.free()[w] & sets.room(vc)[w] & sets.wanted(vc)[w];
  if (somebody == 0) return;
  const Port first = network_.first_port[r];
  std::uint32_t vc = state_.vcs > 1 ? region_->random.below(state_.vcs) : 0;
  for (std::uint32_t i = 0; i < state_.vcs; ++i, vc = vc + 1 == state_.vcs ? 0 : vc + 1)
    for (std::size_t w = 0; w < sets.words; ++w)
      for (BitWord bits = sets.free()[w] & sets.room(vc)[w] & sets.wanted(vc)[w]; bits != 0; bits &= bits - 1)
        serve_line(r, {first + static_cast<Port>(64 * w) + nth_bit(bits, 0), vc});
}

// How many of a line are passed over before the first that is asked.
std::uint32_t Simulator::first_turn(std::uint32_t count) {
  if (count == 1 || parameters_.allocator == Allocator::kOldestFirst) return 0;
  if (parameters_.allocator == Allocator::kRoundRobin) return state_.now % count;
  return region_->random.below(count);
}

void Simulator::serve_line(Router r, Output preferred) {
  const std::uint32_t output = state_.queue(preferred.port, preferred.vc);
  const Line line = lines_[output];
  const std::uint32_t first = first_queue(r);
  const std::uint16_t* next = &next_[first];
  const std::uint32_t only = wormhole_ ? holder_[output] : kIdle;
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(line.count); skip > 0; --skip) before = next[before];
  for (std::uint32_t i = 0; i < line.count; ++i, before = next[before]) {
    const std::uint32_t queue = first + next[before];
    if ((only != kIdle && queue != only) || !may_cross(queue)) continue;
    leave(r, preferred, before);
    win(r, queue, output);
    return;
  }
}

void Simulator::leave(Router r, Output preferred, std::uint16_t before) {
  Line& line = lines_[state_.queue(preferred.port, preferred.vc)];
  PortState& port = ports_[preferred.port];
  const std::uint32_t position = port.end.position;
  std::uint16_t* const next = &next_[state_.queue(preferred.port - position, 0)];
  const std::uint16_t place = next[before];
  next[before] = next[place];
  --state_.waiting[preferred.port];
  if (line.last == place) line.last = before;
  if (--line.count > 0) return;
  const RouterSets::View sets = sets_.of(r);
  sets.as_set(sets.wanted(preferred.vc)).remove(position);
  if (!policy_diverts_ || position >= 64 || (sets.seeking() & bit_of(position)) == 0) return;
  sets.by_threshold(preferred.vc) &= ~bit_of(position);
  sets.by_emptiest(preferred.vc) &= ~bit_of(position);
  BitWord others = 0;
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) others |= sets.by_threshold(vc) | sets.by_emptiest(vc);
  if ((others & bit_of(position)) != 0) return;
  sets.seeking() &= ~bit_of(position);
  port.sought = 0;
}

void Simulator::win(Router r, std::uint32_t queue, std::uint32_t output) {
  const Port out = port_of(output);
  const PortEnd& end = ports_[out].end;
  const RouterSets::View sets = sets_.of(r);
  last_progress_ = state_.now;
  sets.as_set(sets.free()).remove(end.position);
  if (one_input_) busy_in_[port_of(queue)] = 1;
  winners_.push_back({queue, output});
  if (end.kind == PortClass::kNode) return;
  const std::uint32_t vc = vc_of(output);
  const std::uint16_t used = ++state_.used[out];
  const std::uint16_t room = --state_.credits[output];
  if (room == 0) sets.as_set(sets.room(vc)).remove(end.position);
  if (wormhole_) holder_[output] = queues_[queue].sent + 1U == units_of_packet_ ? kIdle : queue;
  if (!policy_diverts_) return;
  if (compares_ports_)
    levels_.filled(r, 0, end.position, used);
  else
    levels_.filled(r, vc, end.position, state_.capacity[out] - room);
}

}  // namespace espalier::packets
