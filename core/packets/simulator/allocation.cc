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
#include <algorithm>

#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::allocate() {
  served_list_.swap(region_->awake);
  for (const Router r : served_list_) awake_[r] = 0;
  for (std::size_t i = 0; i < served_list_.size(); ++i) {
    if (ahead_) fetch_ahead(i);
    const Router r = served_list_[i];
    const Here here = {r, network_.first_port[r], network_.degree(r), first_queue(r), &next_[first_queue(r)]};
    if (parameters_.transit_first) serve_preferred(here, Who::kInTransit);
    serve_preferred(here, Who::kAll);
    if (policy_diverts_ && serve_alternatives(here)) wake(r);
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
    prefetch(next_[std::min<std::size_t>(first_queue(soon) + 32, next_.size() - 1)]);
  }
  if (next + kLines >= served_list_.size()) return;
  const Router soon = served_list_[next + kLines];
  for (std::uint32_t vc = 0; vc < state_.vcs; ++vc)
    for (BitWord bits = sets_.of(soon).ready(vc); bits != 0; bits &= bits - 1) {
      const std::uint32_t output = state_.queue(network_.first_port[soon] + nth_bit(bits, 0), vc);
      prefetch(lines_[output]);
      prefetch(state_.credits[output]);
    }
}

void Simulator::serve_preferred(const Here& here, Who who) {
  const std::uint32_t vcs = state_.vcs;
  BitWord somebody = 0;
  for (std::uint32_t begin = 0; begin < here.degree; begin += 64) {
    const RouterSets::View sets = sets_.of(here.router, begin);
    for (std::uint32_t vc = 0; vc < vcs; ++vc) somebody |= sets.ready(vc);
  }
  if (somebody == 0) return;
  std::uint32_t vc = vcs > 1 ? region_->random.below(vcs) : 0;
  for (std::uint32_t i = 0; i < vcs; ++i, vc = vc + 1 == vcs ? 0 : vc + 1)
    for (std::uint32_t begin = 0; begin < here.degree; begin += 64)
      for (BitWord bits = sets_.of(here.router, begin).ready(vc); bits != 0; bits &= bits - 1)
        serve_line(here, begin + nth_bit(bits, 0), vc, who);
}

// How many of a line are passed over before the first that is asked.
std::uint32_t Simulator::first_turn(std::uint32_t count) {
  if (count == 1 || parameters_.allocator == Allocator::kOldestFirst) return 0;
  if (parameters_.allocator == Allocator::kRoundRobin) return state_.now % count;
  return region_->random.below(count);
}

void Simulator::serve_line(const Here& here, std::uint32_t position, std::uint32_t vc, Who who) {
  const std::uint32_t output = here.first_queue + state_.queue(position, vc);
  const Line line = lines_[output];
  const std::uint16_t* const next = here.next;
  const std::uint32_t only = wormhole_ ? holder_[output] : kIdle;
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(line.count); skip > 0; --skip) before = next[before];
  for (std::uint32_t i = 0; i < line.count; ++i, before = next[before]) {
    const std::uint32_t queue = here.first_queue + next[before];
    if ((only != kIdle && queue != only) || !may_cross(queue)) continue;
    if (who == Who::kInTransit && ports_[port_of(queue)].end.kind == PortClass::kNode) continue;
    leave(here, position, vc, before);
    win(here, queue, position, vc);
    return;
  }
}

void Simulator::leave(const Here& here, std::uint32_t position, std::uint32_t vc, std::uint16_t before) {
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

void Simulator::win(const Here& here, std::uint32_t queue, std::uint32_t position, std::uint32_t vc) {
  const Port out = here.first + position;
  const std::uint32_t output = here.first_queue + state_.queue(position, vc);
  const RouterSets::View sets = sets_.of(here.router, position);
  last_progress_ = state_.now;
  sets.free() &= ~bit_of(position);
  if (one_input_) busy_in_[port_of(queue)] = 1;
  winners_.push_back({queue, output});
  if (!ahead_) prefetch(ports_[out]);
  if (state_.capacity[out] == 0) return;  // to a node
  const std::uint32_t used = state_.used[out] += state_.unit;
  const std::uint32_t room = state_.credits[output] = static_cast<std::uint16_t>(state_.credits[output] - state_.unit);
  if (room < state_.unit) sets.vc(vc).room &= ~bit_of(position);
  if (wormhole_) holder_[output] = queues_[queue].sent + 1U == units_of_packet_ ? kIdle : queue;
  if (!policy_diverts_) return;
  const std::uint32_t now = compares_ports_ ? used : state_.capacity[out] - room;
  for (std::uint32_t credit = 0; credit < state_.unit; ++credit)
    levels_.filled(here.router, compares_ports_ ? 0 : vc, position, now - credit);
}

}  // namespace espalier::packets
