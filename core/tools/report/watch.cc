// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier watch`: the plugin's routing runs in a terminal, from its performance_log.
#include "core/tools/report/watch.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/text.h"
#include "core/tools/command.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::streamoff kMostBytes = 1 << 20;  // of the end of the log
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

struct WatchOptions {
  std::string log;
  std::size_t runs = 20;
  double interval = 2;
  bool once = false;
  bool json = false;
};

struct Tail {
  std::vector<Json> runs;
  std::size_t num_others = 0;  // lines that are no runs
};

// The runs at the end of the log. A last line without its end is still being written.
Tail read_tail(const std::string& path) {
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there || !S_ISREG(status.st_mode))
    throw Refused{{is_there ? "this is no regular file" : "there is no such file", path, 0,
                   "name the performance_log of espalier.conf"}};
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Refused{{"it cannot be read", path, 0, {}}};
  const std::streamoff first = std::max<std::streamoff>(0, status.st_size - kMostBytes);
  file.seekg(first);
  Tail tail;
  std::string line;
  if (first > 0) std::getline(file, line);
  while (std::getline(file, line)) {
    if (file.eof()) break;
    Json run = Json::parse(line, nullptr, false);
    if (run.is_object() && run.contains("engine") && run.contains("under_lock_ms"))
      tail.runs.push_back(std::move(run));
    else
      ++tail.num_others;
  }
  if (tail.runs.empty() && tail.num_others > 0)
    throw Refused{
        {"not a line of performance_log", path, first == 0 ? 1 : 0, "name the performance_log of espalier.conf"}};
  return tail;
}

// A value as a cell; "-" where there is none.
std::string cell(const Json& run, const char* key, int decimals = 0) {
  const auto found = run.find(key);
  if (found == run.end() || found->is_null()) return "-";
  if (found->is_number()) return fmt::format("{:.{}f}", found->get<double>(), decimals);
  return found->is_string() ? printable(found->get<std::string>()) : found->dump();
}

std::string counted_cell(const Json& run, const char* key, const char* one, const char* many) {
  const std::string number = cell(run, key);
  return fmt::format("{} {}", number, number == "1" ? one : many);
}

std::string age_of_reference(const Json& run) {
  const std::string age = cell(run, "reference_age_s");
  return age == "-" ? "no reference" : fmt::format("reference {} s old", age);
}

void print_line(const Json& run, std::size_t name_width) {
  fmt::print("{:<20} {:<{}} {:<8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>9} {:>5} {:>5}\n", cell(run, "time"),
             cell(run, "engine"), name_width, cell(run, "run"), cell(run, "under_lock_ms", 1), cell(run, "route_ms", 1),
             cell(run, "verify_ms", 1), cell(run, "entries"), cell(run, "blocks"), cell(run, "repaired_routes"),
             cell(run, "worst_load"), cell(run, "irregularities"));
  for (const char* why : {"why_declined", "config_error"})
    if (run.contains(why)) fmt::print("{:>20} {}\n", "", cell(run, why));
}

void print_head(std::size_t name_width) {
  fmt::print("{:<20} {:<{}} {:<8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>9} {:>5} {:>5}\n", "time", "engine", name_width,
             "run", "lock ms", "route ms", "verify", "entries", "blocks", "repaired", "load", "irreg");
}

// The last run that knew the fabric: one that declines has looked at nothing.
const Json& last_to_look(const Tail& tail) {
  const auto found = std::find_if(tail.runs.rbegin(), tail.runs.rend(),
                                  [](const Json& run) { return cell(run, "run") != "declined"; });
  return found == tail.runs.rend() ? tail.runs.back() : *found;
}

