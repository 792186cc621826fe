// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/simulate/offered_transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/fabric/endport_index.h"
#include "core/io/schedule/schedule_file.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/measure/measurement.h"
#include "core/tools/simulate/traffic_phases.h"

namespace espalier::tools {
namespace {

using TransferPhases = std::vector<std::vector<Transfer>>;

// Whoever takes part, by base LID: hosts first.
struct Nodes {
  std::vector<EndportId> hosts;
  std::vector<Lid> lids;
  NodeTypes types = {};  // of the fabric's end ports
  LidUse use = {};       // among the hosts
};

Nodes nodes_of(const Fabric& fabric, const TransferOptions& options) {
  Nodes nodes{.hosts = traffic_order(fabric, options.order).hosts, .lids = {}};
  for (const EndportId e : nodes.hosts) nodes.lids.push_back(fabric.at(e).lid);
  if (options.with_switches)
    for (const SwitchId s : fabric.switches()) nodes.lids.push_back(fabric.at(s).lid);
  nodes.use = lid_use(fabric, nodes.hosts, options.lids);
  if (options.node_types.given()) nodes.types = load_node_types(fabric, options.node_types);
  return nodes;
}

// The LIDs of a node are `base` .. base + 2^lmc - 1.
std::uint32_t num_lids(const Fabric& fabric, Lid base) {
  const LidOwner& owner = fabric.owner(base);
  return 1U << (owner.kind == LidOwner::Kind::kSwitch ? fabric.at(SwitchId{owner.id}).lmc
                                                      : fabric.at(EndportId{owner.id}).lmc);
}

void add_transfers(const Fabric& fabric, const Nodes& nodes, const Flow& flow, double bytes,
                   std::vector<Transfer>& transfers) {
  const Lid base = nodes.lids[flow.destination];
  const std::uint32_t lids = num_lids(fabric, base);
  const auto to = [&](std::uint32_t offset) { return id_at<Lid>(index(base) + offset % lids); };
  const bool among_hosts = std::max(flow.source, flow.destination) < nodes.hosts.size();
  switch (nodes.use.kind) {
    case LidUse::Kind::kOffset:
      return transfers.push_back({nodes.lids[flow.source], to(nodes.use.offset), bytes * flow.weight});
    case LidUse::Kind::kTable:
      return transfers.push_back({nodes.lids[flow.source],
                                  to(among_hosts ? nodes.use.table->at(flow.source, flow.destination) : 0),
                                  bytes * flow.weight});
    case LidUse::Kind::kChoices:
      if (!among_hosts) return transfers.push_back({nodes.lids[flow.source], to(0), bytes * flow.weight});
      for (const WeightedPath& path :
           weighted_paths(fabric, *nodes.use.choices, nullptr, nodes.hosts[flow.source], nodes.hosts[flow.destination]))
        transfers.push_back({nodes.lids[flow.source], path.to, bytes * flow.weight * path.share});
      return;
    case LidUse::Kind::kEvenly:
      for (std::uint32_t offset = 0; offset < lids; ++offset)
        transfers.push_back({nodes.lids[flow.source], to(offset), bytes * flow.weight / lids});
  }
}

TransferPhases transfers_of(const Fabric& fabric, const Nodes& nodes, const std::vector<std::vector<Flow>>& traffic,
                            double bytes) {
  TransferPhases phases;
  for (const auto& flows : traffic) {
    phases.emplace_back();
    for (const Flow& flow : flows)
      if (flow.weight > 0 && flow.source != flow.destination) add_transfers(fabric, nodes, flow, bytes, phases.back());
  }
  return phases;
}

TransferPhases transfers_of(const Fabric& fabric, const Schedule& schedule, const TransferOptions& options) {
  const EndportIndex endports(fabric);
  std::vector<EndportId> servers;
  for (const Guid guid : schedule.servers) {
    servers.push_back(endports.find(guid));
    if (servers.back() == kNoEndport)
      throw Refused{{fmt::format("the fabric has no end port 0x{:016x}", index(guid)), options.schedule, 0,
                     "use the fabric that the schedule was made for"}};
  }
  TransferPhases phases(schedule.phases);
  for (std::size_t phase = 0; phase < schedule.phases; ++phase)
    for (std::size_t server = 0; server < servers.size(); ++server) {
      const Send& send = schedule.at(server, phase);
      if (send.destination == Send::kIdle) continue;
      if (fabric.endport_of(send.dlid) != servers[send.destination])
        throw Refused{
            {fmt::format("phase {}: {} sends to {} at LID {}, which is not that end port's", phase,
                         fabric.label(servers[server]), fabric.label(servers[send.destination]), index(send.dlid)),
             options.schedule, 0,
             fmt::format("the schedule was made for --lmc {}: give that, and its fabric and tables",
                         unsigned{schedule.lmc})}};
      phases[phase].push_back({fabric.at(servers[server]).lid, send.dlid, options.bytes});
    }
  return phases;
}

}  // namespace

std::vector<OfferedTransfers> offered_transfers(const Fabric& fabric, const TransferOptions& options) {
  if (!options.schedule.empty()) {
    const Schedule schedule = value_or_refuse(read_schedule(load_text(options.schedule), options.schedule));
    return {{options.schedule, transfers_of(fabric, schedule, options)}};
  }
  const Nodes nodes = nodes_of(fabric, options);
  std::vector<OfferedTransfers> all;
  for (const TrafficPattern& pattern : patterns_or_refuse(options.patterns)) {
    auto flows = traffic_phases(fabric, nodes.hosts, nodes.types, nodes.lids.size(), pattern, options.seed);
    all.push_back({pattern.text(), transfers_of(fabric, nodes, flows, options.bytes)});
    if (pattern.kind != TrafficPattern::Kind::kTypePhases) continue;
    for (auto& phase : flows) phase = reversed(std::move(phase));
    all.push_back({pattern.text() + " back", transfers_of(fabric, nodes, flows, options.bytes)});
  }
  return all;
}

}  // namespace espalier::tools
