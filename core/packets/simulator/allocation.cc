// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which waiting packets may leave in a cycle.
//
// First each free output takes a packet that prefers it, then packets that are left behind look for alternatives among
// the outputs that are left (alternatives.cc). An output that several queues prefer takes one of a random virtual
// channel, and of its packets the one whose turn it is (Allocator).
//
// Nobody looks at an output unless something has happened that may let a head leave by it, and puts it on a list: a head
// comes while it is free, it becomes free while heads wait, the queue behind has room again, or an input may send again.
// Alternatives depend on thresholds and on all outputs of a router: it is looked at when any of them is, when a head
// with alternatives comes, or any credit while one waits; and in the next cycle when packets have left by alternatives.
#include <algorithm>
#include <bit>

#include "core/packets/simulator/lines.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::allocate() {
  if (parameters_.transit_first)
    for (const Port out : listed_) serve_picky(out, Who::kInTransit);
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    if (ahead_ && i + kNear < listed_.size()) fetch_lines(listed_[i + kNear]);
    ports_[listed_[i]].listed = false;
    if (picky_)
      serve_picky(listed_[i], Who::kAll);
    else
      serve(listed_[i]);
  }
  if (winners_.size() > 0) last_progress_ = state_.now;
  if (policy_diverts_) divert_all();
  listed_.clear();
}

void Simulator::fetch_lines(Port out) const {
  for (std::uint32_t ready = ports_[out].wanted & ports_[out].room; ready != 0; ready &= ready - 1) {
    const std::uint32_t output = state_.queue(out, static_cast<std::uint32_t>(std::countr_zero(ready)));
    prefetch(lines_[output]);
    prefetch(state_.credits[output]);
  }
}

// One head that prefers this output.
inline void Simulator::serve(Port out) {
  const PortState& port = ports_[out];
  const std::uint32_t ready = port.wanted & port.room;
  const std::uint32_t vc = (ready & (ready - 1)) == 0 ? lowest_bit(ready) : choose_vc(out, ready);
  const Here here = here_of(port.router, out - port.position);
  const Line line = lines_[state_.queue(out, vc)];
  std::uint16_t before = line.last;
  std::uint16_t place = before;  // most lines are of one: nothing else has to be looked at
  if (line.count > 1) {
    for (std::uint32_t skip = first_turn(here, line.count); skip > 0; --skip) before = here.next[before];
    place = here.next[before];
  }
  leave(here, port.position, vc, before);
  win(here, here.first_queue + place, port.position, vc);
}

// The next one from a random one on.
std::uint32_t Simulator::choose_vc(Port out, std::uint32_t ready) {
  const std::uint32_t first = random_of(ports_[out].router).below(state_.vcs);
  const std::uint32_t from_first = ready >> first << first;
  return lowest_bit(from_first != 0 ? from_first : ready);
}

void Simulator::serve_picky(Port out, Who who) {
  for (std::uint32_t ready = ports_[out].wanted & ports_[out].room; ready != 0;) {
    if (ports_[out].free_at > state_.now) return;  // it has taken one that was in transit
    const std::uint32_t vc = choose_vc(out, ready);
    if (serve_line(out, vc, who)) return;
    ready &= ~(1U << vc);
  }
}

bool Simulator::serve_line(Port out, std::uint32_t vc, Who who) {
  const PortState& port = ports_[out];
  const Here here = here_of(port.router, out - port.position);
  const std::uint32_t output = state_.queue(out, vc);
  const Line line = lines_[output];
  const std::uint32_t only = wormhole_ ? holder_[output] : kIdle;
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(here, line.count); skip > 0; --skip) before = here.next[before];
  for (std::uint32_t i = 0; i < line.count; ++i, before = here.next[before]) {
    const std::uint32_t queue = here.first_queue + here.next[before];
    if ((only != kIdle && queue != only) || !may_cross(queue)) continue;
    if (who == Who::kInTransit && ports_[port_of(queue)].kind == PortClass::kNode) continue;
    leave(here, port.position, vc, before);
    win(here, queue, port.position, vc);
    return true;
  }
  return false;
}

}  // namespace espalier::packets
