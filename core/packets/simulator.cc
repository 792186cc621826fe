// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/simulator.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"

namespace espalier::packets {
namespace {

std::uint32_t buffer_of(const Parameters& parameters, PortClass kind) {
  switch (kind) {
    case PortClass::kLocal:
      return parameters.local_buffer;
    case PortClass::kGlobal:
      return parameters.global_buffer;
    default:
      return parameters.injection_buffer;
  }
}

std::uint32_t vcs_of(const Parameters& parameters, const VcCounts& vcs, PortClass kind) {
  switch (kind) {
    case PortClass::kLocal:
      return vcs.local;
    case PortClass::kGlobal:
      return vcs.global;
    default:
      return parameters.injection_vcs;
  }
}

// The farthest ahead that anything is planned.
std::uint32_t horizon_of(const Network& network, const Parameters& parameters) {
  std::uint32_t latency = 0;
  std::uint32_t slowness = 1;
  for (const PortEnd& port : network.ports) {
    latency = std::max<std::uint32_t>(latency, port.latency);
    slowness = std::max<std::uint32_t>(slowness, port.slowness);
  }
  return latency + parameters.pipeline + 2 * parameters.unit_phits() * slowness + parameters.output_buffer * slowness +
         16;
}

}  // namespace

Simulator::Simulator(const Network& network, const Parameters& parameters, Policy& policy, Traffic& traffic,
                     std::uint64_t seed)
    : network_(network),
      parameters_(parameters),
      policy_(policy),
      traffic_(traffic),
      random_(seed),
      units_of_packet_(parameters.units_of_packet()),
      horizon_(horizon_of(network, parameters)),
      wormhole_(parameters.switching == Switching::kWormhole),
      one_input_(parameters.crossbar == CrossbarInputs::kOneForPort),
      busy_in_(network.num_ports(), 0),
      link_free_(network.num_ports(), 0),
      awake_(network.num_routers(), 0),
      senders_(network.num_nodes()),
      arrivals_(horizon_),
      credits_(horizon_),
      departures_(horizon_),
      births_(horizon_) {
  size_queues();
  start_senders();
}

void Simulator::size_queues() {
  const VcCounts vcs = policy_.vcs();
  const std::uint32_t unit = parameters_.unit_phits();
  const std::uint32_t ports = network_.num_ports();
  state_.network = &network_;
  state_.parameters = &parameters_;
  state_.vcs = std::max({vcs.local, vcs.global, parameters_.injection_vcs});
  state_.used.assign(ports, 0);
  state_.capacity.assign(ports, 1);
  state_.credits.assign(std::size_t{ports} * state_.vcs, 0);
  state_.vc_scale.assign(ports, 0);
  state_.port_scale.assign(ports, 0);
  queues_.resize(std::size_t{ports} * state_.vcs);
  requests_.resize(queues_.size());
  holder_.assign(queues_.size(), kIdle);
  waiting_.resize(queues_.size());
  for (Router r = 0; r < network_.num_routers(); ++r) words_ = std::max(words_, (network_.degree(r) + 63) / 64);
  free_bits_.assign(port_set(network_.num_routers()), ~std::uint64_t{0});
  room_bits_.assign(queue_set(network_.num_routers(), 0), ~std::uint64_t{0});
  wanted_bits_.assign(room_bits_.size(), 0);
  adaptive_bits_.assign(room_bits_.size(), 0);
  std::uint32_t slots = 0;
  for (Port p = 0; p < ports; ++p) {
    const PortEnd& port = network_.ports[p];
    const std::uint32_t units = buffer_of(parameters_, port.kind) / unit;
    check(units > 0 && units < 65536, "a buffer that holds no packet, or too many");
    const std::uint32_t used_vcs = vcs_of(parameters_, vcs, port.kind);
    for (std::uint32_t vc = 0; vc < used_vcs; ++vc) {
      Queue& queue = queues_[p * state_.vcs + vc];
      queue.first_slot = slots;
      queue.capacity = static_cast<std::uint16_t>(units);
      slots += units;
      state_.credits[p * state_.vcs + vc] = static_cast<std::uint16_t>(port.kind == PortClass::kNode ? 1 : units);
    }
    if (port.kind != PortClass::kNode) state_.capacity[p] = static_cast<std::uint16_t>(units);
    state_.vc_scale[p] = 1.0F / static_cast<float>(units);
    state_.port_scale[p] = 1.0F / static_cast<float>(units * used_vcs);
    serial_.push_back(static_cast<std::uint16_t>(unit * port.slowness));
    crossing_.push_back(
        static_cast<std::uint16_t>((unit * port.slowness + parameters_.speedup - 1) / parameters_.speedup));
  }
  slots_.resize(slots);
}

void Simulator::start_senders() {
  for (Node n = 0; n < senders_.size(); ++n) {
    senders_[n].birth = traffic_.next_birth(n, 0, random_);
    if (senders_[n].birth != kNever) births_.add(std::min(senders_[n].birth, horizon_), n);
  }
}

void Simulator::reset_counters() {
  counters_ = {};
  latencies_.clear();
}

void Simulator::step() {
  policy_.tick(state_);
  take_credits();
  take_departures();
  take_arrivals();
  take_births();
  allocate();
  ++state_.now;
}

void Simulator::take_credits() {
  auto& today = credits_.at(state_.now);
  for (const std::uint32_t output : today) {
    const Port port = port_of(output);
    --state_.used[port];
    const PortEnd& end = network_.ports[port];
    if (state_.credits[output]++ == 0) add(room_bits_, queue_set(end.router, output % state_.vcs), end.position);
    wake(end.router);
  }
  today.clear();
}

void Simulator::set_free(Port out) {
  const PortEnd& end = network_.ports[out];
  add(free_bits_, port_set(end.router), end.position);
  wake(end.router);
}

void Simulator::take_departures() {
  auto& today = departures_.at(state_.now);
  for (const Departure& departure : today) {
    if (departure.queue != kIdle) finish_unit(departure.queue);
    if (departure.out == kNone) continue;
    const Cycle may_begin = link_free_[departure.out] > parameters_.output_buffer
                                ? link_free_[departure.out] - parameters_.output_buffer
                                : 0;
    if (may_begin > state_.now)
      departures_.add(may_begin, {kIdle, departure.out});
    else
      set_free(departure.out);
  }
  today.clear();
}

// The unit at the head has left: its room is free, and what lies behind it comes forward.
void Simulator::finish_unit(std::uint32_t index) {
  Queue& queue = queues_[index];
  const Port in = port_of(index);
  const PortEnd& end = network_.ports[in];
  busy_in_[in] = 0;
  queue.head = static_cast<std::uint16_t>(queue.head + 1 == queue.capacity ? 0 : queue.head + 1);
  --queue.count;
  wake(end.router);
  if (end.kind == PortClass::kNode) {
    Sender& sender = senders_[end.peer];
    if (sender.blocked) {
      sender.blocked = false;
      births_.add(state_.now, end.peer);
    }
  } else {
    credits_.add(state_.now + end.latency, end.peer * state_.vcs + index % state_.vcs);
  }
  if (++queue.sent == units_of_packet_) {
    queue.sent = 0;
    queue.status = Queue::Status::kEmpty;
    if (queue.count > 0) become_head(index);
  } else if (queue.count > 0) {
    wait(index, queue.out, queue.out_vc, nullptr);
  } else {
    queue.status = Queue::Status::kStalled;
  }
}

void Simulator::take_arrivals() {
  auto& today = arrivals_.at(state_.now);
  for (const Arrival& arrival : today) {
    Queue& queue = queues_[arrival.queue];
    std::uint32_t slot = queue.head + queue.count;
    if (slot >= queue.capacity) slot -= queue.capacity;
    slots_[queue.first_slot + slot] = arrival.packet;
    ++queue.count;
    if (queue.status == Queue::Status::kEmpty)
      become_head(arrival.queue);
    else if (queue.status == Queue::Status::kStalled)
      wait(arrival.queue, queue.out, queue.out_vc, nullptr);
  }
  today.clear();
}

void Simulator::become_head(std::uint32_t index) {
  const Queue& queue = queues_[index];
  const Port in = port_of(index);
  const Router r = network_.ports[in].router;
  Packet& packet = packets_[head_of(queue)];
  if (packet.target == r)
    return wait(index, network_.ports[network_.node_port[packet.destination]].position, 0, nullptr);
  Request& request = requests_[index];
  request = policy_.request(state_, {r, in, index % state_.vcs}, packet, random_);
  if (request.position == Request::kNowhere) return drop(index);
  wait(index, request.position, request.vc, &request);
}

void Simulator::wait(std::uint32_t index, std::uint32_t out, std::uint32_t vc, const Request* request) {
  queues_[index].status = Queue::Status::kWaiting;
  queues_[index].out = static_cast<std::uint8_t>(out);
  const PortEnd& end = network_.ports[port_of(index)];
  const Port first = network_.first_port[end.router];
  Waiting head{.queue = index, .in = end.position, .local_way = false, .global_way = false};
  for (std::uint32_t i = 0; request != nullptr && i < request->num_alternatives; ++i) {
    const auto position = static_cast<Port>(std::countr_zero(request->alternatives[i].positions));
    (network_.ports[first + position].kind == PortClass::kGlobal ? head.global_way : head.local_way) = true;
  }
  waiting_[(first + out) * state_.vcs + vc].push_back(head);
  add(wanted_bits_, queue_set(end.router, vc), out);
  if (head.local_way || head.global_way) add(adaptive_bits_, queue_set(end.router, vc), out);
  wake(end.router);
}

// Nobody knows a way for the packet at the head. (Under wormhole it is dropped flit by flit as they come.)
void Simulator::drop(std::uint32_t index) {
  Queue& queue = queues_[index];
  const PacketId id = head_of(queue);
  ++undelivered_;
  --in_flight_;
  queue.status = Queue::Status::kMoving;
  check(!wormhole_, "tables under wormhole have to deliver");
  unused_.push_back(id);
  departures_.add(state_.now + 1, {index, kNone});
}

void Simulator::take_births() {
  auto& today = births_.at(state_.now);
  for (std::size_t i = 0; i < today.size(); ++i) inject(today[i]);
  today.clear();
}

PacketId Simulator::make_packet(Node node, Cycle birth) {
  PacketId id = 0;
  if (unused_.empty()) {
    id = static_cast<PacketId>(packets_.size());
    packets_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
    packets_[id] = {};
  }
  Packet& packet = packets_[id];
  packet.birth = birth;
  packet.source = node;
  traffic_.address(node, packet, random_);
  packet.target = network_.router_of(packet.destination);
  ++in_flight_;
  return id;
}

// The node puts a unit into an injection queue of its router, or waits.
void Simulator::inject(Node node) {
  Sender& sender = senders_[node];
  if (sender.packet == kIdle) {
    if (sender.birth > state_.now) return births_.add(std::min(sender.birth, state_.now + horizon_), node);
    sender.packet = make_packet(node, sender.birth);
    sender.units = static_cast<std::uint16_t>(units_of_packet_);
    sender.started = false;
  }
  const Port port = network_.node_port[node];
  const std::uint32_t first = port * state_.vcs;
  if (!sender.started) {
    const std::uint32_t only = policy_.injection_vc(packets_[sender.packet]);
    sender.vc = static_cast<std::uint8_t>(only == kNone ? 0 : only);
    if (only == kNone)
      for (std::uint32_t vc = 1; vc < parameters_.injection_vcs; ++vc)
        if (queues_[first + vc].count < queues_[first + sender.vc].count) sender.vc = static_cast<std::uint8_t>(vc);
  }
  Queue& queue = queues_[first + sender.vc];
  if (queue.count == queue.capacity) {
    sender.blocked = true;
    return;
  }
  sender.started = true;
  std::uint32_t slot = queue.head + queue.count;
  if (slot >= queue.capacity) slot -= queue.capacity;
  slots_[queue.first_slot + slot] = sender.packet;
  ++queue.count;
  if (queue.status == Queue::Status::kEmpty)
    become_head(first + sender.vc);
  else if (queue.status == Queue::Status::kStalled)
    wait(first + sender.vc, queue.out, queue.out_vc, nullptr);
  Cycle next = state_.now + serial_[port];
  if (--sender.units == 0) {
    sender.packet = kIdle;
    sender.birth = traffic_.next_birth(node, sender.birth + 1, random_);
    if (sender.birth == kNever) return;
    next = std::max(next, std::min(sender.birth, state_.now + horizon_));
  }
  births_.add(next, node);
}

}  // namespace espalier::packets
