// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/tools/campaign/damage_steps.h"
#include "core/tools/campaign/record_text.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using Draws = std::vector<const Json*>;

constexpr std::size_t kFingerprintShown = 4;  // digits

// What tells runs apart besides the draw, the damage and the engine, and what a table calls it.
struct RunSetting {
  const char* field;
  const char* word;
};
constexpr std::array<RunSetting, 4> kSettings{
    {{"patterns", "patterns"}, {"order", "hosts by"}, {"lid_offset", "LID offset"}, {"types", "types"}}};

std::string text_of(const Json& record, const char* field) {
  return record.contains(field) && record.at(field).is_string() ? record.at(field).get<std::string>() : "";
}

// The names of files that several fabrics have.
std::set<std::string> shared_names(const std::vector<Json>& records) {
  std::map<std::string, std::set<std::string>> fingerprints;
  for (const Json& record : records) fingerprints[text_of(record, "fabric")].insert(text_of(record, "fingerprint"));
  std::set<std::string> shared;
  for (const auto& [fabric, all] : fingerprints)
    if (all.size() > 1) shared.insert(fabric);
  return shared;
}

// Those in which the records differ.
std::vector<RunSetting> settings_that_differ(const std::vector<Json>& records) {
  std::vector<RunSetting> differing;
  for (const RunSetting& setting : kSettings)
    if (std::any_of(records.begin(), records.end(), [&](const Json& record) {
          return text_of(record, setting.field) != text_of(records.front(), setting.field);
        }))
      differing.push_back(setting);
  return differing;
}

std::string damage_of(const Json& record) {
  const auto amount = record.value("amount", std::uint64_t{0});
  return amount == 0 ? "none" : in_words(text_of(record, "damage"), amount);
}

// "balanced", "balanced in OpenSM", "minhop", "ftree -> minhop": OpenSM went on with another one.
std::string engine_of(const Json& record) {
  const std::string asked = text_of(record, "engine");
  const std::string engine = asked + (text_of(record, "via") == "plugin" ? " in OpenSM" : "");
  const std::string used = text_of(record, "engine_used");
  return used.empty() || used == asked ? engine : engine + " -> " + used;
}

// "balanced, LID offset all".
std::string engine_and_settings(const Json& record, const std::vector<RunSetting>& settings) {
  std::string text = engine_of(record);
  for (const RunSetting& setting : settings)
    if (const std::string value = text_of(record, setting.field); !value.empty())
      text += fmt::format(", {} {}", setting.word, value);
  return text;
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
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
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

// One line of the table: runs that differ only in the draw.
struct Line {
  std::string fabric;
  std::string engine;
  Draws draws;
};

// The last record of each run that succeeded: of one that was repeated (--retry, --bound) no other counts.
std::map<std::string, const Json*> routed_runs(const std::vector<Json>& records) {
  std::map<std::string, const Json*> last;
  for (const Json& record : records)
    if (text_of(record, "outcome") == "routed") last[name_of_record(record)] = &record;
  return last;
}

// In the order of the records.
std::vector<Line> lines_of(const std::vector<Json>& records) {
  const std::set<std::string> shared = shared_names(records);
  const std::vector<RunSetting> settings = settings_that_differ(records);
  const std::map<std::string, const Json*> routed = routed_runs(records);
  std::map<std::string, std::size_t> number;  // of a line
  std::vector<Line> lines;
  for (const Json& record : records) {
    Line line{text_of(record, "fabric"), engine_and_settings(record, settings), {}};
    if (shared.contains(line.fabric)) line.fabric += " " + text_of(record, "fingerprint").substr(0, kFingerprintShown);
    const bool failed = text_of(record, "outcome") != "routed";
    if (const auto run = routed.find(name_of_record(record)); run != routed.end() && run->second != &record) continue;
    const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}", line.fabric, text_of(record, "fingerprint"),
                                        damage_of(record), line.engine, failed ? text_of(record, "reason") : "");
    const auto [at, is_new] = number.try_emplace(key, lines.size());
    if (is_new) lines.push_back(std::move(line));
    lines[at->second].draws.push_back(&record);
  }
  return lines;
}

}  // namespace

std::string record_table(const std::vector<Json>& records) {
  constexpr const char* kLine = "{:<20} {:<12} {:<20} {:>7} {:>7} {:>12} {:>8} {:>10} {:>10}\n";
  std::string text =
      fmt::format(kLine, "fabric", "damage", "engine", "hosts", "all", "worst shift", "random", "SM waits", "search");
  for (const auto& [fabric, engine, draws] : lines_of(records)) {
    const Json& first = *draws.front();
    if (text_of(first, "outcome") != "routed") {
      text += fmt::format("{:<20} {:<12} {:<20} failed: {}\n", printable(fabric), damage_of(first), printable(engine),
                          printable(text_of(first, "reason")));
      continue;
    }
    text += fmt::format(kLine, printable(fabric), damage_of(first), printable(engine), sound_in(draws, "sound_hosts"),
                        sound_in(draws, "sound"), median(draws, "mu_sp_max"), median(draws, "mu_rp_median"),
                        median_ms(draws, "ms"), median_ms(draws, "search_ms"));
  }
  return text +
         R"(hosts, all: tables sound for traffic between hosts alone, for all traffic: nothing is lost, no loop, and no credit
loop, in which packets wait for one another for ever. A -> B: A declined, and OpenSM used B. worst shift, random:
flows on the fullest channel in the worst shift (host i sends to host i + k), in the median of random permutations; 1
is perfect. SM waits: milliseconds in which OpenSM does nothing else. search: milliseconds in which the plugin then
improves the tables while OpenSM goes on, about balance_ms of an idle machine; the figures are those of the improved
tables. Of several trials each figure is the median.
)";
}

}  // namespace espalier::tools
