// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/tables/schedule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_index.h"
#include "core/schedule/check_schedule.h"
#include "core/schedule/exchanges/ring_schedule.h"
#include "core/tools/command.h"
#include "core/tools/inputs/flow_files.h"

namespace espalier::tools {
namespace {

constexpr double kMostMessages = 1'000'000;  // of a pair

std::string faults_in(const ScheduleReport& report) {
  std::string text;
  for (std::size_t i = 0; i < kNumScheduleFaults; ++i)
    if (report.count[i] != 0)
      text += fmt::format("{}: {} times, first {}\n", name(ScheduleFault{static_cast<std::uint8_t>(i)}),
                          report.count[i], report.first[i]);
  return text;
}

TrafficMatrix matrix_of(const Schedule& schedule, const std::vector<Demand>& demand, const std::string& path) {
  const std::size_t n = schedule.servers.size();
  TrafficMatrix traffic(n * n, 0);
  const auto place = [&](Guid guid) {
    const auto found = schedule.find_server(guid);
    if (!found) throw Refused{{fmt::format("the schedule has no server 0x{:016x}", index(guid)), path, 0, {}}};
    return std::size_t{*found};
  };
  for (const Demand& d : demand) traffic[place(d.from) * n + place(d.to)] = d.count;
  return traffic;
}

// The connected component that each server is in; of one that is cabled to no switch, or not in the fabric, none.
std::vector<std::optional<std::uint32_t>> components_of(const Fabric& fabric, const Schedule& schedule) {
  const auto component = connected_components(fabric);
  const EndportIndex endports(fabric);
  std::vector<std::optional<std::uint32_t>> components;
  for (const Guid server : schedule.servers) {
    const EndportId e = endports.find(server);
    const SwitchId leaf = e == kNoEndport ? kNoSwitch : fabric.at(e).leaf;
    components.push_back(leaf == kNoSwitch ? std::nullopt : std::optional(component[leaf]));
  }
  return components;
}

// What the schedule ought to do, as far as pairs say it: servers that no cables connect cannot meet.
TrafficMatrix traffic_of(const WantedExchange& wanted, const Fabric& fabric, const Schedule& schedule) {
  if (wanted.allgather) return allgather_traffic(schedule);
  TrafficMatrix traffic = wanted.matrix.empty() ? all_to_all_traffic(schedule.servers.size())
                                                : matrix_of(schedule, wanted.demand, wanted.matrix);
  const auto components = components_of(fabric, schedule);
  for (std::size_t i = 0; i < components.size(); ++i)
    for (std::size_t j = 0; j < components.size(); ++j)
      if (components[i] != components[j]) traffic[i * components.size() + j] = 0;
  return traffic;
}

}  // namespace

std::vector<Demand> read_demand(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& path) {
  std::map<std::pair<Guid, Guid>, std::uint32_t> count;
  for (const Flow& flow : flows_in_file(fabric, hosts, path)) {
    const auto messages = static_cast<std::uint32_t>(std::clamp(flow.weight, 0.0, kMostMessages));
    if (messages != flow.weight)
      throw Refused{{fmt::format("{} messages from {} to {}", flow.weight, fabric.label(hosts[flow.source]),
                                 fabric.label(hosts[flow.destination])),
                     path, 0, fmt::format("weights must be whole numbers up to {}", kMostMessages)}};
    if (flow.source != flow.destination && messages != 0)
      count[{fabric.at(hosts[flow.source]).port_guid, fabric.at(hosts[flow.destination]).port_guid}] += messages;
  }
  std::vector<Demand> demand;
  for (const auto& [pair, messages] : count) demand.push_back({pair.first, pair.second, messages});
  return demand;
}

void warn_of_components(const Fabric& fabric, const Schedule& schedule) {
  std::map<std::optional<std::uint32_t>, std::size_t> size;
  for (const auto& component : components_of(fabric, schedule)) ++size[component];
  if (size.size() > 1)
    warn(fmt::format("the {} are in {} parts of the fabric that no cable connects: only servers of the same part meet",
                     counted(schedule.servers.size(), "server"), size.size()));
}

std::string faults_of(const Fabric& fabric, const ForwardingTables& tables, const Schedule& schedule,
                      const WantedExchange& wanted) {
  const TrafficMatrix traffic = traffic_of(wanted, fabric, schedule);
  std::string faults = faults_in(check_schedule(fabric, tables, schedule, traffic));
  if (const std::string fault = wanted.allgather ? allgather_fault(schedule) : ""; !fault.empty())
    faults += fmt::format("no AllGather: {}\n", fault);
  return faults;
}

}  // namespace espalier::tools
