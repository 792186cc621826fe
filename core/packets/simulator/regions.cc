// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The network cut into regions that are worked off one after the other, many cycles at a time, so that what a region
// touches stays in the cache: a dragonfly of h = 8 has 20 MB of state, one of its groups 160 kB.
//
// Parts are what remains joined without the slowest links: the groups of a dragonfly. Nothing that happens in one is
// felt in another before the latency of these links has passed. So each may run ahead by that many cycles: the lookahead
// of conservative parallel simulation, with parts as its logical processes (Chandy and Misra: Distributed Simulation,
// 1979; Fujimoto: Parallel Discrete Event Simulation, CACM 33, 1990). A region is as many parts as the cache holds:
// the fewer there are, the less often the steps of a cycle begin and end for a few events.
//
// Each part has draws of its own, and what leaves it is handed over in the order of parts, so that a run depends neither
// on how many cycles are asked for at a time nor on which parts make a region.
//
// When a region's turn comes, all that it has is asked for at once, so that it comes while the memory can serve many
// requests at a time, and not one by one.
//
// One part is all there is when links are fast or all the same, and when a policy or traffic looks farther than a
// group.
#include <algorithm>

#include "core/base/check.h"
#include "core/base/disjoint_sets.h"
#include "core/packets/simulator/prefetch.h"
#include "core/packets/simulator/simulator.h"

namespace espalier::packets {
namespace {

constexpr std::uint32_t kWorthIt = 32;      // cycles at a time
constexpr std::size_t kLine = 64;           // bytes of a line of the cache
constexpr std::size_t kCache = 320 << 10U;  // of a region's ports and queues; packets and events take as much

template <class Vector>
void fetch_range(const Vector& vector, std::size_t begin, std::size_t end) {
  const char* const stop = reinterpret_cast<const char*>(vector.data() + end);
  for (const char* p = reinterpret_cast<const char*>(vector.data() + begin); p < stop; p += kLine)
    __builtin_prefetch(p, 1, 2);
}

}  // namespace

void Simulator::make_parts(std::uint64_t seed) {
  std::uint32_t fastest = kIdle;
  std::uint32_t slowest = 0;
  for (const PortEnd& port : network_.ports) {
    if (port.kind == PortClass::kNode) continue;
    fastest = std::min<std::uint32_t>(fastest, port.latency);
    slowest = std::max<std::uint32_t>(slowest, port.latency);
  }
  const bool many = slowest >= kWorthIt && fastest < slowest && policy_.scope() == Scope::kGroup && !traffic_.reacts();
  lookahead_ = many ? slowest : kIdle;
  ahead_ = !many;
  DisjointSets sets(network_.num_routers());
  for (const PortEnd& port : network_.ports)
    if (port.kind != PortClass::kNode && port.latency < lookahead_) sets.join(port.router, port.neighbor);
  part_of_ = many ? sets.numbers() : std::vector<std::uint32_t>(network_.num_routers(), 0);
  for (const std::uint32_t part : part_of_)
    while (parts_.size() <= part) {
      randoms_.emplace_back(seed, parts_.size());
      parts_.emplace_back();
    }
}

// As many parts for each as the cache holds, and at least one.
void Simulator::make_regions() {
  std::vector<std::size_t> bytes(parts_.size(), 0);
  for (Router r = 0; r < network_.num_routers(); ++r) bytes[part_of_[r]] += bytes_of(r);
  std::vector<std::uint32_t> region_of_part;
  std::size_t sum = 0;
  for (const std::size_t more : bytes) {
    sum += more;
    if (regions_.empty() || sum > kCache) {
      regions_.emplace_back(horizon_ + (parts_.size() > 1 ? lookahead_ : 0));
      sum = more;
    }
    region_of_part.push_back(static_cast<std::uint32_t>(regions_.size() - 1));
  }
  for (Router r = 0; r < network_.num_routers(); ++r) {
    region_of_.push_back(region_of_part[part_of_[r]]);
    regions_[region_of_[r]].routers.push_back(r);
  }
  check(regions_.size() < 65536, "more regions than 65 535");
  for (Port p = 0; p < network_.num_ports(); ++p)
    if (network_.ports[p].kind != PortClass::kNode)
      ports_[p].region_behind = static_cast<std::uint16_t>(region_of_[network_.ports[p].neighbor]);
}

// What a router's ports and queues take, without the packets.
std::size_t Simulator::bytes_of(Router r) const {
  constexpr std::size_t kOfPort = sizeof(PortState) + 4 * sizeof(std::uint32_t);
  constexpr std::size_t kOfQueue = sizeof(Queue) + sizeof(Line) + 2 * sizeof(std::uint16_t);
  const std::size_t queues = std::size_t{network_.degree(r)} << state_.vc_bits;
  return network_.degree(r) * kOfPort + queues * (kOfQueue + (policy_diverts_ ? sizeof(Request) : 0));
}

void Simulator::fetch(const RegionState& region) const {
  for (const Router r : region.routers) {
    const Port first = network_.first_port[r];
    const Port last = network_.first_port[r + 1];
    const std::uint32_t first_queue = state_.queue(first, 0);
    const std::uint32_t last_queue = state_.queue(last, 0);
    if (policy_diverts_) sets_.fetch(r);
    fetch_range(ports_, first, last);
    fetch_range(state_.used, first, last);
    fetch_range(state_.vc_scale, first, last);
    fetch_range(state_.port_scale, first, last);
    fetch_range(state_.credits, first_queue, last_queue);
    fetch_range(queues_, first_queue, last_queue);
    if (policy_diverts_) {
      fetch_range(requests_, first_queue, last_queue);
      fetch_range(sought_, first, last);
    }
    fetch_range(next_, first_queue, last_queue);
    fetch_range(lines_, first_queue, last_queue);
  }
  region.arrivals.for_each([&](const Unit& unit) { prefetch(packets_[unit.packet]); });
}

// What happens in other parts is told to their regions when all have come as far: one loop, which knows what it will need.
template <class Event>
void Simulator::hand_over(List<Crossing<Event>>& crossings, EventWheel<Event> RegionState::*wheel) {
  for (std::size_t i = 0; i < crossings.size(); ++i) {
    if (i + kFar < crossings.size()) {
      const Crossing<Event>& soon = crossings[i + kFar];
      (regions_[soon.region].*wheel).fetch_day(soon.at);
    }
    if (i + kNear < crossings.size()) {
      const Crossing<Event>& soon = crossings[i + kNear];
      (regions_[soon.region].*wheel).fetch_chunk(soon.at);
    }
    (regions_[crossings[i].region].*wheel).add(crossings[i].at, crossings[i].event);
  }
  crossings.clear();
}

void Simulator::advance(Cycle cycles) {
  while (cycles > 0) {
    const Cycle begin = state_.now;
    const Cycle some = std::min(cycles, lookahead_);
    for (std::uint32_t region = 0; region < regions_.size(); ++region) {
      if (some >= kWorthIt && regions_.size() > 1) fetch(regions_[region]);
      for (state_.now = begin; state_.now < begin + some; ++state_.now) cycle(region);
    }
    for (Part& part : parts_) {
      hand_over(part.arrivals, &RegionState::arrivals);
      hand_over(part.credits, &RegionState::credits);
    }
    cycles -= some;
  }
}

void Simulator::cycle(std::uint32_t region) {
  region_ = &regions_[region];
  policy_.tick(state_, {region, region_->routers});
  take_credits();
  take_heads();
  take_frees();
  take_arrivals();
  take_births();
  ask();
  line_up();
  allocate();
  transport();
}

}  // namespace espalier::packets
