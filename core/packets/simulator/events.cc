// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What happens at a known time: credits come back, units come to the head of their queues or arrive, and outputs become
// free. What nobody waits for is no event: that a unit has crossed, or that an output is free, is seen from the time of
// it when the next one comes.
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/queues.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {

void Simulator::take_credits() {
  auto& today = today_.numbers;
  region_->credits.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) {
      const std::uint32_t soon = today[i + kFar];
      prefetch(state_.credits[soon]);
      prefetch(ports_[port_of(soon)]);
    }
    take_credit(today[i]);
  }
  today.clear();
}

inline void Simulator::take_credit(std::uint32_t output) {
  const Port out = port_of(output);
  const std::uint32_t vc = vc_of(output);
  const std::uint32_t used = --state_.used[out];
  const std::uint32_t room = ++state_.credits[output];
  if (policy_follows_credits_) policy_.credited(state_, out, vc);
  if (policy_diverts_) see_drained(out, vc, compares_ports_ ? used : state_.capacity[out] - room, room);
  if (room != state_.unit) return;
  PortState& port = ports_[out];
  port.room |= static_cast<std::uint16_t>(1U << vc);
  list_if((port.wanted >> vc & 1U) != 0 && port.free_at <= state_.now, out);
}

// For those that look for alternatives.
void Simulator::see_drained(Port out, std::uint32_t vc, std::uint32_t units, std::uint32_t room) {
  const PortState& port = ports_[out];
  levels_.drained(port.router, compares_ports_ ? 0 : vc, port.position, units);
  if (room == state_.unit) sets_.of(port.router, port.position).vc(vc).room |= bit_of(port.position);
  wake_if(sets_.of(port.router).seeking() != 0, port.router);
}

void Simulator::take_heads() {
  auto& today = today_.numbers;
  region_->heads.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) prefetch(queues_[today[i + kFar]]);
    come_forward(today[i]);
  }
  today.clear();
}

inline void Simulator::come_forward(std::uint32_t index) {
  Queue& queue = queues_[index];
  if (queue.sent > 0) return go_on(index);
  queue.status = Queue::Status::kNew;
  new_heads_.add({index, queue.head});
  if (!ahead_) prefetch(packets_[queue.head]);
}

void Simulator::take_frees() {
  auto& today = today_.numbers;
  region_->frees.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) prefetch(ports_[today[i + kFar]]);
    const Port out = today[i];
    const PortState& port = ports_[out];
    list_if((port.wanted & port.room) != 0, out);
    if (!policy_diverts_) continue;
    sets_.of(port.router, port.position).free() |= bit_of(port.position);
    wake_if(state_.waiting[out] > 0 || sets_.of(port.router).seeking() != 0, port.router);
  }
  today.clear();
  if (one_input_) take_inputs();
}

// Inputs whose other heads may cross now.
void Simulator::take_inputs() {
  auto& today = today_.numbers;
  region_->inputs.take(state_.now, today);
  for (const Port in : today) {
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) {
      const Queue& queue = queues_[state_.queue(in, vc)];
      const Port out = in - ports_[in].position + queue.out;
      if (queue.waits())
        list_if((ports_[out].wanted & ports_[out].room) != 0 && ports_[out].free_at <= state_.now, out);
    }
    if (policy_diverts_) wake(ports_[in].router);
  }
  today.clear();
}

void Simulator::take_arrivals() {
  auto& today = today_.units;
  region_->arrivals.take(state_.now, today);
  for (std::size_t i = 0; i < today.size(); ++i) {
    if (ahead_ && i + kFar < today.size()) {
      prefetch(queues_[today[i + kFar].queue]);
      prefetch(ports_[port_of(today[i + kFar].queue)]);
    }
    push(today[i]);
  }
  today.clear();
}

}  // namespace espalier::packets
