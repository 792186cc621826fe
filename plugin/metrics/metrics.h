// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Writes metrics_file and performance_log, in a thread of low priority: no disk holds OpenSM's lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/table_rows.h"
#include "plugin/config.h"
#include "plugin/metrics/run_record.h"

namespace espalier {

// Tables whose loads are to be told of.
struct TablesInUse {
  std::shared_ptr<const Fabric> fabric;  // null: there are none
  TableRows tables;
  std::shared_ptr<const void> owner;  // of these rows
  std::vector<EndportId> hosts;       // as jobs number them
};

[[nodiscard]] inline bool wants_metrics(const PluginConfig& config) {
  return !config.metrics_file.empty() || !config.performance_log.empty();
}

class Metrics {
 public:
  // `error`: called from the thread, once for each way in which a file cannot be written.
  explicit Metrics(std::function<void(std::string_view)> error) : error_(std::move(error)) {}
  // Writes what is left to be written, without loads, and ends the thread.
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Returns at once. When runs follow so fast that loads cannot be counted, only the last one's are.
  void note(const PluginConfig& config, RunRecord record, TablesInUse tables);

 private:
  struct Item {
    RunRecord record;
    TablesInUse tables;
    std::string metrics_file, performance_log;
  };
  void work(const std::stop_token& stop);
  void write(const Item& item);
  void tell(const std::string& what);

  std::function<void(std::string_view)> error_;
  RunTotals totals_;        // of the thread
  std::string last_error_;  // of the thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Item> items_;
  std::jthread thread_;
};

}  // namespace espalier
