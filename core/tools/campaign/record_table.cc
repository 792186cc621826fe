// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/tools/campaign/damage_steps.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using Draws = std::vector<const Json*>;

std::string damage_of(const Json& record) {
  const auto amount = record.value("amount", std::uint64_t{0});
  return amount == 0 ? "none" : in_words(record.value("damage", ""), amount);
}

// "balanced", "balanced in OpenSM", "minhop", "ftree -> minhop": OpenSM went on with another one.
std::string engine_of(const Json& record) {
  const std::string engine = record.value("engine", "") + (record.value("via", "") == "plugin" ? " in OpenSM" : "");
  const auto used = record.value("engine_used", "");
  return used.empty() || used == record.value("engine", "") ? engine : engine + " -> " + used;
}

// "yes", "no", or in how many of several draws.
std::string sound_in(const Draws& draws, const char* field) {
  const auto known = std::count_if(draws.begin(), draws.end(), [&](const Json* r) { return r->contains(field); });
  if (known == 0) return "-";
  const auto sound = std::count_if(draws.begin(), draws.end(), [&](const Json* r) { return r->value(field, false); });
  if (draws.size() == 1) return sound == 1 ? "yes" : "NO";
  return fmt::format("{}/{}", sound, draws.size());
}

std::optional<double> median_of(const Draws& draws, const char* field) {
  std::vector<double> values;
  for (const Json* record : draws)
    if (record->contains(field)) values.push_back(record->at(field).get<double>());
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string median(const Draws& draws, const char* field) {
  const std::optional<double> value = median_of(draws, field);
  if (!value) return "-";
  return fmt::format("{:.{}f}", *value, *value == std::floor(*value) ? 0 : 2);
}

std::string median_ms(const Draws& draws, const char* field) {
  const std::optional<double> value = median_of(draws, field);
  return value ? fmt::format("{:.{}f}", *value, *value < 10 ? 1 : 0) : "-";
}

}  // namespace

std::string record_table(const std::vector<Json>& records) {
  std::map<std::string, std::size_t> number;  // of a line
  std::vector<Draws> lines;
  for (const Json& record : records) {
    const bool failed = record.value("outcome", "") != "routed";
    const std::string key = fmt::format("{}\n{}\n{}\n{}", record.value("fabric", ""), damage_of(record),
                                        engine_of(record), failed ? record.value("reason", "") : "");
    const auto [at, is_new] = number.try_emplace(key, lines.size());
    if (is_new) lines.emplace_back();
    lines[at->second].push_back(&record);
  }
  constexpr const char* kLine = "{:<20} {:<12} {:<20} {:>7} {:>7} {:>12} {:>8} {:>10} {:>10}\n";
  std::string text =
      fmt::format(kLine, "fabric", "damage", "engine", "hosts", "all", "worst shift", "random", "SM waits", "search");
  for (const Draws& draws : lines) {
    const Json& first = *draws.front();
    const std::string fabric = printable(first.value("fabric", ""));
    if (first.value("outcome", "") != "routed") {
      text += fmt::format("{:<20} {:<12} {:<20} failed: {}\n", fabric, damage_of(first), printable(engine_of(first)),
                          printable(first.value("reason", "")));
      continue;
    }
    text += fmt::format(kLine, fabric, damage_of(first), printable(engine_of(first)), sound_in(draws, "sound_hosts"),
                        sound_in(draws, "sound"), median(draws, "mu_sp_max"), median(draws, "mu_rp_median"),
                        median_ms(draws, "ms"), median_ms(draws, "search_ms"));
  }
  return text +
         "hosts, all: tables sound for traffic between hosts alone, for all traffic. worst shift, random: flows on "
         "the\n"
         "fullest channel in the worst shift, in the median of random permutations; 1 is perfect. SM waits: "
         "milliseconds\n"
         "in which OpenSM does nothing else. search: milliseconds in which the plugin then improves the tables while "
         "OpenSM\n"
         "goes on, about balance_ms of an idle machine; the figures are those of the improved tables.\n";
}

}  // namespace espalier::tools
