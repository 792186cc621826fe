// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/ring_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/schedule/exchanges/fit_flows.h"
#include "core/schedule/exchanges/routed_exchange.h"

namespace espalier {
namespace {

// Per server: to whom it sends first; itself when it never does.
std::vector<std::uint32_t> successors(const Schedule& schedule) {
  std::vector<std::uint32_t> next(schedule.servers.size());
  for (std::uint32_t s = 0; s < next.size(); ++s) {
    next[s] = s;
    for (std::size_t phase = 0; phase < schedule.phases && next[s] == s; ++phase)
      if (const Send& send = schedule.at(s, phase); send.destination != Send::kIdle) next[s] = send.destination;
  }
  return next;
}

}  // namespace

Result<Schedule> ring_schedule(const Fabric& fabric, const ForwardingTables& tables, std::span<const EndportId> ring) {
  Schedule round;
  const std::vector<std::uint32_t> position = number_by_guid(fabric, ring, round);
  std::vector<PendingFlow> flows;
  for (std::size_t i = 0; i < ring.size() && ring.size() > 1; ++i) {
    const std::size_t next = (i + 1) % ring.size();
    flows.push_back({position[i], position[next], fabric.at(ring[next]).lid, 1});
  }
  ESPALIER_TRY_STATUS(fit_flows(fabric, tables, flows, round));
  // One round: no link twice in a phase.
  Schedule schedule = round;
  schedule.lmc = common_lmc(fabric, ring);
  schedule.bound = static_cast<std::uint32_t>(std::max<std::size_t>(ring.size(), 1) - 1);
  schedule.phases = round.phases * schedule.bound;
  schedule.sends.assign(ring.size() * schedule.phases, {});
  for (std::size_t s = 0; s < ring.size(); ++s)
    for (std::size_t phase = 0; phase < schedule.phases; ++phase)
      schedule.at(s, phase) = round.at(s, phase % round.phases);
  return schedule;
}

std::string allgather_fault(const Schedule& schedule) {
  const std::size_t n = schedule.servers.size();
  const std::vector<std::uint32_t> next = successors(schedule);
  std::size_t length = 0;
  std::uint32_t at = 0;
  do {
    if (n == 0) break;
    at = next[at];
    ++length;
  } while (at != 0 && length < n);
  if (n > 1 && (at != 0 || length != n)) return "the servers do not form a ring";
  std::vector<std::size_t> sent(n, 0);
  std::vector<std::size_t> received(n, 0);
  for (std::size_t phase = 0; phase < schedule.phases; ++phase) {
    std::vector<std::uint32_t> receivers;
    for (std::size_t s = 0; s < n; ++s) {
      const Send& send = schedule.at(s, phase);
      if (send.destination == Send::kIdle) continue;
      if (send.destination != next[s] || sent[s]++ > received[s])
        return fmt::format("phase {}: 0x{:016x} has nothing to send to 0x{:016x}", phase, index(schedule.servers[s]),
                           index(schedule.servers[send.destination]));
      receivers.push_back(send.destination);
    }
    for (const std::uint32_t r : receivers) ++received[r];
  }
  for (std::size_t s = 0; s < n; ++s)
    if (received[s] + 1 != n)
      return fmt::format("0x{:016x} receives {} of {}", index(schedule.servers[s]), counted(received[s], "block"),
                         n - 1);
  return {};
}

TrafficMatrix allgather_traffic(const Schedule& schedule) {
  const std::size_t n = schedule.servers.size();
  TrafficMatrix traffic(n * n, 0);
  const std::vector<std::uint32_t> next = successors(schedule);
  for (std::size_t s = 0; s < n; ++s) traffic[s * n + next[s]] = static_cast<std::uint32_t>(n - 1);
  return traffic;
}

}  // namespace espalier
