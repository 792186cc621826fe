// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Deadlock or starvation? Waiting long proves nothing: at high load packets wait as long as one likes.
//
// A waiting head has options (its preferred output and the alternatives) and moves when any one is open. An option is
// open now, or it will be when those that hold it have moved: the queue behind, if that is full, and under wormhole the
// packet that holds the virtual channel. So start from the heads that can move now, or wait for what is only a matter
// of time, and call alive who waits for an alive one, until nothing changes. Who is left waits for others that are
// left, with every option: a knot of the wait-for graph, and none of them ever moves (Duato: A new theory of
// deadlock-free adaptive routing in wormhole networks, 1993; for the OR model Chandy, Misra, Haas: Distributed deadlock
// detection, 1983). Doubtful cases (credits under way) count as alive, so a deadlock is found at the latest when all
// that is under way has arrived, and nothing is called one that is none.
//
// An alternative that the threshold closes may open when other queues of the two ports change, so it counts as alive
// when it has room; only when nothing at all has moved for longer than anything is under way, it is closed for good.
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

// Whether all that keeps this output closed to the queue will clear.
bool Simulator::may_clear(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const {
  const PortEnd& end = network_.ports[out];
  if (end.kind == PortClass::kNode) return true;
  const std::uint32_t output = state_.queue(out, vc);
  if (wormhole_ && holder_[output] != kIdle && holder_[output] != queue && live[holder_[output]] == 0) return false;
  if (state_.credits[output] >= state_.unit) return true;
  const std::uint32_t behind = state_.queue(end.peer, vc);
  return queues_[behind].count < state_.capacity[out] / state_.unit || live[behind] != 0;
}

// Whether the alternative's threshold is met, or may be met one day.
bool Simulator::may_open(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const {
  if (!may_clear(queue, out, vc, live)) return false;
  const Request& request = requests_[queue];
  if (request.rule != Rule::kThreshold || state_.now - last_progress_ <= horizon_) return true;
  const Port first = network_.first_port[network_.ports[out].router];
  return state_.fill(out, vc) <
         state_.fill(first + request.position, request.vc) * static_cast<float>(parameters_.threshold);
}

bool Simulator::may_ever_move(std::uint32_t index, const std::vector<char>& live) const {
  const Queue& queue = queues_[index];
  const PortEnd& in = network_.ports[port_of(index)];
  const Port first = network_.first_port[in.router];
  if (queue.status == Queue::Status::kStalled) {  // its next flit is upstream
    if (in.kind == PortClass::kNode) return true;
    const std::uint32_t holder = holder_[state_.queue(in.peer, vc_of(index))];
    return holder == kIdle || live[holder] != 0;
  }
  if (!queue.waits()) return true;
  if (queue.sent > 0) return may_clear(index, first + queue.out, queue.out_vc, live);
  const Packet& packet = packets_[queue.head];
  if (packet.target == in.router) return true;
  if (may_clear(index, first + queue.out, queue.out_vc, live)) return true;
  if (queue.status == Queue::Status::kWaiting) return false;
  const Request& request = requests_[index];
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i)
    for (std::uint32_t vc = request.first_vc[i]; vc <= request.last_vc[i]; ++vc)
      for (BitWord bits = request.ports[i]; bits != 0; bits &= bits - 1)
        if (may_open(index, first + lowest_bit(bits), vc, live)) return true;
  return false;
}

std::uint64_t Simulator::deadlocked() const {
  std::vector<char> live(queues_.size(), 1);
  std::vector<std::uint32_t> doubtful;
  for (std::uint32_t q = 0; q < queues_.size(); ++q)
    if (queues_[q].waits() || queues_[q].status == Queue::Status::kStalled) {
      live[q] = 0;
      doubtful.push_back(q);
    }
  for (std::size_t before = doubtful.size() + 1; doubtful.size() < before;) {
    before = doubtful.size();
    std::erase_if(doubtful, [&](std::uint32_t q) {
      if (!may_ever_move(q, live)) return false;
      live[q] = 1;
      return true;
    });
  }
  return doubtful.size();
}

}  // namespace espalier::packets
