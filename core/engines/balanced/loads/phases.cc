// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/phases.h"

#include <algorithm>
#include <cmath>

namespace espalier {
namespace {

// Of the phases of one order, where not all are counted. In an order along the leaves every (n/K)-th; elsewhere names
// may take turns among leaves, and a fixed step could be in step with that: so each lies somewhere in its stretch.
std::vector<std::uint32_t> distances(std::size_t num_hosts, std::size_t count, bool is_topological) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  std::vector<std::uint32_t> result;
  for (std::size_t y = 0; y < count; ++y) {
    std::size_t distance = y * num_hosts / count;
    if (!is_topological && count < num_hosts) {
      const double turn = static_cast<double>(y) * kGoldenRatio;
      const auto stretch = static_cast<double>((y + 1) * num_hosts / count - distance);
      distance += static_cast<std::size_t>((turn - std::floor(turn)) * stretch);
    }
    result.push_back(static_cast<std::uint32_t>(distance));
  }
  return result;
}

}  // namespace

std::size_t Phases::count_all(const NodeOrder& order, std::span<const HostPart> parts) {
  if (parts.empty()) return order.jobs.size();
  std::size_t all = 0;
  for (const HostPart& part : parts) all += part.hosts.size();
  return all;
}

Phases::Phases(const Fabric& fabric, const NodeOrder& order, std::span<const HostPart> parts, std::size_t most)
    : sources_(host_runs(fabric, order)), source_of_(order.hosts.size()) {
  for (std::uint32_t a = 0; a < sources_.size(); ++a)
    std::fill(source_of_.begin() + sources_[a].first, source_of_.begin() + sources_[a].last, a);
  IdVector<EndportId, std::uint32_t> number(fabric.num_endports(), kNowhere);
  for (std::uint32_t i = 0; i < order.hosts.size(); ++i) number[order.hosts[i]] = i;
  if (parts.empty()) {
    add_order(order.jobs, number, most, order.jobs == order.hosts);
    return;
  }
  double weights = 0;
  for (const HostPart& part : parts) weights += part.weight;
  for (const HostPart& part : parts)
    add_order(part.hosts, number,
              std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(most) * part.weight / weights)),
              false);
}

void Phases::add_order(std::span<const EndportId> hosts, const IdVector<EndportId, std::uint32_t>& number,
                       std::size_t most, bool is_topological) {
  Order own;
  own.first_phase = size_;
  own.place.assign(source_of_.size(), kNowhere);
  for (const EndportId e : hosts) {
    if (number[e] == kNowhere) continue;
    own.place[number[e]] = static_cast<std::uint32_t>(own.source_at.size());
    own.host_at.push_back(number[e]);
    own.source_at.push_back(source_of_[number[e]]);
  }
  own.behind.resize(own.source_at.size());
  for (std::size_t at = own.source_at.size(); at-- > 0;)
    own.behind[at] = at + 1 < own.source_at.size() && own.source_at[at + 1] == own.source_at[at]
                         ? own.behind[at + 1]
                         : static_cast<std::uint32_t>(at + 1);
  own.distance = distances(own.source_at.size(), std::min(most, own.source_at.size()), is_topological);
  are_all_ = are_all_ && own.distance.size() == own.source_at.size();
  size_ += own.distance.size();
  orders_.push_back(std::move(own));
}

const Phases::Order& Phases::order_of(std::size_t phase) const {
  std::size_t i = orders_.size() - 1;
  while (orders_[i].first_phase > phase) --i;
  return orders_[i];
}

std::uint32_t Phases::sender(std::size_t phase, std::uint32_t host) const {
  const Order& order = order_of(phase);
  if (order.place[host] == kNowhere) return kNobody;
  const std::size_t n = order.host_at.size();
  const std::size_t at = order.place[host] + order.distance[phase - order.first_phase];
  return order.host_at[at < n ? at : at - n];
}

std::uint32_t Phases::receiver(std::size_t phase, std::uint32_t host) const {
  const Order& order = order_of(phase);
  if (order.place[host] == kNowhere) return kNobody;
  const std::size_t at = order.place[host] + order.host_at.size() - order.distance[phase - order.first_phase];
  return order.host_at[at < order.host_at.size() ? at : at - order.host_at.size()];
}

std::span<const PhaseRun> SenderRuns::by_phase(std::uint32_t host, std::size_t begin, std::size_t end) {
  by_phase_.clear();
  std::size_t first_phase = 0;
  for (const Phases::Order& order : phases_.orders_) {
    const std::size_t place = order.place[host];
    const std::size_t n = order.source_at.size();
    const std::size_t first = std::max(begin, first_phase) - first_phase;
    const std::size_t last = std::min(end, first_phase + order.distance.size());
    if (place != Phases::kNowhere)
      for (std::size_t y = first, behind = 0; first_phase + y < last; y = behind) {
        const std::size_t from = place + order.distance[y];
        const std::size_t at = from < n ? from : from - n;
        const std::uint32_t source = order.source_at[at];
        // Where all distances are counted, the whole run at once.
        behind = order.distance.size() == n ? std::min(y + order.behind[at] - at, last - first_phase) : y + 1;
        const auto phase = static_cast<std::uint32_t>(first_phase + y);
        const auto next = static_cast<std::uint32_t>(first_phase + behind);
        if (!by_phase_.empty() && by_phase_.back().source == source && by_phase_.back().end == phase)
          by_phase_.back().end = next;
        else
          by_phase_.push_back({source, phase, next});
      }
    first_phase += order.distance.size();
  }
  return by_phase_;
}

void SenderRuns::set_host(std::uint32_t host) {
  std::fill(next_.begin(), next_.end(), 0U);
  for (const PhaseRun& run : by_phase(host, 0, phases_.size())) ++next_[run.source + 1];
  for (std::size_t a = 1; a < next_.size(); ++a) next_[a] += next_[a - 1];
  runs_.resize(by_phase_.size());
  for (const PhaseRun& run : by_phase_) runs_[next_[run.source]++] = run;
}

}  // namespace espalier
