// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/simulation/transfer.h"

#include <algorithm>

#include "core/analysis/routes/walk.h"

namespace espalier {
namespace {

constexpr double kBytesPerMegabit = 1e6 / 8;

double bytes_per_second(LinkRate rate, const SimulationOptions& options) {
  return (rate.mbps() == 0 ? options.default_mbps : rate.mbps()) * kBytesPerMegabit;
}

SwitchId first_switch(const Fabric& fabric, Lid from) {
  const LidOwner& owner = fabric.owner(from);
  if (owner.kind == LidOwner::Kind::kSwitch) return SwitchId{owner.id};
  return owner.kind == LidOwner::Kind::kEndport ? fabric.at(EndportId{owner.id}).leaf : kNoSwitch;
}

Wire outlet(const Fabric& fabric, Lid from) {
  return static_cast<Wire>(fabric.num_channels() + index(base_of(fabric, from)));
}

}  // namespace

std::size_t num_wires(const Fabric& fabric) { return fabric.num_channels() + index(fabric.top_lid()) + 1; }

double wire_rate(const Fabric& fabric, Wire wire, const SimulationOptions& options) {
  if (wire >= fabric.num_channels()) return injection_rate(fabric, id_at<Lid>(wire - fabric.num_channels()), options);
  const auto channel = id_at<ChannelId>(wire);
  return bytes_per_second(fabric.rate(fabric.source(channel), fabric.port(channel)), options);
}

std::vector<Wire> wires_of(const Fabric& fabric, const ForwardingTables& tables, const Transfer& transfer) {
  if (std::max(transfer.from, transfer.to) > fabric.top_lid()) return {};
  const SwitchId first = first_switch(fabric, transfer.from);
  if (first == kNoSwitch) return {};
  const Walk path = walk(fabric, tables, first, transfer.to);
  if (path.outcome != Step::Kind::kDelivered) return {};
  std::vector<Wire> wires{outlet(fabric, transfer.from)};
  for (const ChannelId c : path.channels) wires.push_back(static_cast<Wire>(index(c)));
  wires.push_back(static_cast<Wire>(index(fabric.channel(path.last, tables.at(path.last, transfer.to)))));
  return wires;
}

double injection_rate(const Fabric& fabric, Lid lid, const SimulationOptions& options) {
  const EndportId e = fabric.endport_of(lid);
  if (e == kNoEndport) return bytes_per_second({}, options);
  const Endport& endport = fabric.at(e);
  return endport.leaf == kNoSwitch ? 0 : bytes_per_second(fabric.rate(endport.leaf, endport.leaf_port), options);
}

}  // namespace espalier
