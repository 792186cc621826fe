// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// espalier.conf, the file that event_plugin_options names. Read anew on each routing run, so that a repaired file takes
// effect with the next sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/result.h"
#include "core/engines/options.h"
#include "core/fabric/rules/switch_rules.h"
#include "core/io/lists/host_parts.h"
#include "core/schedule/exchanges/routed_exchange.h"

namespace espalier {

// Of the threads of a routing run, while the rest of OpenSM waits for it.
enum class ThreadPriority : std::uint8_t {
  kRealtime,  // SCHED_RR, where the process may
  kNormal,    // as OpenSM has it
};
inline constexpr EnumNames kThreadPriorityNames(ThreadPriority::kNormal, {"realtime", "normal"});

// Whether OpenSM's hop tables (its "lid matrices") are filled. Only its own dumps read them; see plugin/contract.md.
enum class HopTables : std::uint8_t {
  kAuto,  // when the log flag ROUTING (0x40) asks for dumps
  kAll,   // always
  kNone,  // never; opensm.fdbs then says HOPS UNKNOWN
};
inline constexpr EnumNames kHopTablesNames(HopTables::kNone, {"auto", "all", "none"});

// Whether later runs of an engine repair the tables of earlier ones (plugin/repair) instead of routing everything.
enum class RepairWhen : std::uint8_t {
  kAuto,    // those of engines that take long, dragonfly and dragonfly-rlm only on large fabrics
  kAlways,  // those of all engines but fors and gxmodk; see wants_repair()
  kNever,
};
inline constexpr EnumNames kRepairWhenNames(RepairWhen::kNever, {"auto", "always", "never"});

// When repaired tables give way to new ones.
enum class Rebalance : std::uint8_t {
  kNever,  // but for the first search of an engine that takes long
  kAuto,   // when enough has moved, and it is quiet, and new ones are better
  kNow,    // at once, whatever the gain
};
inline constexpr EnumNames kRebalanceNames(Rebalance::kNow, {"never", "auto", "now"});

// Hours of the day, local time, 0 to 24, in which tables may give way: from `begin` to before `end`. Equal: always.
struct RebalanceHours {
  static constexpr unsigned kDay = 24;
  unsigned begin = 0;
  unsigned end = 0;
  bool operator==(const RebalanceHours&) const = default;
};

struct PluginConfig {
  unsigned threads = 0;  // of the routing run; 0: one for each core
  ThreadPriority thread_priority = ThreadPriority::kRealtime;
  HopTables hop_tables = HopTables::kAuto;
  unsigned log_irregularities = 20;                  // how many the log lists, when they have changed
  HostOrderWish host_order;                          // how jobs number hosts
  unsigned seed = 1;                                 // of the random engines
  SwitchPaths switch_paths = SwitchPaths::kSubtree;  // not kNone: incomplete tables are never uploaded
  SftreeBase sftree_base = SftreeBase::kFtree;
  std::string node_types;  // gxmodk, balanced: path of the file with types of hosts; empty: none
  GxmodkMode gxmodk_mode = GxmodkMode::kInterleaved;
  double storage_share = 0;         // gxmodk's auto
  std::string source_offsets_file;  // gxmodk, grouped, leiserson: where hosts' numbers are published; empty: nowhere
  std::string lid_choices_file;     // dragonfly-rlm, flows: where weights of LID offsets are published; empty: nowhere
  Objective objective;              // engine balanced: what is to be good
  unsigned balance_ms = 3000;       // engine balanced: how long it may improve on the closed form
  unsigned balance_wall_ms = 10'000;  // after which it gives up and takes the closed form; 0: never
  unsigned full_upload_every = 0;     // runs after which all tables are sent to all switches; 0: only what differs
  std::optional<unsigned> switch_sl;  // service level of what switches send to each other; else OpenSM's
  std::string flows_file;             // engines balanced, flows: path of the file with known flows; empty: none
  // Of the engine fors:
  std::string schedule_directory;  // where schedules are published; empty: nowhere
  WantedMode schedule_mode = WantedMode::kAuto;
  std::string schedule_participants;  // file of port GUIDs; empty: all hosts

  SwitchRules switches = {};  // roots, ranks and exclusions by name

  RepairWhen repair = RepairWhen::kAuto;
  Rebalance rebalance = Rebalance::kAuto;
  double rebalance_gain = 0.02;            // by which share new tables have to be better, 0 to 1
  double rebalance_moved = 0.001;          // from which share of repaired routes on new ones are searched for, 0 to 1
  unsigned rebalance_quiet_seconds = 300;  // after the last change of the fabric
  RebalanceHours rebalance_hours = {};
  unsigned max_blocks_per_sweep = 0;  // of 64 LIDs, that are sent where no route is lost; 0: no limit
  unsigned flap_hold_seconds = 0;     // how long a link that flaps has to be quiet; 0: links are believed
  std::string state_directory = {};   // where the reference outlives OpenSM; empty: nowhere

  std::string metrics_file = {};     // for Prometheus; empty: none
  std::string performance_log = {};  // a line of JSON for each run; empty: none

  bool operator==(const PluginConfig&) const = default;
};

// Lines of "key value"; '#' starts a comment. `file` is only for messages.
// Errors, each with its line: an unknown key, a key given twice, a missing, superfluous or malformed value.
[[nodiscard]] Result<PluginConfig> parse_config(std::string_view text, const std::string& file);

// Those that the options name and runs read.
[[nodiscard]] std::vector<std::string> input_files(const PluginConfig& config);

// What is wrong with the folders of those that runs write, which nobody would create; empty: nothing.
[[nodiscard]] std::string missing_folder(const PluginConfig& config);

// Where the package installs the file; read when event_plugin_options names none. That there is no such file is no
// error, whoever names it: all options have defaults.
inline constexpr const char* kDefaultPath = "/etc/opensm/espalier.conf";

// The file at `path`; that at kDefaultPath when `path` is empty. Errors: also a file that cannot be read.
[[nodiscard]] Result<PluginConfig> read_config(const std::string& path);

// Likewise, but a text that has not changed since the last call is not parsed again.
class LastConfig {
 public:
  [[nodiscard]] Result<PluginConfig> read(const std::string& path);

 private:
  std::string file_, text_;                   // as read last
  std::optional<Result<PluginConfig>> last_;  // what was in it
};

}  // namespace espalier
