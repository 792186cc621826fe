// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/flow_offsets.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace espalier {
namespace {

constexpr int kRoundsOverFlows = 8;

// Where the flow costs least, the LID that it has among equals; loads follow.
std::uint8_t best_response(const SwitchGraph& graph, TreeSearch& trees, const KnownFlow& flow, std::uint8_t offset) {
  const SwitchId from = graph.fabric().at(flow.source).leaf;
  const Endport& to = graph.fabric().at(flow.destination);
  const auto place = [&](std::size_t k) { return graph.place(lid_at_offset(to.lid, k)); };
  trees.load_path(place(offset), from, -flow.weight);
  double least = trees.price_from(place(offset), from, flow.weight);
  for (std::size_t k = 0; k < std::size_t{1} << to.lmc; ++k) {
    const double price = trees.price_from(place(k), from, flow.weight);
    if (price >= least) continue;
    least = price;
    offset = static_cast<std::uint8_t>(k);
  }
  trees.load_path(place(offset), from, flow.weight);
  return offset;
}

}  // namespace

std::vector<KnownFlow> merged_flows(std::span<const KnownFlow> flows) {
  std::vector<KnownFlow> merged(flows.begin(), flows.end());
  const auto pair_of = [](const KnownFlow& flow) { return std::pair(flow.destination, flow.source); };
  std::stable_sort(merged.begin(), merged.end(),
                   [&](const KnownFlow& a, const KnownFlow& b) { return pair_of(a) < pair_of(b); });
  std::size_t kept = 0;
  for (const KnownFlow& flow : merged)
    if (kept > 0 && pair_of(merged[kept - 1]) == pair_of(flow))
      merged[kept - 1].weight += flow.weight;
    else
      merged[kept++] = flow;
  merged.resize(kept);
  return merged;
}

FlowOffsets deal_offsets(const Fabric& fabric, std::span<const KnownFlow> flows) {
  FlowOffsets offsets(flows.size());
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(flows[a].destination, -flows[a].weight) < std::tuple(flows[b].destination, -flows[b].weight);
  });
  std::vector<double> sent;
  EndportId last = kNoEndport;
  for (const std::size_t f : order) {
    const Endport& to = fabric.at(flows[f].destination);
    if (flows[f].destination != last) sent.assign(std::size_t{1} << to.lmc, 0);
    last = flows[f].destination;
    if (fabric.at(flows[f].source).leaf == to.leaf) continue;
    const auto least = std::min_element(sent.begin(), sent.end());
    *least += flows[f].weight;
    offsets[f] = static_cast<std::uint8_t>(least - sent.begin());
  }
  return offsets;
}

bool improve_offsets(const SwitchGraph& graph, TreeSearch trees, std::span<const KnownFlow> flows,
                     FlowOffsets& offsets) {
  const Fabric& fabric = graph.fabric();
  bool any = false;
  bool turned = true;
  for (int pass = 0; turned && pass < kRoundsOverFlows; ++pass) {
    turned = false;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const SwitchId from = fabric.at(flows[f].source).leaf;
      const Endport& to = fabric.at(flows[f].destination);
      if (to.lmc == 0 || from == kNoSwitch || to.leaf == kNoSwitch || from == to.leaf) continue;
      const std::uint8_t offset = best_response(graph, trees, flows[f], offsets[f]);
      if (offset == offsets[f]) continue;
      offsets[f] = offset;
      turned = any = true;
    }
  }
  return any;
}

LidChoices choices_of(const Fabric& fabric, std::span<const KnownFlow> flows, const FlowOffsets& offsets) {
  LidChoices choices(fabric.num_endports());
  for (std::size_t f = 0; f < flows.size(); ++f)
    if (offsets[f] != 0)
      choices.use_between(flows[f].source, flows[f].destination, choices.add_list({{offsets[f], 1}}));
  return choices;
}

}  // namespace espalier
