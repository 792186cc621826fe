// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "core/engines/engines.h"

namespace espalier {
namespace {

using Time = std::chrono::system_clock::time_point;

constexpr double kWhatever = -1;

// Whether files for those who send go with its tables, which a repair does not bring up to date.
bool has_companions(const PluginConfig& config, const EngineTraits& traits) {
  return traits.exchange || traits.node_types == EngineTraits::NodeTypes::kAlways ||
         !config.source_offsets_file.empty() || (traits.lanes && !config.lid_choices_file.empty());
}

// The first moment from `at` on within the hours of the window, local time.
Time in_window(Time at, const RebalanceHours& hours) {
  if (hours.begin == hours.end) return at;
  std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return at;
  constexpr int kDay = RebalanceHours::kDay;
  const int from_begin = (local.tm_hour - static_cast<int>(hours.begin) + kDay) % kDay;
  const int length = (static_cast<int>(hours.end) - static_cast<int>(hours.begin) + kDay) % kDay;
  if (from_begin < length) return at;
  return at + std::chrono::hours(kDay - from_begin) - std::chrono::minutes(local.tm_min) -
         std::chrono::seconds(local.tm_sec);
}

}  // namespace

bool may_mix_tables(const PluginConfig& config, std::string_view engine) {
  const EngineTraits traits = traits_of(engine);
  return !traits.lanes && !has_companions(config, traits);
}

bool wants_repair(const PluginConfig& config, std::string_view engine, const Fabric& fabric) {
  if (has_companions(config, traits_of(engine)) || config.switches.any()) return false;
  if (config.repair == RepairWhen::kAuto) return is_slow(engine, fabric);
  return config.repair == RepairWhen::kAlways;
}

TableOrigin origin_of(std::string_view engine, const PluginConfig& config, const InputVersions& inputs,
                      unsigned max_vls) {
  const Objective& goal = config.objective;
  std::string options =
      fmt::format("seed={} balance_ms={} objective={},{},{},{},{} switch_paths={} sftree_base={} files={:x} order={}",
                  config.seed, config.balance_ms, goal.shifts, goal.random, goal.phases, goal.offsets, goal.flows,
                  static_cast<int>(config.switch_paths), static_cast<int>(config.sftree_base), inputs.files,
                  static_cast<int>(config.host_order.by));
  for (const HostOrderWish::File& file : config.host_order.files) options += fmt::format(",{}", file.weight);
  if (traits_of(engine).lanes) options += fmt::format(" vls={}", max_vls);
  return {fmt::format("{} levels={:x}", engine, inputs.lists), std::move(options)};
}

RoutingTask make_task(const PluginConfig& config, std::string_view engine, const InputVersions& inputs,
                      std::shared_ptr<const Fabric> fabric, std::shared_ptr<const FatTree> tree,
                      EngineOptions options) {
  RoutingTask task{std::string(engine), origin_of(engine, config, inputs, options.max_vls), std::move(fabric),
                   std::move(tree), std::move(options)};
  task.may_be_repaired = wants_repair(config, engine, *task.fabric);
  if (task.may_be_repaired) task.start = start_engine(engine, *task.fabric, task.options);
  return task;
}

std::optional<SearchPlan> plan_search(const PluginConfig& config, const RunFacts& facts) {
  if (facts.is_told_to) return SearchPlan{facts.now, kWhatever};
  if (facts.was_searched) return std::nullopt;
  if (facts.has_new_options) return SearchPlan{facts.now, kWhatever};
  if (!facts.is_first_choice) return SearchPlan{facts.now, facts.is_makeshift ? kWhatever : config.rebalance_gain};
  const bool is_moved = facts.moved > 0 || facts.has_new_equipment;
  if (config.rebalance == Rebalance::kNow && is_moved) return SearchPlan{facts.now, kWhatever};
  if (config.rebalance != Rebalance::kAuto) return std::nullopt;
  if (facts.moved < config.rebalance_moved && !facts.has_new_equipment) return std::nullopt;
  const Time quiet = facts.last_change + std::chrono::seconds(config.rebalance_quiet_seconds);
  return SearchPlan{in_window(std::max(quiet, facts.now), config.rebalance_hours),
                    facts.has_new_equipment ? 0 : config.rebalance_gain};
}

}  // namespace espalier
