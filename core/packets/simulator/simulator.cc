// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/simulator/simulator.h"

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
  for (const PortEnd& port : network.ports) latency = std::max<std::uint32_t>(latency, port.latency);
  for (const std::uint16_t port : network.slowness) slowness = std::max<std::uint32_t>(slowness, port);
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
      units_of_packet_(parameters.units_of_packet()),
      injection_places_(parameters.injection_buffer / parameters.unit_phits()),
      horizon_(horizon_of(network, parameters) + policy.most_credit_delay()),
      wormhole_(parameters.switching == Switching::kWormhole),
      one_input_(parameters.crossbar == CrossbarInputs::kOneForPort),
      picky_(wormhole_ || one_input_ || parameters.transit_first),
      traffic_reacts_(traffic.reacts()),
      policy_follows_departures_(policy.follows_departures()),
      policy_follows_credits_(policy.follows_credits()),
      policy_diverts_(policy.diverts()),
      compares_ports_(parameters.occupancy == Occupancy::kPort),
      busy_in_(network.num_ports(), 0),
      awake_(network.num_routers(), 0),
      senders_(network.num_nodes()) {
  for (Node n = 0; n < network.num_nodes(); ++n) router_of_node_.push_back(network.router_of(n));
  node_port_.assign(network.node_port.begin(), network.node_port.end());
  size_queues();
  place_queues();
  make_parts(seed);
  size_ports();
  size_levels();
  make_regions();
  size_lists();
  start_senders();
}

void Simulator::size_queues() {
  const VcCounts vcs = policy_.vcs();
  const std::uint32_t ports = network_.num_ports();
  state_.network = &network_;
  state_.parameters = &parameters_;
  state_.unit = parameters_.credits_of_unit();
  state_.measures_phits = parameters_.measure == QueueMeasure::kPhits;
  state_.credit_phits = parameters_.credit_phits();
  state_.vcs = std::max({vcs.local, vcs.global, parameters_.injection_vcs});
  check(state_.vcs <= kMostVcs, "more virtual channels than 16");
  state_.vc_bits = static_cast<std::uint32_t>(std::bit_width(state_.vcs - 1));
  vc_mask_ = (1U << state_.vc_bits) - 1;
  const std::size_t queues = std::size_t{ports} << state_.vc_bits;
  state_.used.assign(ports, 0);
  state_.waiting.assign(ports, 0);
  state_.capacity.assign(ports, 0);
  state_.credits.assign(queues, 0);
  state_.vc_scale.assign(ports, 0);
  state_.port_scale.assign(ports, 0);
  queues_.resize(queues);
  rings_.resize(queues);
  if (policy_diverts_) requests_.resize(queues);
  next_.assign(queues, 0);
  lines_.resize(queues);
  holder_.assign(queues, kIdle);
}

// Gives each queue that is used its slots and its credits.
void Simulator::place_queues() {
  const VcCounts vcs = policy_.vcs();
  std::uint32_t slots = 0;
  for (Port p = 0; p < network_.num_ports(); ++p) {
    const PortEnd& port = network_.ports[p];
    const std::uint32_t credits = buffer_of(parameters_, port.kind) / parameters_.credit_phits();
    const std::uint32_t units = credits / state_.unit;
    check(units > 0 && credits < 65536, "a buffer that holds no packet, or too many");
    // By phit the next unit may come while the one that leaves still has its place in the queue.
    const std::uint32_t places = units + (state_.unit > 1 && port.kind != PortClass::kNode ? 1 : 0);
    const std::uint32_t used_vcs = vcs_of(parameters_, vcs, port.kind);
    for (std::uint32_t vc = 0; vc < used_vcs; ++vc) {
      Ring& ring = rings_[state_.queue(p, vc)];
      const std::uint32_t size = std::bit_ceil(places);
      const std::uint32_t begin = (slots + size - 1) & ~(size - 1);
      ring.mask = size - 1;
      ring.slot = begin + state_.queue(p, vc) % size;  // if all began alike, they would share a few sets of the cache
      slots = begin + size;
      state_.credits[state_.queue(p, vc)] =
          static_cast<std::uint16_t>(port.kind == PortClass::kNode ? state_.unit : credits);
    }
    if (port.kind != PortClass::kNode) state_.capacity[p] = static_cast<std::uint16_t>(credits);
    state_.vc_scale[p] = 1.0F / static_cast<float>(credits);
    state_.port_scale[p] = 1.0F / static_cast<float>(credits * used_vcs);
  }
  slots_.resize(slots);
}

