// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// One routing run: snapshot -> rank -> route -> verify -> apply, with OpenSM's options on the way in and one log line
// on the way out.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/tree/order/host_places.h"
#include "plugin/config.h"
#include "plugin/inputs/flow_list.h"
#include "plugin/inputs/host_order.h"
#include "plugin/inputs/opensm_options.h"
#include "plugin/lanes/active_lanes.h"
#include "plugin/last_shape.h"
#include "plugin/log.h"
#include "plugin/metrics/metrics.h"
#include "plugin/metrics/run_record.h"
#include "plugin/multicast/multicast.h"
#include "plugin/repair/repair_or_route.h"
#include "plugin/repair/repairs.h"
#include "plugin/repair/tables_ahead.h"
#include "plugin/snapshot.h"
#include "plugin/subnet/flap_hold.h"
#include "plugin/upload/resend.h"

namespace espalier {

// Our own values that outlive a run. OpenSM serializes all callbacks that touch them by its lock.
struct PluginState {
  explicit PluginState(const RepairOutlets& outlets) : repairs(outlets), metrics(outlets.error) {}

  OpensmOptions opensm;  // as the run at hand found them
  LastConfig last_config;
  PluginConfig config;             // as read last without an error
  bool has_config = false;         // it has been
  std::string config_error;        // of the file as it is now
  bool hop_tables_filled = false;  // by OpenSM, in the run at hand
  HostPlaces places;               // where hosts are or were: their numbers wait for them
  MulticastState multicast;
  Resend resend;
  FlowList flows;
  std::optional<ActiveLanes> lanes;  // of the tables in use; none: one lane
  bool swept_for_lanes = false;  // a second sweep was asked for, since links did not have all lanes in operation yet
  HostNumbers host_numbers;      // the order in which jobs have them
  Snapshots snapshots;           // the last one
  LastShape last_shape;          // its levels, and whether it is a dragonfly
  // As logged, so that what has not changed is not logged again.
  std::string last_irregularities;
  std::vector<std::string> last_warnings;
  std::string last_unexpected_engine;
  FlapHold flap_hold;
  std::pair<std::vector<std::string>, std::vector<std::string>> last_flaps;  // all, and those needed: as logged
  RunRecord record;                                                          // of the run at hand
  std::optional<std::chrono::steady_clock::time_point> next_sweep;  // that the run at hand needs, at the latest
  TablesInUse tables_in_use;                                        // for metrics
  LastRepaired last_repaired;
  std::optional<TablesAhead> ahead;             // made for the run at hand
  std::vector<std::shared_ptr<void>> outdated;  // what runs have replaced: to be freed without OpenSM's lock
  Repairs repairs;                              // has a thread, with a lock of its own
  Metrics metrics;                              // likewise
};

// The options of opensm.conf into `state`, and the file that event_plugin_options names, read anew. Where the file is wrong
// now, what was read last stays, so that a slip of the pen moves no route.
// Errors: it is wrong, and nothing has been read before.
[[nodiscard]] Status renew_config(osm_opensm& osm, PluginState& state);

// Of so few switches and ports that a run takes few milliseconds.
[[nodiscard]] bool is_small(const osm_opensm& osm);

// Of the task_arena of a run.
[[nodiscard]] int threads_of_run(const osm_opensm& osm, const PluginConfig& config);

// REQUIRES: OpenSM's lock is held and its switches are prepared, as in ucast_build_fwd_tables.
// Errors: the reason why this engine declines; no table of OpenSM's has been touched then.
[[nodiscard]] Status route_subnet(osm_opensm& osm, std::string_view engine_name, PluginState& state);

}  // namespace espalier
