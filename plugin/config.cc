// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/fabric/lanes.h"
#include "core/io/file.h"
#include "core/io/lists/switch_rules_file.h"
#include "core/io/scanner.h"
#include "core/io/spelling.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsOfADay = 86'400;

// "a, b or c"
std::string any_of(std::span<const std::string_view> words) {
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

Result<unsigned> number(std::string_view key, std::string_view word, unsigned most) {
  if (const auto value = parse_number<unsigned>(word, 0, most)) return *value;
  return fail(fmt::format("{} must be a number from 0 to {}, not \"{}\"", key, most, word));
}

Result<std::optional<unsigned>> service_level(std::string_view key, std::string_view word) {
  if (word == "none") return std::optional<unsigned>{};
  return number(key, word, kNumSls - 1).map([](unsigned sl) { return std::optional(sl); });
}

Result<RebalanceHours> hours(std::string_view key, std::string_view word) {
  if (word == "always") return RebalanceHours{};
  const std::size_t dash = word.find('-');
  const auto begin = parse_number<unsigned>(word.substr(0, dash), 0, RebalanceHours::kDay);
  const auto end =
      dash == word.npos ? std::nullopt : parse_number<unsigned>(word.substr(dash + 1), 0, RebalanceHours::kDay);
  if (begin && end && *begin % RebalanceHours::kDay != *end % RebalanceHours::kDay)
    return RebalanceHours{*begin % RebalanceHours::kDay, *end % RebalanceHours::kDay};
  return fail(fmt::format("{} must be always or two different hours from 0 to 24, as in 22-6, not \"{}\"", key, word));
}

// ---- one line of the table below each ----

// Sets the option `Member` to what a word says.
using Setter = Status (*)(PluginConfig& config, std::string_view key, std::string_view word);

template <auto Member>
Status to_text(PluginConfig& config, std::string_view, std::string_view word) {
  config.*Member = word;
  return {};
}

template <auto Member, unsigned Most>
Status to_number(PluginConfig& config, std::string_view key, std::string_view word) {
  return number(key, word, Most).map([&](unsigned value) { config.*Member = value; });
}

template <auto Member>
Status to_share(PluginConfig& config, std::string_view key, std::string_view word) {
  const auto share = parse_number(word, 0.0, 1.0);
  if (!share) return fail(fmt::format("{} must be a number from 0 to 1, not \"{}\"", key, word));
  config.*Member = *share;
  return {};
}

// One of the first `Count` names.
template <auto Member, const auto& Names, std::size_t Count = Names.all().size()>
Status to_named(PluginConfig& config, std::string_view key, std::string_view word) {
  const auto value = Names.find(word);
  if (!value || static_cast<std::size_t>(*value) >= Count)
    return fail(fmt::format("{} must be {}, not \"{}\"", key, any_of(Names.all().first(Count)), word));
  config.*Member = *value;
  return {};
}

template <auto Member, auto Parse>
Status to_parsed(PluginConfig& config, std::string_view key, std::string_view word) {
  const auto parse = [&] {
    if constexpr (std::is_invocable_v<decltype(Parse), std::string_view>)
      return Parse(word);
    else
      return Parse(key, word);
  };
  return parse().map([&](auto value) { config.*Member = std::move(value); });
}

struct Option {
  std::string_view key;
  Setter set;
};
using C = PluginConfig;
constexpr Option kOptions[] = {
    {"threads", to_number<&C::threads, 1024>},
    {"thread_priority", to_named<&C::thread_priority, kThreadPriorityNames>},
    {"hop_tables", to_named<&C::hop_tables, kHopTablesNames>},
    {"log_irregularities", to_number<&C::log_irregularities, 1'000'000>},
    {"host_order", to_parsed<&C::host_order, parse_host_order>},
    {"seed", to_number<&C::seed, std::numeric_limits<unsigned>::max()>},
    {"switch_paths", to_named<&C::switch_paths, kSwitchPathsNames, 2>},  // not none: no incomplete tables
    {"sftree_base", to_named<&C::sftree_base, kSftreeBaseNames>},
    {"switch_sl", to_parsed<&C::switch_sl, service_level>},
    {"balance_ms", to_number<&C::balance_ms, 60'000>},
    {"objective", to_parsed<&C::objective, parse_objective>},
    {"balance_wall_ms", to_number<&C::balance_wall_ms, 3'600'000>},
    {"full_upload_every", to_number<&C::full_upload_every, 1'000'000>},
    {"repair", to_named<&C::repair, kRepairWhenNames>},
    {"rebalance", to_named<&C::rebalance, kRebalanceNames>},
    {"rebalance_gain", to_share<&C::rebalance_gain>},
    {"rebalance_moved", to_share<&C::rebalance_moved>},
    {"rebalance_quiet_seconds", to_number<&C::rebalance_quiet_seconds, 7 * kSecondsOfADay>},
    {"rebalance_hours", to_parsed<&C::rebalance_hours, hours>},
    {"max_blocks_per_sweep", to_number<&C::max_blocks_per_sweep, 1'000'000'000>},
    {"flap_hold_seconds", to_number<&C::flap_hold_seconds, kSecondsOfADay>},
    {"state_directory", to_text<&C::state_directory>},
    {"metrics_file", to_text<&C::metrics_file>},
    {"performance_log", to_text<&C::performance_log>},
    {"node_types", to_text<&C::node_types>},
    {"flows_file", to_text<&C::flows_file>},
    {"gxmodk_mode", to_named<&C::gxmodk_mode, kGxmodkModeNames>},
    {"storage_share", to_share<&C::storage_share>},
    {"source_offsets_file", to_text<&C::source_offsets_file>},
    {"lid_choices_file", to_text<&C::lid_choices_file>},
    {"schedule_directory", to_text<&C::schedule_directory>},
    {"schedule_mode", to_named<&C::schedule_mode, kWantedModeNames>},
    {"schedule_participants", to_text<&C::schedule_participants>},
};

// Of all lines, rules for switches included (switch_rules_file.h).
std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const Option& option : kOptions) keys.emplace_back(option.key);
  for (const char* of_rule : {"root", "rank", "exclude", "spine_threshold"}) keys.emplace_back(of_rule);
  return keys;
}

std::string valid_keys() { return fmt::format("valid keys are {}", fmt::join(known_keys(), ", ")); }

tl::unexpected<Error> unknown_option(std::string_view key) {
  const std::string suggestion = did_you_mean(key, known_keys());
  return fail(fmt::format("unknown option \"{}\"{}", key, suggestion), suggestion.empty() ? valid_keys() : "");
}

bool is_option(std::string_view word) {
  return std::ranges::any_of(kOptions, [&](const Option& option) { return option.key == word; });
}

Status assign(PluginConfig& config, std::string_view key, std::string_view word) {
  for (const Option& option : kOptions)
    if (option.key == key) return option.set(config, key, word);
  return unknown_option(key);
}

}  // namespace

