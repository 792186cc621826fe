// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/metrics/metrics.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/io/append_file.h"
#include "core/io/file.h"
#include "plugin/exception_guard.h"
#include "plugin/repair/table_quality.h"
#include "plugin/thread_priority.h"

namespace espalier {

Metrics::~Metrics() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Metrics::note(const PluginConfig& config, RunRecord record, TablesInUse tables) {
  if (!wants_metrics(config)) return;
  const std::lock_guard lock(mutex_);
  for (Item& item : items_) item.tables = {};
  items_.push_back({std::move(record), std::move(tables), config.metrics_file, config.performance_log});
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  changed_.notify_all();
}

void Metrics::work(const std::stop_token& stop) {
  const BackgroundThread background;
  tbb::task_arena(1).execute([&] {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, stop, [&] { return !items_.empty(); });
      if (!stop.stop_requested()) leave_to_run(lock);
      if (items_.empty()) return;  // and told to stop
      Item item = std::move(items_.front());
      items_.pop_front();
      lock.unlock();
      with_exception_guard(
          [&] {
            if (item.tables.fabric && !stop.stop_requested()) {
              const TableQuality quality = table_quality(*item.tables.fabric, item.tables.tables, item.tables.hosts);
              item.record.worst_load = static_cast<std::uint32_t>(std::lround(quality.worst_shift));
              item.record.mean_random_load = quality.mean_random;
            }
            write(item);
          },
          [&](const char* what) { tell(what); });
      item = {};
      lock.lock();
    }
  });
}

void Metrics::write(const Item& item) {
  totals_.add(item.record);
  std::vector<std::string> errors;
  if (!item.performance_log.empty())
    if (const Status ok = append_to_file(item.performance_log, json_line(item.record) + "\n"); !ok)
      errors.push_back("performance_log: " + ok.error().text());
  if (!item.metrics_file.empty())
    if (const Status ok = write_file(item.metrics_file, prometheus_text(totals_, item.record), WriteTo::kRegularFile);
        !ok)
      errors.push_back("metrics_file: " + ok.error().text());
  tell(fmt::format("{}", fmt::join(errors, "; ")));
}

void Metrics::tell(const std::string& what) {
  if (!what.empty() && what != last_error_) error_(what);
  last_error_ = what;
}

}  // namespace espalier
