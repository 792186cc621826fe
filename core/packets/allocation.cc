// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which waiting packets may leave in a cycle.
//
// First each free output takes a packet that prefers it, then packets that are left behind look for alternatives among
// the outputs that are left. An output that several queues prefer takes one of a random virtual channel, and of its
// packets the one whose turn it is (Allocator).
//
// A router that served nobody sleeps until something happens to it: a head arrives, an output becomes free, a credit
// comes. This changes no run: what a waiting packet is denied depends on these alone.
#include <bit>

#include "core/packets/simulator.h"

namespace espalier::packets {

void Simulator::allocate() {
  served_list_.swap(awake_list_);
  for (const Router r : served_list_) awake_[r] = 0;
  for (const Router r : served_list_)
    if (serve(r)) wake(r);
  served_list_.clear();
}

bool Simulator::serve(Router r) {
  const bool preferred = serve_preferred(r);
  return serve_alternatives(r) || preferred;
}

bool Simulator::serve_preferred(Router r) {
  bool sent = false;
  const Port first = network_.first_port[r];
  std::uint32_t vc = state_.vcs > 1 ? random_.below(state_.vcs) : 0;
  for (std::uint32_t i = 0; i < state_.vcs; ++i, vc = vc + 1 == state_.vcs ? 0 : vc + 1)
    for (std::uint32_t w = 0; w < words_; ++w) {
      const std::size_t set = queue_set(r, vc) + w;
      std::uint64_t ready = wanted_bits_[set] & room_bits_[set] & free_bits_[port_set(r) + w];
      for (; ready != 0; ready &= ready - 1)
        sent |= serve_list(r, {first + 64 * w + static_cast<Port>(std::countr_zero(ready)), vc});
    }
  return sent;
}

std::uint32_t Simulator::first_turn(std::size_t count) {
  if (count == 1 || parameters_.allocator == Allocator::kOldestFirst) return 0;
  if (parameters_.allocator == Allocator::kRoundRobin) return state_.now % static_cast<std::uint32_t>(count);
  return random_.below(static_cast<std::uint32_t>(count));
}

bool Simulator::serve_list(Router r, Output preferred) {
  const std::uint32_t output = preferred.port * state_.vcs + preferred.vc;
  auto& list = waiting_[output];
  const bool held = wormhole_ && network_.ports[preferred.port].kind != PortClass::kNode && holder_[output] != kIdle;
  std::size_t at = first_turn(list.size());
  for (std::size_t i = 0; i < list.size(); ++i, at = at + 1 == list.size() ? 0 : at + 1) {
    const Waiting head = list[at];
    if (held && holder_[output] != head.queue) continue;
    if (one_input_ && busy_in_[network_.first_port[r] + head.in] != 0) continue;
    remove(r, preferred, at);
    send(r, head, preferred);
    return true;
  }
  return false;
}

// Takes a head out of its list, and keeps the order of the others.
void Simulator::remove(Router r, Output preferred, std::size_t at) {
  auto& list = waiting_[preferred.port * state_.vcs + preferred.vc];
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  if (!list.empty()) return;
  const std::uint32_t position = preferred.port - network_.first_port[r];
  remove(wanted_bits_, queue_set(r, preferred.vc), position);
  remove(adaptive_bits_, queue_set(r, preferred.vc), position);
}

// The least fill of the free outputs of each class; 2: there is none.
std::array<float, 3> Simulator::lowest_fills(Router r) const {
  std::array<float, 3> lowest = {2, 2, 2};
  const Port first = network_.first_port[r];
  std::uint64_t bits = free_bits_[port_set(r)];
  if (network_.degree(r) < 64) bits &= (std::uint64_t{1} << network_.degree(r)) - 1;
  for (; bits != 0; bits &= bits - 1) {
    const Port port = first + static_cast<Port>(std::countr_zero(bits));
    float& least = lowest[static_cast<std::size_t>(network_.ports[port].kind)];
    least = std::min(least, state_.least_fill(port));
  }
  return lowest;
}

bool Simulator::serve_alternatives(Router r) {
  bool sent = false;
  const Port first = network_.first_port[r];
  std::uint32_t vc = 0;
  for (; vc < state_.vcs; ++vc)
    if (adaptive_bits_[queue_set(r, vc)] != 0) break;
  if (vc == state_.vcs) return false;
  std::array<float, 3> lowest = lowest_fills(r);
  for (; vc < state_.vcs; ++vc)
    for (std::uint64_t bits = adaptive_bits_[queue_set(r, vc)]; bits != 0; bits &= bits - 1)
      sent |= divert_list(r, {first + static_cast<Port>(std::countr_zero(bits)), vc}, lowest);
  return sent;
}

bool Simulator::divert_list(Router r, Output preferred, std::array<float, 3>& lowest) {
  auto& list = waiting_[preferred.port * state_.vcs + preferred.vc];
  const float limit = state_.fill(preferred.port, preferred.vc) * static_cast<float>(parameters_.threshold);
  const auto open = [&](PortClass kind, bool any) {
    return lowest[static_cast<std::size_t>(kind)] < (any ? 2.0F : limit);
  };
  const bool nothing = !open(PortClass::kLocal, false) && !open(PortClass::kGlobal, false);
  bool sent = false;
  std::size_t at = first_turn(list.size());
  for (std::size_t left = list.size(); left > 0; --left) {
    if (at >= list.size()) at = 0;
    const Waiting head = list[at];
    const Request& request = requests_[head.queue];
    const bool any = (head.local_way || head.global_way) && request.rule == Rule::kLeastOccupied;
    if (nothing && !any) {
      ++at;
      continue;
    }
    const bool may =
        (head.local_way && open(PortClass::kLocal, any)) || (head.global_way && open(PortClass::kGlobal, any));
    Output chosen = preferred;
    if (!may || (one_input_ && busy_in_[network_.first_port[r] + head.in] != 0) ||
        !find_alternative(r, preferred, request, chosen)) {
      ++at;
      continue;
    }
    remove(r, preferred, at);
    send(r, head, chosen);
    lowest = lowest_fills(r);
    sent = true;
  }
  return sent;
}

// One of all that qualify, each with the same chance.
bool Simulator::find_alternative(Router r, Output preferred, const Request& request, Output& chosen) {
  const Port first = network_.first_port[r];
  const bool by_threshold = request.rule == Rule::kThreshold;
  float limit =
      by_threshold ? state_.fill(preferred.port, preferred.vc) * static_cast<float>(parameters_.threshold) : 2.0F;
  std::uint32_t equals = 0;
  for (std::uint32_t i = 0; i < request.num_alternatives; ++i) {
    const auto& alternative = request.alternatives[i];
    std::uint64_t bits = alternative.positions & free_bits_[port_set(r)] & room_bits_[queue_set(r, alternative.vc)];
    for (; bits != 0; bits &= bits - 1) {
      const Port port = first + static_cast<Port>(std::countr_zero(bits));
      const float fill = state_.fill(port, alternative.vc);
      if (by_threshold ? fill >= limit : fill > limit) continue;
      if (wormhole_ && holder_[port * state_.vcs + alternative.vc] != kIdle) continue;
      if (!by_threshold && fill < limit) {
        limit = fill;
        equals = 0;
      }
      if (++equals == 1 || random_.below(equals) == 0) chosen = {port, alternative.vc};
    }
  }
  return equals > 0;
}

void Simulator::send(Router r, const Waiting& head, Output to) {
  const Port out = to.port;
  const PortEnd& end = network_.ports[out];
  Queue& queue = queues_[head.queue];
  const PacketId id = head_of(queue);
  const bool first_unit = queue.sent == 0;
  const bool last_unit = queue.sent + 1U == units_of_packet_;
  last_progress_ = state_.now;

  queue.status = Queue::Status::kMoving;
  queue.out = end.position;
  queue.out_vc = static_cast<std::uint8_t>(to.vc);
  busy_in_[network_.first_port[r] + head.in] = 1;
  remove(free_bits_, port_set(r), end.position);
  const Cycle begin = std::max(state_.now, link_free_[out]);
  link_free_[out] = begin + serial_[out];
  departures_.add(state_.now + crossing_[out], {head.queue, out});
  ++counters_.units_sent[static_cast<std::size_t>(end.kind)];

  if (end.kind == PortClass::kNode) {
    if (last_unit) deliver(id, begin + serial_[out] + end.latency);
    return;
  }
  const std::uint32_t output = out * state_.vcs + to.vc;
  ++state_.used[out];
  if (--state_.credits[output] == 0) remove(room_bits_, queue_set(r, to.vc), end.position);
  if (wormhole_) holder_[output] = last_unit ? kIdle : head.queue;
  if (first_unit) {
    Packet& packet = packets_[id];
    ++packet.hops;
    ++packet_hops_;
    ++packet.group_hops;
    if (end.kind == PortClass::kGlobal) {
      ++packet.global_hops;
      packet.group_hops = 0;
    }
    policy_.sent(state_, packet, out);
  }
  // Behind a faster crossbar a unit may overtake its own tail: its head then counts as arrived when the tail does.
  const std::uint32_t spread = serial_[out] - crossing_[out];
  arrivals_.add(begin + end.latency + parameters_.pipeline + spread, {end.peer * state_.vcs + to.vc, id});
}

void Simulator::deliver(PacketId id, Cycle at) {
  const Packet& packet = packets_[id];
  const std::uint32_t latency = at - packet.birth;
  ++counters_.packets;
  counters_.phits += parameters_.packet_phits;
  counters_.latency += latency;
  counters_.hops += packet.hops;
  counters_.misrouted += packet.misrouted ? 1 : 0;
  latencies_.add(latency);
  ++delivered_;
  last_delivery_ = std::max(last_delivery_, at);
  --in_flight_;
  traffic_.delivered(packet, at);
  unused_.push_back(id);
}

}  // namespace espalier::packets