Result<PluginConfig> parse_config(std::string_view text, const std::string& file) {
  PluginConfig config;
  std::set<std::string_view> seen;
  io::Lines lines(text);
  while (const std::optional<std::string_view> next = lines.next()) {
    const std::string_view whole = *next;
    const int line = lines.number();
    const auto words = io::words_of(io::without_comment(whole));
    if (words.empty()) continue;
    if (is_switch_rule(words[0])) {
      if (const Status ok = read_switch_rule(io::without_comment_word(whole), config.switches); !ok)
        return fail_at(file, line, ok.error().message, ok.error().advice);
      continue;
    }
    if (words.size() != 2)
      return fail_at(
          file, line, fmt::format("a line must be \"key value\", but this one has {}", counted(words.size(), "word")),
          is_option(words[0]) ? fmt::format("{} takes one value, without blanks in it", words[0]) : valid_keys());
    if (!seen.insert(words[0]).second) return fail_at(file, line, fmt::format("{} is given twice", words[0]));
    if (const Status ok = assign(config, words[0], words[1]); !ok)
      return fail_at(file, line, ok.error().message, ok.error().advice);
  }
  return config;
}

std::vector<std::string> input_files(const PluginConfig& config) {
  std::vector<std::string> files;
  for (const std::string* file : {&config.node_types, &config.flows_file, &config.schedule_participants})
    if (!file->empty()) files.push_back(*file);
  for (const HostOrderWish::File& file : config.host_order.files) files.push_back(file.path);
  return files;
}

std::string missing_folder(const PluginConfig& config) {
  const std::pair<const char*, const std::string*> written[] = {
      {"state_directory", &config.state_directory},   {"metrics_file", &config.metrics_file},
      {"performance_log", &config.performance_log},   {"source_offsets_file", &config.source_offsets_file},
      {"lid_choices_file", &config.lid_choices_file}, {"schedule_directory", &config.schedule_directory},
  };
  for (const auto& [key, text] : written) {
    const fs::path path(*text);
    const fs::path folder = (path.has_filename() ? path : path.parent_path()).parent_path();
    if (folder.empty()) continue;
    std::error_code error;
    const bool is_there = fs::is_directory(folder, error) || error == std::errc::permission_denied;
    if (!is_there) return fmt::format("{} {}: there is no folder {}; create it", key, *text, folder.string());
  }
  return {};
}

Result<PluginConfig> read_config(const std::string& path) { return LastConfig().read(path); }

Result<PluginConfig> LastConfig::read(const std::string& path) {
  const std::string file = path.empty() ? kDefaultPath : path;
  if (file == kDefaultPath && ::access(file.c_str(), F_OK) != 0 && errno == ENOENT) return PluginConfig{};
  auto text = read_file(file);
  if (!text) return fail_at(file, 0, text.error().message, "event_plugin_options in opensm.conf names this file");
  if (!last_ || file != file_ || *text != text_) {
    last_ = parse_config(*text, file);
    file_ = file;
    text_ = *std::move(text);
  }
  return *last_;
}

}  // namespace espalier
