// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/metrics/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/io/export/json_text.h"

namespace espalier {
namespace {

constexpr std::array<std::string_view, 4> kHow{"routed", "started", "repaired", "declined"};
constexpr double kMsPerSecond = 1000;

// Of a label's value.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

class Text {
 public:
  void family(std::string_view metric, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP espalier_{} {}\n# TYPE espalier_{} {}\n", metric, help, metric, type);
  }
  void sample(std::string_view metric, std::string_view labels, double value) {
    text_ += labels.empty() ? fmt::format("espalier_{} {}\n", metric, value)
                            : fmt::format("espalier_{}{{{}}} {}\n", metric, labels, value);
  }
  void single(std::string_view metric, std::string_view type, std::string_view help, double value) {
    family(metric, type, help);
    sample(metric, "", value);
  }
  void count(std::string_view metric, std::string_view help, std::uint64_t value) {
    single(metric, "counter", help, static_cast<double>(value));
  }
  void gauge(std::string_view metric, std::string_view help, double value) { single(metric, "gauge", help, value); }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

void add_totals(const RunTotals& totals, Text& text) {
  text.family("runs_total", "counter", "Routing runs since OpenSM started, by what they did.");
  for (std::size_t how = 0; how < kHow.size(); ++how)
    text.sample("runs_total", fmt::format("run=\"{}\"", kHow[how]), static_cast<double>(totals.runs[how]));
  text.count("changed_entries_total", "Table entries that differed from what the switches had.",
             totals.changed_entries);
  text.count("changed_blocks_total", "Blocks of 64 LIDs that OpenSM was given to send.", totals.changed_blocks);
  text.count("repaired_routes_total", "Routes from a leaf to a host that were broken and got a new up-down path.",
             totals.repaired_routes);
  text.count("rebalances_total", "New references that searches have found.", totals.rebalances);
  text.single("lock_seconds_total", "counter", "Time in Espalier's callbacks, under OpenSM's lock.",
              totals.lock_seconds);
  text.gauge("lock_longest_seconds", "Time of the longest callback.", totals.longest_lock_seconds);
}

void add_last_run(const RunRecord& last, Text& text) {
  text.family("last_run_info", "gauge", "Engine and outcome of the last run; always 1.");
  text.sample("last_run_info", fmt::format("engine=\"{}\",run=\"{}\"", escaped(last.engine), name(last.how)), 1);
  text.gauge("last_run_timestamp_seconds", "Time of the last run.",
             std::chrono::duration<double>(last.when.time_since_epoch()).count());
  text.gauge("config_valid", "Whether espalier.conf was valid in the last run.", last.config_error.empty() ? 1 : 0);
  text.gauge("last_run_verified", "Whether the tables of the last run were proven sound.",
             last.how != RunRecord::How::kDeclined ? 1 : 0);
  text.gauge("last_run_lock_seconds", "Time for which the last run held OpenSM's lock.",
             last.under_lock_ms / kMsPerSecond);
  text.family("last_run_step_seconds", "gauge", "Time of each step of the last run.");
  const std::pair<std::string_view, double> steps[] = {{"snapshot", last.laps.snapshot},
                                                       {"rank", last.laps.rank},
                                                       {"route", last.laps.route},
                                                       {"verify", last.laps.verify},
                                                       {"apply", last.laps.apply}};
  for (const auto& [step, ms] : steps)
    text.sample("last_run_step_seconds", fmt::format("step=\"{}\"", step), ms / kMsPerSecond);
}

void add_fabric(const RunTotals& totals, Text& text) {
  text.gauge("switches", "Switches of the fabric.", static_cast<double>(totals.switches));
  text.gauge("endports", "End ports of the fabric.", static_cast<double>(totals.endports));
  text.gauge("irregularities", "Irregularities: what does not fit a perfect fat tree.",
             static_cast<double>(totals.irregularities));
  text.gauge("blocks_left", "Blocks that later sweeps will send.", static_cast<double>(totals.blocks_left));
  text.gauge("reference_entries", "Entries that differ from the reference.",
             static_cast<double>(totals.reference_entries));
}

// What not every run knows.
void add_optional(const RunRecord& last, Text& text) {
  if (last.reference_age_s)
    text.gauge("reference_age_seconds", "Time since the reference was made or read.", *last.reference_age_s);
  if (last.worst_load)
    text.gauge("worst_load_flows", "Flows on the fullest channel, under the worst of a sample of shifts.",
               *last.worst_load);
  if (last.mean_random_load)
    text.gauge("random_load_flows", "Flows on the fullest channel, mean over random permutations.",
               *last.mean_random_load);
  text.family("held_link", "gauge", "Flapping links that are treated as absent; always 1.");
  for (const std::string& held : last.holds) text.sample("held_link", fmt::format("link=\"{}\"", escaped(held)), 1);
}

}  // namespace

std::string_view name(RunRecord::How how) { return kHow[static_cast<std::size_t>(how)]; }

std::string json_line(const RunRecord& record) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const Laps& laps = record.laps;
  Json line{{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::time_point_cast<std::chrono::seconds>(record.when)))},
            {"engine", record.engine},
            {"run", name(record.how)},
            {"switches", record.switches},
            {"endports", record.endports},
            {"lids", record.lids},
            {"irregularities", record.irregularities},
            {"under_lock_ms", record.under_lock_ms},
            {"snapshot_ms", laps.snapshot},
            {"rank_ms", laps.rank},
            {"route_ms", laps.route},
            {"verify_ms", laps.verify},
            {"apply_ms", laps.apply},
            {"entries", record.changed_entries},
            {"blocks", record.changed_blocks},
            {"blocks_left", record.blocks_left},
            {"reference_entries", record.reference_entries},
            {"repaired_routes", record.repaired_routes},
            {"reference_age_s", or_null(record.reference_age_s)},
            {"rebalances", record.rebalances},
            {"worst_load", or_null(record.worst_load)},
            {"mean_random_load", or_null(record.mean_random_load)},
            {"holds", record.holds},
            {"verified", record.how != RunRecord::How::kDeclined}};
  if (!record.why_declined.empty()) line["why_declined"] = record.why_declined;
  if (!record.config_error.empty()) line["config_error"] = record.config_error;
  return json_text(line);
}

void RunTotals::add(const RunRecord& record) {
  ++runs[static_cast<std::size_t>(record.how)];
  changed_entries += record.changed_entries;
  changed_blocks += record.changed_blocks;
  repaired_routes += record.repaired_routes;
  lock_seconds += record.under_lock_ms / kMsPerSecond;
  longest_lock_seconds = std::max(longest_lock_seconds, record.under_lock_ms / kMsPerSecond);
  rebalances = std::max(rebalances, record.rebalances);
  if (record.how == RunRecord::How::kDeclined) return;
  switches = record.switches;
  endports = record.endports;
  irregularities = record.irregularities;
  blocks_left = record.blocks_left;
  reference_entries = record.reference_entries;
}

std::string prometheus_text(const RunTotals& totals, const RunRecord& last) {
  Text text;
  add_totals(totals, text);
  add_last_run(last, text);
  add_fabric(totals, text);
  add_optional(last, text);
  return std::move(text).take();
}

}  // namespace espalier
