// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A routing run, begun before OpenSM asks for it. A subnet manager that has become master sends each port its partitions,
// then its LID, and waits for all answers before it routes; later, when it has discovered the subnet once more, it looks
// after partitions and LIDs first. What routes depend on is known by then, but for new LIDs, which can be foreseen. So a
// thread takes a snapshot, ranks, routes or repairs and verifies meanwhile, before the first run once more if the LIDs turn
// out to be others. The run takes a snapshot of its own all the same, and uses what has been done only where this finds the
// very same fabric. On a small subnet, where answers come soon and all of it takes milliseconds, the thread goes first; else
// it has the priority that all of OpenSM has.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "plugin/prefault.h"
#include "plugin/repair/tables_ahead.h"
#include "plugin/run.h"

struct osm_opensm;
struct osm_subn;

namespace espalier {

class HeadStart {
 public:
  // For the engine that OpenSM will ask first, in the memory that `memory` has asked for by then. `state` is that of the
  // runs: what they have found is looked at, no more. `goes_first`: as far as it takes little time.
  HeadStart(osm_opensm& osm, std::string engine, bool goes_first, Prefault& memory, PluginState& state);
  HeadStart(const HeadStart&) = delete;
  HeadStart& operator=(const HeadStart&) = delete;

  // OpenSM has discovered the subnet: a thread begins, unless one is still at work. REQUIRES: the caller is OpenSM's
  // sweeping thread.
  void begin();
  // A run begins: the thread begins nothing new. Returns at once. REQUIRES: OpenSM's lock is held.
  void stop();
  // Gives `state` what has been found, and leaves what is under way to it. REQUIRES: stop() was called, and OpenSM's lock
  // has been held since; state.config and state.opensm are those of the run.
  void hand_over(std::string_view engine, PluginState& state);

 private:
  void work(const std::stop_token& stop);
  void start_first(const std::stop_token& stop);
  void start_later(const std::stop_token& stop);
  void take_start(LidsRead lids, const std::stop_token& stop);
  [[nodiscard]] bool is_possible() const;
  [[nodiscard]] bool goes_first() const { return early_.config.thread_priority == ThreadPriority::kRealtime; }
  [[nodiscard]] bool wait_until(bool (*is_so)(const osm_subn&), const std::stop_token& stop);
  void copy_state();
  [[nodiscard]] bool look(LidsRead lids, const std::stop_token& stop);
  [[nodiscard]] std::optional<RoutingTask> look_closer();
  [[nodiscard]] std::optional<std::shared_ptr<const RepairableReference>> reference_of(const RoutingTask& task,
                                                                                       const std::stop_token& stop);
  [[nodiscard]] TablesAhead tables_of(RoutingTask task, std::shared_ptr<const RepairableReference> reference);
  [[nodiscard]] Result<std::shared_ptr<const SoundRouting>> route(const RoutingTask& task);
  void make(const TablesAhead& tables, std::shared_ptr<const SoundRouting>& sound);
  [[nodiscard]] std::optional<TablesAhead> plan(const std::stop_token& stop,
                                                std::shared_ptr<const SoundRouting>& sound);
  void tell(std::optional<TablesAhead> tables);

  osm_opensm& osm_;
  std::string engine_;
  bool begins_first_;  // by the options that it began with
  Prefault& memory_;
  PluginState& state_;                              // of the runs
  PluginState early_;                               // as far as looking has filled it
  std::shared_ptr<const Fabric> fabric_;            // for the thread alone: what it has looked at last
  LidsRead lids_;                                   // likewise: before later runs
  IdVector<SwitchId, McastSupport> mcast_support_;  // likewise, of an engine with lanes
  std::shared_ptr<UploadAhead> upload_;             // one at a time
  std::mutex mutex_;                                // of what follows
  std::condition_variable_any changed_;
  bool has_run_ = false;     // OpenSM has asked for routes
  bool is_first_ = true;     // the run that the thread works for; stays while it does
  bool is_working_ = false;  // the thread
  bool is_looking_ = false;  // the thread is at `early_`
  bool has_looked_ = false;  // and nobody has been given it
  std::optional<TablesAhead> tables_;
  std::jthread thread_;  // last: ends first
};

}  // namespace espalier
