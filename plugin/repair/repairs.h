// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair and rebalance: the thread that makes the references (kept_reference.h) that routing runs repair.
//
// Inside OpenSM's lock a run repairs the reference (core/repair): milliseconds, and only what broke moves. Everything
// that takes longer happens in one thread of ours, without the lock, on values of its own, a search at low priority:
// preparing a reference, reading and writing state_directory, an engine's search, judging what it found. When the
// result is worth it, it becomes the reference, and OpenSM is asked for a sweep; the run in it finds the reference
// and repairs that. So tables change in one place, whatever the reason.
//
//   no reference, no state     where the engine takes long, a quick one at once (start_engine() in core/engines); the search follows
//   reference being prepared   the same: no run waits, except for the state file at the first run
//     of the engine itself     runs wait where its tables have lanes: nothing else is there as soon
//   options have changed       the old reference is repaired until the search with new options is done
//   another engine, levels     anew; so are tables that need more lanes than links have now
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/engines/routing_engine.h"
#include "core/repair/repairable_reference.h"
#include "plugin/config.h"
#include "plugin/repair/kept_reference.h"
#include "plugin/repair/policy.h"
#include "plugin/repair/routing_task.h"
#include "plugin/repair/saved_reference.h"

namespace espalier {

// What the thread has to do with the world. Called without any lock of ours, from any thread.
struct RepairOutlets {
  std::function<void(std::string_view)> info;
  std::function<void(std::string_view)> error;
  std::function<void()> request_sweep;
};

// Of tables that were repaired.
struct RepairFacts {
  double moved = 0;                // the share of routes that had to be repaired, 0 to 1
  bool has_new_equipment = false;  // that the reference does not know
  bool is_makeshift = false;       // made in little time: a search is to follow
};

class Repairs {
 public:
  explicit Repairs(RepairOutlets outlets) : outlets_(std::move(outlets)) {}
  // Waits for the thread, which ends with its present step.
  ~Repairs();
  Repairs(const Repairs&) = delete;
  Repairs& operator=(const Repairs&) = delete;

  // Starts to read the state, if any, so that it is there when the first run asks.
  void preload(const std::string& state_directory);

  // The reference that tables of this task are repaired from; null: there is none. Whoever uses its rows keeps it, as the
  // thread may take another.
  [[nodiscard]] std::shared_ptr<const RepairableReference> reference(const PluginConfig& config,
                                                                     const RoutingTask& task);
  // What the first run will get, for work ahead of it; it stays there. Null: none. Nothing: `stop` came before it was read.
  [[nodiscard]] std::optional<std::shared_ptr<const RepairableReference>> preview(const PluginConfig& config,
                                                                                  const RoutingTask& task,
                                                                                  const std::stop_token& stop);
  // What a run would get now, for work ahead of it. Null: none, or the run is to look at state_directory first.
  [[nodiscard]] std::shared_ptr<const RepairableReference> known_reference(const RoutingTask& task);
  // It cannot be repaired.
  void discard_reference();

  // Tables repaired from reference() are in use now. Returns at once.
  void in_use(const PluginConfig& config, RoutingTask task, const RepairFacts& facts);
  // Tables that the engine has made are in use now, and become the reference. kStart: they are not what it makes of its
  // options when it has time. Returns at once.
  enum class Made : std::uint8_t { kStart, kWhole };
  void in_use(const PluginConfig& config, RoutingTask task, Made made, std::shared_ptr<const Routing> routing);

  // OpenSM writes tables from pause() until resume(), a minute at most. The thread waits, since what it needs would come on top
  // of the memory and time that OpenSM's messages take; it reads state_directory all the same.
  void pause();
  void resume();

  // Asks for a sweep then; nothing: not any more.
  void sweep_at(std::optional<std::chrono::steady_clock::time_point> when);
  // Seconds since the reference was made or read; nothing: there is none.
  [[nodiscard]] std::optional<double> reference_age();
  // How often a search has made a new reference.
  [[nodiscard]] std::uint64_t num_rebalances() const { return num_rebalances_; }

 private:
  using Clock = KeptReference::Clock;
  struct Fresh {
    RoutingTask task;
    std::shared_ptr<const Routing> routing;
    bool is_first_choice = true;
  };

  void wake();
  [[nodiscard]] bool is_paused();
  [[nodiscard]] std::optional<Clock::time_point> next_date() const;
  void wait_for_news(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void plan(const PluginConfig& config, RoutingTask task, std::uint64_t print, RunFacts facts);
  void work(const std::stop_token& stop);
  void step(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void prepare(Fresh fresh);
  void extend_known(const RoutingTask& task);
  void search(const RoutingTask& task, double least_gain, const std::stop_token& stop);
  void save(const std::string& directory, const std::shared_ptr<const RepairableReference>& prepared);
  void save_known();
  [[nodiscard]] bool is_overwritten() const;
  [[nodiscard]] bool is_overtaken_by_others();
  void await_preparation(std::unique_lock<std::mutex>& lock, const RoutingTask& task);
  void take_state(std::unique_lock<std::mutex>& lock, const RoutingTask& task);

  RepairOutlets outlets_;

  std::mutex mutex_;  // of all below
  std::condition_variable_any changed_;
  std::optional<KeptReference> known_;
  std::string directory_;  // state_directory of the last run
  SavedReference saved_{mutex_, changed_};
  std::optional<Fresh> fresh_;                       // to be prepared
  bool is_preparing_ = false;                        // the thread
  std::shared_ptr<const RoutingTask> to_extend_by_;  // the reference, by new equipment
  bool has_to_save_ = false;                         // the reference, which state_directory does not have
  std::optional<SearchPlan> plan_;
  bool has_grown_ = false;                   // since the last search
  bool is_searching_ = false;                // the thread
  bool is_told_to_ = false;                  // rebalance, since the last search
  std::optional<Rebalance> last_rebalance_;  // the option in the last run
  std::shared_ptr<const RoutingTask> latest_;
  std::uint64_t latest_print_ = 0;    // of fabric and options of the last run
  std::uint64_t searched_print_ = 0;  // of those that were searched for last
  Clock::time_point last_change_;
  std::optional<Clock::time_point> sweep_at_;
  std::optional<Clock::time_point> paused_until_;  // at the latest
  std::atomic<std::uint64_t> num_rebalances_ = 0;
  std::string last_save_error_;  // of the thread

  bool has_news_ = false;  // for the thread, when it waits
  std::jthread thread_;    // last: ends first
};

}  // namespace espalier
