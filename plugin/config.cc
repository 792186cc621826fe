// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/file.h"
#include "core/io/lists/switch_rules_file.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxListed = 1'000'000;
constexpr unsigned kMaxSl = 15;
constexpr unsigned kMaxBalanceMs = 60'000;
constexpr unsigned kMaxWallMs = 3'600'000;
constexpr unsigned kMaxQuietSeconds = 604'800;  // a week
constexpr unsigned kMaxHoldSeconds = 86'400;
constexpr unsigned kMaxHour = 24;
constexpr unsigned kMaxRuns = 1'000'000;
constexpr unsigned kMaxSeed = std::numeric_limits<unsigned>::max();
constexpr std::string_view kKeys =
    "valid keys are threads, hop_tables, log_irregularities, host_order, seed, switch_paths, sftree_base, switch_sl, "
    "balance_ms, "
    "objective, balance_wall_ms, full_upload_every, "
    "repair, rebalance, rebalance_gain, rebalance_moved, rebalance_quiet_seconds, rebalance_hours, flap_hold_seconds, "
    "state_directory, "
    "metrics_file, performance_log, "
    "node_types, flows_file, gxmodk_mode, storage_share, source_offsets_file, schedule_directory, schedule_mode, "
    "schedule_participants, root, rank, exclude and spine_threshold";

Result<unsigned> number(std::string_view key, std::string_view word, unsigned most) {
  if (const auto value = parse_number<unsigned>(word, 0, most)) return *value;
  return fail(fmt::format("{} must be a number from 0 to {}, not \"{}\"", key, most, word));
}

Result<HopTables> hop_tables(std::string_view word) {
  if (word == "auto") return HopTables::kAuto;
  if (word == "all") return HopTables::kAll;
  if (word == "none") return HopTables::kNone;
  return fail(fmt::format("hop_tables must be auto, all or none, not \"{}\"", word));
}

Result<SwitchPaths> switch_paths(std::string_view word) {
  if (word == "subtree") return SwitchPaths::kSubtree;
  if (word == "updown") return SwitchPaths::kUpDown;
  return fail(fmt::format("switch_paths must be subtree or updown, not \"{}\"", word));
}

Result<SftreeBase> sftree_base(std::string_view word) {
  if (word == "ftree") return SftreeBase::kFtree;
  if (word == "dmodc") return SftreeBase::kDmodc;
  return fail(fmt::format("sftree_base must be ftree or dmodc, not \"{}\"", word));
}

Result<GxmodkMode> gxmodk_mode(std::string_view word) {
  if (word == "interleaved") return GxmodkMode::kInterleaved;
  if (word == "grouped") return GxmodkMode::kGrouped;
  if (word == "auto") return GxmodkMode::kAuto;
  return fail(fmt::format("gxmodk_mode must be interleaved, grouped or auto, not \"{}\"", word));
}

Result<double> share(std::string_view key, std::string_view word) {
  if (const auto share = parse_number(word, 0.0, 1.0)) return *share;
  return fail(fmt::format("{} must be a number from 0 to 1, not \"{}\"", key, word));
}

Result<std::optional<unsigned>> switch_sl(std::string_view word) {
  if (word == "none") return std::optional<unsigned>{};
  return number("switch_sl", word, kMaxSl).map([](unsigned sl) { return std::optional(sl); });
}

Result<WantedMode> schedule_mode(std::string_view word) {
  if (const auto mode = parse_mode(word)) return *mode;
  return fail(fmt::format("schedule_mode must be auto, spine or block, not \"{}\"", word));
}

Result<RepairWhen> repair_when(std::string_view word) {
  if (word == "auto") return RepairWhen::kAuto;
  if (word == "always") return RepairWhen::kAlways;
  if (word == "never") return RepairWhen::kNever;
  return fail(fmt::format("repair must be auto, always or never, not \"{}\"", word));
}

Result<Rebalance> rebalance(std::string_view word) {
  if (word == "never") return Rebalance::kNever;
  if (word == "auto") return Rebalance::kAuto;
  if (word == "now") return Rebalance::kNow;
  return fail(fmt::format("rebalance must be never, auto or now, not \"{}\"", word));
}

Result<RebalanceHours> rebalance_hours(std::string_view word) {
  if (word == "always") return RebalanceHours{};
  const std::size_t dash = word.find('-');
  const auto begin = parse_number<unsigned>(word.substr(0, dash), 0, kMaxHour);
  const auto end = dash == word.npos ? std::nullopt : parse_number<unsigned>(word.substr(dash + 1), 0, kMaxHour);
  if (begin && end && *begin % kMaxHour != *end % kMaxHour) return RebalanceHours{*begin % kMaxHour, *end % kMaxHour};
  return fail(
      fmt::format("rebalance_hours must be always or two different hours from 0 to 24, as in 22-6, not \"{}\"", word));
}

