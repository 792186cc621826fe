// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/flow_risk.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/congestion/flow_paths.h"
#include "core/base/check.h"

namespace espalier {
namespace {

// The flows by ascending host(flow); equal ones as they stood.
template <class Host>
std::vector<std::uint32_t> order_by(std::span<const Flow> flows, Host host) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return host(flows[a]) < host(flows[b]); });
  return order;
}

// Whether it uses the network.
bool is_sent(const Flow& flow) { return flow.source != flow.destination && flow.weight > 0; }

}  // namespace

FlowRisk flow_risk(const HostRoutes& routes, std::span<const Flow> flows) {
  FlowRisk risk;
  FlowPaths paths(routes);
  std::vector<std::uint64_t> shares_on(routes.num_channels());
  std::vector<double> weight_on(routes.num_channels());
  PeakSum destinations(routes.num_channels());
  for (const std::uint32_t i : order_by(flows, [](const Flow& flow) { return flow.destination; })) {
    const Flow& flow = flows[i];
    check(flow.source < routes.num_hosts() && flow.destination < routes.num_hosts(), "flow_risk: no such host");
    if (!is_sent(flow)) continue;
    ++risk.num_flows;
    risk.unrouted +=
        routes.shares_per_flow() - paths.visit(flow.source, flow.destination, [&](ChannelId c, std::uint32_t shares) {
          shares_on[index(c)] += shares;
          weight_on[index(c)] += flow.weight * shares / routes.shares_per_flow();
          destinations.add(flow.destination, c, shares);
        });
  }
  PeakSum sources(routes.num_channels());
  for (const std::uint32_t i : order_by(flows, [](const Flow& flow) { return flow.source; }))
    if (const Flow& flow = flows[i]; is_sent(flow))
      paths.visit(flow.source, flow.destination,
                  [&](ChannelId c, std::uint32_t shares) { sources.add(flow.source, c, shares); });

  for (std::size_t c = 0; c < routes.num_channels(); ++c) {
    const std::uint32_t mu = std::min(sources.at(c), destinations.at(c));
    risk.mu = std::max(risk.mu, mu);
    risk.mu_per_capacity = std::max(risk.mu_per_capacity, per_capacity(routes, id_at<ChannelId>(c), mu));
    risk.xi_switches = std::max(risk.xi_switches, shares_on[c]);
    risk.weight = std::max(risk.weight, weight_on[c]);
    risk.weight_per_capacity =
        std::max(risk.weight_per_capacity, weight_on[c] * routes.capacities().weight(id_at<ChannelId>(c)));
  }
  return risk;
}

std::vector<Flow> two_way_ring(std::span<const std::uint32_t> order) {
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t next = order[(i + 1) % order.size()];
    flows.push_back({order[i], next});
    if (order.size() > 2) flows.push_back({next, order[i]});  // two hosts: the next is also the one before
  }
  return flows;
}

std::vector<Flow> type_phase(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to, std::size_t k) {
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < from.size(); ++i)
    flows.push_back({from[i], to[(i * to.size() / from.size() + k) % to.size()]});
  return flows;
}

std::vector<Flow> reversed(std::vector<Flow> flows) {
  for (Flow& flow : flows) std::swap(flow.source, flow.destination);
  return flows;
}

}  // namespace espalier