void Simulator::size_ports() {
  for (Port p = 0; p < network_.num_ports(); ++p) {
    const PortEnd& end = network_.ports[p];
    PortState port;
    port.peer = end.kind == PortClass::kNode ? end.peer : state_.queue(end.peer, 0);
    port.router = end.router;
    port.latency = end.latency;
    const std::uint32_t serial = parameters_.unit_phits() * network_.slowness[p];
    port.serial = static_cast<std::uint16_t>(serial);
    port.crossing = static_cast<std::uint16_t>((serial + parameters_.speedup - 1) / parameters_.speedup);
    port.room = static_cast<std::uint16_t>((1U << state_.vcs) - 1);
    port.position = end.position;
    port.kind = end.kind;
    port.reach = reach(end);
    ports_.push_back(port);
    state_.outputs.push_back({end.position, end.kind});
  }
  if (policy_diverts_) size_sets();
}

void Simulator::size_sets() {
  std::uint32_t degree = 1;
  for (Router r = 0; r < network_.num_routers(); ++r) degree = std::max(degree, network_.degree(r));
  sets_.resize(network_.num_routers(), degree, state_.vcs);
  sought_.assign(network_.num_ports(), 0);
  for (const PortEnd& end : network_.ports) {
    const RouterSets::View sets = sets_.of(end.router, end.position);
    sets.free() |= bit_of(end.position);
    for (std::uint32_t vc = 0; vc < state_.vcs; ++vc) sets.vc(vc).room |= bit_of(end.position);
    if (end.position >= kMostPositions || end.kind == PortClass::kNode) continue;
    (end.kind == PortClass::kGlobal ? sets.global() : sets.local()) |= bit_of(end.position);
  }
}

void Simulator::size_levels() {
  if (!policy_diverts_) return;
  const VcCounts vcs = policy_.vcs();
  const bool by_port = parameters_.occupancy == Occupancy::kPort;
  const auto kind = [&](std::uint32_t buffer, std::uint32_t used_vcs) {
    const std::uint32_t credits = buffer / parameters_.credit_phits() * (by_port ? used_vcs : 1);
    return FillLevels::Kind{credits, 1.0F / static_cast<float>(credits)};
  };
  levels_.resize(network_.num_routers(), by_port ? 1 : state_.vcs,
                 {kind(parameters_.local_buffer, vcs.local), kind(parameters_.global_buffer, vcs.global)},
                 static_cast<float>(parameters_.threshold));
}

// They are of one region's cycle, in which a queue, an output or a router is once at most.
void Simulator::size_lists() {
  std::size_t ports = 0;
  std::size_t routers = 0;
  for (const RegionState& region : regions_) {
    std::size_t of_region = 0;
    for (const Router r : region.routers) of_region += network_.degree(r);
    ports = std::max(ports, of_region);
    routers = std::max(routers, region.routers.size());
  }
  const std::size_t queues = ports << state_.vc_bits;
  new_heads_.bound(queues);
  waits_.bound(queues);
  for (List<Unit>& heads : sorted_) heads.bound(queues);
  listed_.bound(ports);
  busy_.bound(ports);
  winners_.bound(ports);
  for (List<Leaving>& units : leaving_) units.bound(ports);
  served_list_.bound(routers);
  for (RegionState& region : regions_) region.awake.bound(routers);  // swapped with the list of those that are served
}

void Simulator::start_senders() {
  for (Node n = 0; n < senders_.size(); ++n) {
    const Router r = network_.router_of(n);
    senders_[n].birth = traffic_.next_birth(n, 0, random_of(r));
    if (senders_[n].birth != kNever) regions_[region_of_[r]].births.add(std::min(senders_[n].birth, horizon_), n);
  }
}

void Simulator::reset_counters() {
  counters_ = {};
  latencies_.clear();
}

}  // namespace espalier::packets
