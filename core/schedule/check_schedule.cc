// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/check_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/enum_names.h"
#include "core/fabric/endport_index.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNever = ~std::uint32_t{0};
constexpr std::uint32_t kPhasesAtOnce = 16;

class Checker {
 public:
  Checker(const Fabric& fabric, const ForwardingTables& tables, const Schedule& schedule, const TrafficMatrix& traffic)
      : fabric_(fabric),
        tables_(tables),
        schedule_(schedule),
        traffic_(traffic),
        received_(schedule.servers.size(), kNever),
        last_use_(fabric.num_channels(), {kNever, 0}) {}

  ScheduleReport run() {
    find_servers();
    const std::size_t n = schedule_.servers.size();
    // Sends are stored by server and judged by phase: a few phases are copied at a time.
    std::vector<Send> block(kPhasesAtOnce * n);
    for (std::uint32_t first = 0; first < schedule_.phases; first += kPhasesAtOnce) {
      const std::uint32_t count = std::min(kPhasesAtOnce, schedule_.phases - first);
      for (std::size_t s = 0; s < n; ++s)
        for (std::uint32_t k = 0; k < count; ++k) block[k * n + s] = schedule_.at(s, first + k);
      for (std::uint32_t k = 0; k < count; ++k)
        for (std::uint32_t s = 0; s < n; ++s) check_send(first + k, s, block[k * n + s]);
    }
    check_pairs();
    return std::move(report_);
  }

 private:
  struct Use {
    std::uint32_t phase;
    std::uint32_t server;
  };

  template <class Text>
  void blame(ScheduleFault fault, Text text) {
    if (report_.count[static_cast<std::size_t>(fault)]++ == 0) report_.first[static_cast<std::size_t>(fault)] = text();
  }

  void find_servers() {
    const EndportIndex endports = EndportIndex::of_cabled(fabric_);
    for (const Guid guid : schedule_.servers) {
      port_.push_back(endports.find(guid));
      if (port_.back() == kNoEndport)
        blame(ScheduleFault::kUnknownServer,
              [&] { return fmt::format("no cabled end port has the port GUID 0x{:016x}", index(guid)); });
    }
  }

  [[nodiscard]] std::string flow(std::uint32_t phase, std::uint32_t from, std::uint32_t to) const {
    return fmt::format("phase {}, {} to {}", phase, fabric_.label(port_[from]), fabric_.label(port_[to]));
  }

  void check_send(std::uint32_t phase, std::uint32_t from, const Send& send) {
    if (send.destination == Send::kIdle) return;
    const std::uint32_t to = send.destination;
    if (port_[from] == kNoEndport || port_[to] == kNoEndport) return;
    if (std::exchange(received_[to], phase) == phase)
      blame(ScheduleFault::kTwoReceived, [&] { return flow(phase, from, to) + ": it receives a second time"; });
    if (from == to) return;
    ++report_.num_flows;
    if (fabric_.endport_of(send.dlid) != port_[to])
      return blame(ScheduleFault::kWrongDlid, [&] {
        return flow(phase, from, to) + fmt::format(": LID {} is not the destination's", index(send.dlid));
      });
    if (!follow_flow(fabric_, tables_, port_[from], send.dlid, path_))
      return blame(ScheduleFault::kNotDelivered, [&] {
        return flow(phase, from, to) + fmt::format(": the tables do not deliver LID {}", index(send.dlid));
      });
    report_.longest_path = std::max(report_.longest_path, static_cast<std::uint32_t>(path_.size()));
    for (const ChannelId c : path_) use(c, phase, from, to);
  }

  void use(ChannelId c, std::uint32_t phase, std::uint32_t from, std::uint32_t to) {
    Use& last = last_use_[index(c)];
    if (last.phase == phase)
      blame(ScheduleFault::kSharedLink, [&] {
        return flow(phase, from, to) + fmt::format(": shares port {} of {} with the flow of {}", index(fabric_.port(c)),
                                                   fabric_.label(fabric_.source(c)), fabric_.label(port_[last.server]));
      });
    last = {phase, from};
  }

  void check_pairs() {
    const std::size_t n = schedule_.servers.size();
    std::vector<std::uint32_t> met(n);
    for (std::uint32_t a = 0; a < n; ++a) {
      std::fill(met.begin(), met.end(), 0);
      for (std::uint32_t phase = 0; phase < schedule_.phases; ++phase)
        if (const Send& send = schedule_.at(a, phase); send.destination != Send::kIdle) ++met[send.destination];
      for (std::uint32_t b = 0; b < n; ++b) {
        const std::uint32_t is = met[b];
        const std::uint32_t ought = traffic_[a * n + b];
        if (a == b || is == ought) continue;
        blame(is < ought ? ScheduleFault::kMissingPair : ScheduleFault::kRepeatedPair, [&] {
          return fmt::format("0x{:016x} sends to 0x{:016x} {} times, not {}", index(schedule_.servers[a]),
                             index(schedule_.servers[b]), is, ought);
        });
      }
    }
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  const Schedule& schedule_;
  const TrafficMatrix& traffic_;
  std::vector<EndportId> port_;          // per server
  std::vector<std::uint32_t> received_;  // per server: the last phase in which it received
  std::vector<Use> last_use_;            // per channel
  std::vector<ChannelId> path_;
  ScheduleReport report_;
};

}  // namespace

std::string_view name(ScheduleFault fault) {
  static constexpr EnumNames kNames(ScheduleFault::kRepeatedPair,
                                    {"unknown server", "wrong DLID", "not delivered", "two received", "shared link",
                                     "missing pair", "repeated pair"});
  return kNames[fault];
}

TrafficMatrix all_to_all_traffic(std::size_t num_servers) { return TrafficMatrix(num_servers * num_servers, 1); }

ScheduleReport check_schedule(const Fabric& fabric, const ForwardingTables& tables, const Schedule& schedule,
                              const TrafficMatrix& traffic) {
  check(traffic.size() == schedule.servers.size() * schedule.servers.size(), "a traffic matrix is square");
  check(schedule.sends.size() == schedule.servers.size() * schedule.phases, "a schedule has a slot per phase");
  return Checker(fabric, tables, schedule, traffic).run();
}

bool follow_flow(const Fabric& fabric, const ForwardingTables& tables, EndportId from, Lid dlid,
                 std::vector<ChannelId>& channels) {
  channels.clear();
  SwitchId at = fabric.at(from).leaf;
  while (at != kNoSwitch && channels.size() <= fabric.num_switches() && index(dlid) < tables.width()) {
    const PortNum out = tables.at(at, dlid);
    if (out == kNoPort || out == kManagementPort || index(out) > fabric.at(at).num_ports) return false;
    const Peer& peer = fabric.peer(at, out);
    if (peer.is_endport()) return fabric.endport_of(dlid) == peer.as_endport();
    if (!peer.is_switch()) return false;
    channels.push_back(fabric.channel(at, out));
    at = peer.as_switch();
  }
  return false;
}

}  // namespace espalier