void print_state(const Tail& tail) {
  const Json& last = last_to_look(tail);
  double longest = 0;
  std::size_t declined = 0;
  for (const Json& run : tail.runs) {
    if (run["under_lock_ms"].is_number()) longest = std::max(longest, run["under_lock_ms"].get<double>());
    declined += cell(run, "run") == "declined" ? 1 : 0;
  }
  fmt::print(
      "{} at the end of the log, {} declined, longest under OpenSM's lock {:.1f} ms\n"
      "{}: {}, {}, {}, {}, {}, {} off the reference\n",
      counted(tail.runs.size(), "run"), declined, longest,
      &last == &tail.runs.back() ? "now" : "before the engine declined",
      counted_cell(last, "switches", "switch", "switches"), counted_cell(last, "endports", "end port", "end ports"),
      counted_cell(last, "irregularities", "irregularity", "irregularities"), age_of_reference(last),
      counted_cell(last, "rebalances", "rebalance", "rebalances"),
      counted_cell(last, "reference_entries", "entry", "entries"));
  if (const auto holds = last.find("holds"); holds != last.end() && holds->is_array())
    for (const Json& held : *holds)
      if (held.is_string()) fmt::print("held, since it flaps: {}\n", printable(held.get<std::string>()));
  if (tail.num_others > 0) fmt::print("{} of a run\n", counted(tail.num_others, "line is not", "lines are not"));
}

void print_events_json(const WatchOptions& options, const Tail& tail) {
  const std::size_t count = std::min(options.runs, tail.runs.size());
  const std::vector<Json> last(tail.runs.end() - static_cast<std::ptrdiff_t>(count), tail.runs.end());
  print_json(Json{{"runs", last}, {"other_lines", tail.num_others}});
}

void show(const WatchOptions& options) {
  const Tail tail = read_tail(options.log);
  if (options.json) return print_events_json(options, tail);
  if (tail.runs.empty()) return fmt::print("no runs yet in {}\n", options.log);
  print_state(tail);
  fmt::print("\n");
  const std::size_t count = std::min(options.runs, tail.runs.size());
  const auto first = tail.runs.end() - static_cast<std::ptrdiff_t>(count);
  std::size_t name_width = 12;
  for (auto run = first; run != tail.runs.end(); ++run) name_width = std::max(name_width, cell(*run, "engine").size());
  print_head(name_width);
  for (auto run = first; run != tail.runs.end(); ++run) print_line(*run, name_width);
}

// A log that was there is rotated: for a moment there is none, or one that begins within a line.
void show_again(const WatchOptions& options) {
  try {
    show(options);
  } catch (const Refused& refused) {
    fmt::print("{}\n", refused.error.text());
  }
}

void watch(const WatchOptions& options) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  for (bool is_first = true;; is_first = false) {
    if (is_terminal && !options.once) fmt::print("{}", kClearScreen);
    if (is_first)
      show(options);
    else
      show_again(options);
    if (std::fflush(stdout) != 0 || options.once) return;
    std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
  }
}

}  // namespace

void add_watch(CLI::App& app) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* command = app.add_subcommand("watch", "Show the plugin's routing runs as they happen");
  command->add_option("LOG", options->log, "The file that performance_log in espalier.conf names")->required();
  command->add_option("-n,--last", options->runs, "How many past runs to show")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  CLI::Option* const once = command->add_flag("--once", options->once, "Print once and exit");
  command->add_option("--interval", options->interval, "Seconds between updates")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str()
      ->excludes(once);
  command->add_flag("--json", options->json, "Print one JSON object with the last runs; requires --once")->needs(once);
  command->footer(
      "Columns: what the run did (routed everything, started a search with first tables, repaired, declined),\n"
      "milliseconds under OpenSM's lock, entries and blocks that have changed, routes that had been broken,\n"
      "flows on the fullest channel under the worst of a sample of shifts.\n"
      "Example: after adding \"performance_log /var/log/espalier-runs.log\" to espalier.conf\n"
      "  espalier watch /var/log/espalier-runs.log");
  command->callback([options] { watch(*options); });
}

}  // namespace espalier::tools
