// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who sends to whom, when and under which LID: what the subnet manager publishes and an application follows.
//
// It speaks of port GUIDs and LIDs only, so that it outlives the snapshot it was made from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier {

enum class ScheduleMode : std::uint8_t {
  kSpine,  // the LID offset names the spine: needs as many LIDs per host as there are spines, and no fewer phases exist
  kBlock,  // a leaf keeps one spine per destination, or a few: as many phases as that takes
  kPaths,  // any tables, any fabric: flows are fitted into phases one by one
};

// "spine", "block", "paths".
[[nodiscard]] constexpr std::string_view name(ScheduleMode mode) {
  switch (mode) {
    case ScheduleMode::kSpine:
      return "spine";
    case ScheduleMode::kBlock:
      return "block";
    case ScheduleMode::kPaths:
      break;
  }
  return "paths";
}

struct Send {
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;
  std::uint32_t destination = kIdle;  // index into Schedule::servers
  Lid dlid = kNoLid;
  bool operator==(const Send&) const = default;
};

struct Schedule {
  std::uint64_t epoch = 0;
  ScheduleMode mode = ScheduleMode::kPaths;
  std::uint8_t lmc = 0;      // of the hosts
  std::uint32_t phases = 0;  // numbered from 0
  // No schedule has fewer phases (phase_bound.h), of those that keep a phase for each server's part for itself where this
  // one does: spine and block, unless they get by with fewer.
  std::uint32_t bound = 0;
  std::vector<Guid> servers;  // port GUIDs, ascending
  std::vector<Send> sends;    // [server * phases + phase]

  [[nodiscard]] const Send& at(std::size_t server, std::size_t phase) const { return sends[server * phases + phase]; }
  [[nodiscard]] Send& at(std::size_t server, std::size_t phase) { return sends[server * phases + phase]; }
  // Its place in `servers`; nothing when it is not there.
  [[nodiscard]] std::optional<std::uint32_t> find_server(Guid port_guid) const {
    const auto it = std::lower_bound(servers.begin(), servers.end(), port_guid);
    if (it == servers.end() || *it != port_guid) return std::nullopt;
    return static_cast<std::uint32_t>(it - servers.begin());
  }
  bool operator==(const Schedule&) const = default;
};

}  // namespace espalier
