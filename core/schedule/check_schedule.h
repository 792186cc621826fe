// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The independent judge of schedules: follows every flow over the tables as they are, whoever made them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/schedule/schedule.h"

namespace espalier {

enum class ScheduleFault : std::uint8_t {
  kUnknownServer,  // a port GUID that is not in the fabric, or hangs on no switch
  kWrongDlid,      // a LID that the destination does not own
  kNotDelivered,   // the tables do not bring it there
  kTwoReceived,    // two flows to one server in a phase
  kSharedLink,     // two flows over one link in one direction in a phase
  kMissingPair,    // an ordered pair that never meets
  kRepeatedPair,   // ... or meets more often than asked
};
inline constexpr std::size_t kNumScheduleFaults = 7;
[[nodiscard]] std::string_view name(ScheduleFault fault);

struct ScheduleReport {
  std::array<std::uint64_t, kNumScheduleFaults> count{};  // by ScheduleFault
  std::array<std::string, kNumScheduleFaults> first{};    // one sentence about the first of each
  std::uint64_t num_flows = 0;                            // that were followed
  std::uint32_t longest_path = 0;                         // in links between switches
  [[nodiscard]] bool ok() const { return count == std::array<std::uint64_t, kNumScheduleFaults>{}; }
};

// How often each ordered pair of servers has to meet: [from * servers + to]; the diagonal is not looked at.
using TrafficMatrix = std::vector<std::uint32_t>;
[[nodiscard]] TrafficMatrix all_to_all_traffic(std::size_t num_servers);

// That nobody sends twice in a phase holds by the type. REQUIRES: tables.num_switches() == fabric.num_switches();
// traffic has one entry per pair of servers; schedule.sends has one entry per server and phase.
[[nodiscard]] ScheduleReport check_schedule(const Fabric& fabric, const ForwardingTables& tables,
                                            const Schedule& schedule, const TrafficMatrix& traffic);

// The channels between switches from server port `from` to `dlid`; false when the tables do not deliver it.
[[nodiscard]] bool follow_flow(const Fabric& fabric, const ForwardingTables& tables, EndportId from, Lid dlid,
                               std::vector<ChannelId>& channels);

}  // namespace espalier
