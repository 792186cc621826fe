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
#include <bit>

#include "core/packets/simulator/lines.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::allocate() {
  std::swap(served_list_, region_->awake);
  for (const Router r : served_list_) awake_[r] = 0;
  for (std::size_t i = 0; i < served_list_.size(); ++i) {
    if (ahead_) fetch_ahead(i);
    const Router r = served_list_[i];
    const Here here = {
        r, network_.first_port[r], network_.degree(r), first_queue(r), &next_[first_queue(r)], &random_of(r)};
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
      const std::uint32_t output = state_.queue(network_.first_port[soon] + lowest_bit(bits), vc);
      prefetch(lines_[output]);
      prefetch(state_.credits[output]);
    }
}

inline void Simulator::serve_preferred(const Here& here, Who who) {
  const std::uint32_t vcs = state_.vcs;
  const std::uint32_t all = ready_vcs(here);
  if (all == 0) return;
  const std::uint32_t first = vcs > 1 ? here.random->below(vcs) : 0;
  // From the first on, and those before it last.
  for (std::uint32_t turns = (all << vcs | all) >> first; turns != 0; turns &= turns - 1) {
    const std::uint32_t turn = static_cast<std::uint32_t>(std::countr_zero(turns));
    if (turn >= vcs) break;
    const std::uint32_t vc = first + turn < vcs ? first + turn : first + turn - vcs;
    for (std::uint32_t begin = 0; begin < here.degree; begin += 64)
      for (BitWord bits = sets_.of(here.router, begin).ready(vc); bits != 0; bits &= bits - 1)
        serve_line(here, begin + lowest_bit(bits), vc, who);
  }
}

// Virtual channels on which an output can take a head, a bit each.
inline std::uint32_t Simulator::ready_vcs(const Here& here) {
  std::uint32_t ready = 0;
  for (std::uint32_t begin = 0; begin < here.degree; begin += 64) {
    const RouterSets::View sets = sets_.of(here.router, begin);
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) ready |= std::uint32_t{sets.ready(vc) != 0} << vc;
  }
  return ready;
}

inline void Simulator::serve_line(const Here& here, std::uint32_t position, std::uint32_t vc, Who who) {
  const std::uint32_t output = here.first_queue + state_.queue(position, vc);
  const Line line = lines_[output];
  const std::uint16_t* const next = here.next;
  const std::uint32_t only = wormhole_ ? holder_[output] : kIdle;
  std::uint16_t before = line.last;
  for (std::uint32_t skip = first_turn(here, line.count); skip > 0; --skip) before = next[before];
  for (std::uint32_t i = 0; i < line.count; ++i, before = next[before]) {
    const std::uint32_t queue = here.first_queue + next[before];
    if ((only != kIdle && queue != only) || !may_cross(queue)) continue;
    if (who == Who::kInTransit && ports_[port_of(queue)].end.kind == PortClass::kNode) continue;
    leave(here, position, vc, before);
    win(here, queue, position, vc);
    return;
  }
}

}  // namespace espalier::packets
