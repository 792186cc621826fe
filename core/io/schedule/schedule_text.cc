// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule/schedule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "core/base/number.h"
#include "core/base/sort_unique.h"
#include "core/base/text.h"

namespace espalier {
namespace {

// Enough for any subnet, and a guard against a text that would fill the memory.
constexpr std::uint32_t kMostPhases = 1'000'000;
constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 27;

template <class Number>
bool parse(std::string_view word, Number& number) {
  const std::optional<Number> value = parse_number<Number>(word);
  number = value.value_or(Number{});
  return value.has_value();
}

bool parse_hex_guid(std::string_view word, std::uint64_t& guid) {
  guid = word.starts_with("0x") ? parse_hex_digits(word.substr(2)).value_or(0) : 0;
  return guid != 0;
}

// The words of a line; words beyond the array are counted only.
std::size_t split_words(std::string_view line, std::array<std::string_view, 4>& words) {
  constexpr std::string_view kBlank = " \t\r";
  std::size_t count = 0;
  for (std::size_t at = line.find_first_not_of(kBlank); at != line.npos; at = line.find_first_not_of(kBlank, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    if (count < words.size()) words[count] = line.substr(at, end - at);
    ++count;
    at = end;
  }
  return count;
}

std::optional<ScheduleMode> mode_named(std::string_view word) {
  for (const ScheduleMode mode : {ScheduleMode::kSpine, ScheduleMode::kBlock, ScheduleMode::kPaths})
    if (word == name(mode)) return mode;
  return std::nullopt;
}

// What the header says of the flows behind it, as far as it does.
struct Told {
  std::optional<std::uint32_t> phases;
  std::optional<std::uint64_t> flows;
};

struct Line {
  std::uint32_t phase = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint16_t dlid = 0;
  int number = 0;
};

// Takes a "# key value" line into the header. Returns whether the value is a good one; other remarks are.
bool read_header(const std::array<std::string_view, 4>& words, std::size_t count, Schedule& schedule, Told& told) {
  if (count != 3 || words[0] != "#") return true;
  if (words[1] == "epoch") return parse(words[2], schedule.epoch);
  if (words[1] == "bound") return parse(words[2], schedule.bound);
  if (words[1] == "lmc") return parse(words[2], schedule.lmc) && schedule.lmc <= kMaxLmc;
  if (words[1] == "phases") return parse(words[2], told.phases.emplace()) && *told.phases <= kMostPhases;
  if (words[1] == "flows") return parse(words[2], told.flows.emplace());
  if (words[1] != "mode") return true;
  const auto mode = mode_named(words[2]);
  if (mode) schedule.mode = *mode;
  return mode.has_value();
}

Result<Schedule> assemble(Schedule schedule, const std::vector<Line>& lines, const Told& told,
                          const std::string& file_name) {
  if (lines.empty())
    return fail_at(file_name, 0, "not a schedule: it contains no flow", "create one with espalier schedule --text");
  if (told.flows && *told.flows != lines.size())
    return fail_at(
        file_name, 0,
        fmt::format("{} where its head says {}: the text is not whole", counted(lines.size(), "flow"), *told.flows),
        "create it again");
  const std::optional<std::uint32_t> phases = told.phases;
  for (const Line& line : lines) {
    if (phases && line.phase >= *phases)
      return fail_at(file_name, line.number,
                     fmt::format("phase {} in a schedule of {} phases, which are counted from 0", line.phase, *phases));
    schedule.phases = std::max(schedule.phases, line.phase + 1);
    for (const std::uint64_t guid : {line.from, line.to}) schedule.servers.push_back(Guid{guid});
  }
  if (phases) schedule.phases = *phases;
  sort_unique(schedule.servers);
  if (schedule.servers.size() * std::uint64_t{schedule.phases} > kMostSlots)
    return fail_at(
        file_name, 0,
        fmt::format("{} servers and {} phases are too many for a schedule", schedule.servers.size(), schedule.phases));
  schedule.sends.assign(schedule.servers.size() * schedule.phases, {});
  for (const Line& line : lines) {
    Send& send = schedule.at(*schedule.find_server(Guid{line.from}), line.phase);
    if (send.destination != Send::kIdle)
      return fail_at(file_name, line.number, fmt::format("0x{:016x} sends twice in phase {}", line.from, line.phase));
    send = {*schedule.find_server(Guid{line.to}), Lid{line.dlid}};
  }
  return schedule;
}

}  // namespace

std::string write_schedule_text(const Schedule& schedule) {
  std::string text = fmt::format(
      "# espalier schedule\n# epoch {}\n# phases {}\n# bound {}\n# mode {}\n# lmc {}\n# servers {}\n# flows {}\n",
      schedule.epoch, schedule.phases, schedule.bound, name(schedule.mode), schedule.lmc, schedule.servers.size(),
      std::count_if(schedule.sends.begin(), schedule.sends.end(),
                    [](const Send& send) { return send.destination != Send::kIdle; }));
  for (std::size_t phase = 0; phase < schedule.phases; ++phase)
    for (std::size_t s = 0; s < schedule.servers.size(); ++s)
      if (const Send& send = schedule.at(s, phase); send.destination != Send::kIdle)
        fmt::format_to(std::back_inserter(text), "{} 0x{:016x} 0x{:016x} {}\n", phase, index(schedule.servers[s]),
                       index(schedule.servers[send.destination]), index(send.dlid));
  return text;
}

Result<Schedule> read_schedule_text(std::string_view text, const std::string& file_name) {
  Schedule schedule;
  Told told;
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::array<std::string_view, 4> words;
    const std::size_t count = split_words(text.substr(0, end), words);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (count == 0) continue;
    if (words[0].starts_with('#')) {
      if (!read_header(words, count, schedule, told))
        return fail_at(file_name, number, fmt::format("\"{}\" is not a valid value for {}", words[2], words[1]));
      continue;
    }
    Line line;
    line.number = number;
    if (count != 4 || !parse(words[0], line.phase) || line.phase >= kMostPhases ||
        !parse_hex_guid(words[1], line.from) || !parse_hex_guid(words[2], line.to) || !parse(words[3], line.dlid))
      return fail_at(file_name, number, "a flow must be \"PHASE 0xSOURCE 0xDESTINATION LID\"",
                     "create such lines with espalier schedule --text");
    lines.push_back(line);
  }
  return assemble(std::move(schedule), lines, told, file_name);
}

}  // namespace espalier