Status assign_repair(PluginConfig& config, std::string_view key, std::string_view value) {
  const auto keep = [](auto& option) { return [&option](auto parsed) { option = parsed; }; };
  if (key == "repair") return repair_when(value).map(keep(config.repair));
  if (key == "rebalance") return rebalance(value).map(keep(config.rebalance));
  if (key == "rebalance_gain") return share(key, value).map(keep(config.rebalance_gain));
  if (key == "rebalance_moved") return share(key, value).map(keep(config.rebalance_moved));
  if (key == "rebalance_hours") return rebalance_hours(value).map(keep(config.rebalance_hours));
  if (key == "rebalance_quiet_seconds")
    return number(key, value, kMaxQuietSeconds).map(keep(config.rebalance_quiet_seconds));
  if (key == "flap_hold_seconds") return number(key, value, kMaxHoldSeconds).map(keep(config.flap_hold_seconds));
  if (key == "metrics_file") return (config.metrics_file = value, Status{});
  if (key == "performance_log") return (config.performance_log = value, Status{});
  if (key == "state_directory") return (config.state_directory = value, Status{});
  return fail(fmt::format("unknown option \"{}\"", key), std::string(kKeys));
}

Status assign(PluginConfig& config, std::string_view key, std::string_view value) {
  const auto keep = [](auto& option) { return [&option](auto parsed) { option = parsed; }; };
  if (key == "threads") return number(key, value, kMaxThreads).map(keep(config.threads));
  if (key == "log_irregularities") return number(key, value, kMaxListed).map(keep(config.log_irregularities));
  if (key == "hop_tables") return hop_tables(value).map(keep(config.hop_tables));
  if (key == "host_order") return parse_host_order(value).map(keep(config.host_order));
  if (key == "seed") return number(key, value, kMaxSeed).map(keep(config.seed));
  if (key == "switch_paths") return switch_paths(value).map(keep(config.switch_paths));
  if (key == "sftree_base") return sftree_base(value).map(keep(config.sftree_base));
  if (key == "switch_sl") return switch_sl(value).map(keep(config.switch_sl));
  if (key == "objective") return parse_objective(value).map(keep(config.objective));
  if (key == "balance_ms") return number(key, value, kMaxBalanceMs).map(keep(config.balance_ms));
  if (key == "balance_wall_ms") return number(key, value, kMaxWallMs).map(keep(config.balance_wall_ms));
  if (key == "full_upload_every") return number(key, value, kMaxRuns).map(keep(config.full_upload_every));
  if (key == "gxmodk_mode") return gxmodk_mode(value).map(keep(config.gxmodk_mode));
  if (key == "storage_share") return share(key, value).map(keep(config.storage_share));
  if (key == "node_types") return (config.node_types = value, Status{});
  if (key == "flows_file") return (config.flows_file = value, Status{});
  if (key == "source_offsets_file") return (config.source_offsets_file = value, Status{});
  if (key == "schedule_mode") return schedule_mode(value).map(keep(config.schedule_mode));
  if (key == "schedule_directory" || key == "schedule_participants") {
    (key == "schedule_directory" ? config.schedule_directory : config.schedule_participants) = value;
    return {};
  }
  return assign_repair(config, key, value);
}

}  // namespace

Result<PluginConfig> parse_config(std::string_view text, const std::string& file) {
  PluginConfig config;
  std::set<std::string_view> seen;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    const auto words = io::words_of(io::without_comment(whole));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    if (is_switch_rule(words[0])) {
      if (const Status ok = read_switch_rule(io::without_comment_word(whole), config.switches); !ok)
        return fail_at(file, line, ok.error().message, ok.error().advice);
      continue;
    }
    if (words.size() != 2)
      return fail_at(file, line,
                     fmt::format("a line must be \"key value\", but this one has {}", counted(words.size(), "word")),
                     std::string(kKeys));
    if (!seen.insert(words[0]).second) return fail_at(file, line, fmt::format("{} is given twice", words[0]));
    if (const Status ok = assign(config, words[0], words[1]); !ok)
      return fail_at(file, line, ok.error().message, ok.error().advice);
  }
  return config;
}

Result<PluginConfig> read_config(const std::string& path) {
  const std::string file = path.empty() ? kDefaultPath : path;
  if (file == kDefaultPath && ::access(file.c_str(), F_OK) != 0 && errno == ENOENT) return PluginConfig{};
  const auto text = read_file(file);
  if (!text) return fail_at(file, 0, text.error().message, "event_plugin_options in opensm.conf names this file");
  return parse_config(*text, file);
}

}  // namespace espalier
