// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From a plan in spines to LIDs: which offset of a server's LIDs takes which spine, what the tables of the leaves and
// spines have to say for that, and the schedule as an application reads it.
//
// Mode spine: offset k is the k-th uplink everywhere. The tables then depend on the links alone, not on the schedule, and
// one failed link changes the entries that used it and no others. Where every leaf has its k-th uplink in the same
// port, k is that port's number modulo 2^LMC, if that tells the uplinks apart: then even the loss of a spine moves no
// other offset. Mode block: each destination deals out its offsets, the first that is free at the leaf and does not
// contradict the spine. (Two leaves may use one offset for different spines; over parallel links they have to agree.)
#pragma once

#include <span>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/result.h"
#include "core/fabric/forwarding_tables.h"
#include "core/schedule/exchanges/fit_flows.h"
#include "core/schedule/leaf_spine/host_tree.h"
#include "core/schedule/schedule.h"

namespace espalier {

struct TableEntry {
  SwitchId where = kNoSwitch;
  Lid lid = kNoLid;
  PortNum port = kNoPort;
};

struct RoutedExchange {
  Schedule schedule;                // without `left_over`
  std::vector<TableEntry> entries;  // what the flows of the schedule need; all go up, then down
  // For pairs of leaves without a common spine, over the hub: up, down, up, down. To be written after the tables hold a
  // path for every pair.
  std::vector<TableEntry> detour_entries;
  std::vector<PendingFlow> left_over;  // such pairs without a place in the schedule: over whatever the tables say
};

enum class WantedMode : std::uint8_t {
  kAuto,  // spine where the LIDs suffice for it, else block
  kSpine,
  kBlock,
};
inline constexpr EnumNames kWantedModeNames(WantedMode::kBlock, {"auto", "spine", "block"});

// Numbers the servers of `schedule`, which are these by ascending GUID: [place in `servers`] -> index.
[[nodiscard]] std::vector<std::uint32_t> number_by_guid(const Fabric& fabric, std::span<const EndportId> servers,
                                                        Schedule& schedule);
// Of all these servers.
[[nodiscard]] std::uint8_t common_lmc(const Fabric& fabric, std::span<const EndportId> servers);

enum class Collective : std::uint8_t {
  kAllToAll,
  kAllGather,  // ring_schedule.h
  kTraffic,    // traffic_plan.h
};

// So many messages from one server to another.
struct Demand {
  Guid from{};
  Guid to{};
  std::uint32_t count = 1;
};

// What an administrator may ask for.
struct ExchangeOptions {
  WantedMode mode = WantedMode::kAuto;
  std::vector<Guid> participants = {};  // port GUIDs; empty: every host
  std::string participants_file = {};   // for messages
  Collective collective = Collective::kAllToAll;
  std::vector<Demand> traffic = {};  // for kTraffic: among the participants, each pair once, none with itself
  // Where no construction covers the fabric, a schedule flow by flow is made for at most so many. It takes the square of
  // them; the default takes a second, and for longer a subnet manager should not be held up.
  std::size_t most_servers_by_paths = 2048;
};

// REQUIRES: at least one server.
// Errors: mode spine with fewer LIDs per host than uplinks, naming the LMC that it needs; mode block with
// too few for parallel links.
// `traffic`: instead of all-to-all, if it is not null.
// `hub`: the switch over which flows may go down and up again without closing a credit loop; kNoSwitch: none is.
[[nodiscard]] Result<RoutedExchange> route_exchange(const Fabric& fabric, const HostTree& tree, WantedMode mode,
                                                    SwitchId hub, const std::vector<Demand>* traffic = nullptr);

}  // namespace espalier
