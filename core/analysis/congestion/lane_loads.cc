// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/lane_loads.h"

#include <algorithm>

#include "core/analysis/routes/walk.h"

namespace espalier {
namespace {

struct Sender {
  SwitchId at = kNoSwitch;
  PortNum in = kManagementPort;
};

Sender sender(const Fabric& fabric, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  if (owner.kind == LidOwner::Kind::kSwitch) return {SwitchId{owner.id}, kManagementPort};
  if (owner.kind == LidOwner::Kind::kNone) return {};
  const Endport& endport = fabric.at(EndportId{owner.id});
  return {endport.leaf, endport.leaf_port};
}

}  // namespace

LaneLoads lane_loads(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                     std::span<const LaneFlow> flows) {
  const unsigned num_vls = lanes.num_vls();
  std::vector<double> loads(fabric.num_channels() * num_vls, 0);
  LaneLoads result{std::vector<LaneLoads::Load>(num_vls)};
  for (const LaneFlow& flow : flows) {
    const Sender from = sender(fabric, flow.from);
    if (from.at == kNoSwitch) {
      result.undelivered += flow.amount;
      continue;
    }
    const Walk path = walk(fabric, tables, from.at, flow.to);
    const std::uint8_t sl = lanes.sl(flow.from, flow.to);
    bool arrives = path.outcome == Step::Kind::kDelivered;
    PortNum in = from.in;
    for (const ChannelId c : path.channels) {
      const std::uint8_t vl = lanes.vl(fabric.source(c), in, fabric.port(c), sl);
      arrives = arrives && vl < num_vls;
      if (!arrives) break;
      loads[index(c) * num_vls + vl] += flow.amount;
      in = fabric.peer(c).port;
    }
    if (!arrives) result.undelivered += flow.amount;
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i] <= 0) continue;
    LaneLoads::Load& load = result.of_vl[i % num_vls];
    ++load.channels;
    load.most = std::max(load.most, loads[i]);
    load.sum += loads[i];
  }
  return result;
}

std::vector<LaneFlow> all_to_all_flows(const Fabric& fabric, std::span<const EndportId> hosts, const LidUse& use) {
  std::vector<LaneFlow> flows;
  for (const EndportId to : hosts) {
    const Endport& destination = fabric.at(to);
    if (destination.lid == kNoLid) continue;
    const std::size_t lids = lids_of(destination).size();
    const std::size_t first = use.kind == LidUse::Kind::kOffset ? use.offset % lids : 0;
    const std::size_t count = use.kind == LidUse::Kind::kEvenly ? lids : 1;
    for (const EndportId from : hosts) {
      if (from == to || fabric.at(from).lid == kNoLid) continue;
      if (use.kind == LidUse::Kind::kChoices) {
        for (const WeightedPath& path : weighted_paths(fabric, *use.choices, nullptr, from, to))
          flows.push_back({fabric.at(from).lid, path.to, path.share});
        continue;
      }
      for (std::size_t k = first; k < first + count; ++k)
        flows.push_back({fabric.at(from).lid, lid_at_offset(destination.lid, k), 1.0 / static_cast<double>(count)});
    }
  }
  return flows;
}

}  // namespace espalier
