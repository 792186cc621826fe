// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <utility>

#include "core/base/check.h"
#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/try.h"

namespace espalier {
namespace {

using PatternKind = TrafficPattern::Kind;

constexpr std::uint32_t kDefaultDraws = 1000;
constexpr std::uint32_t kMostDraws = 100'000;
constexpr std::uint32_t kMaxParameter = 1'000'000;
constexpr double kDefaultStandardError = 0.05;

struct Word {
  PatternKind kind;
  std::string_view name;
};

constexpr std::array<Word, 14> kWords{{{PatternKind::kAllToAll, "a2a"},
                                       {PatternKind::kShifts, "sp"},
                                       {PatternKind::kRandomPermutations, "rp"},
                                       {PatternKind::kBisections, "bisect"},
                                       {PatternKind::kTwoWayBisections, "bibisect"},
                                       {PatternKind::kRings, "ring"},
                                       {PatternKind::kTwoWayRings, "biring"},
                                       {PatternKind::kScatter, "scatter"},
                                       {PatternKind::kGather, "gather"},
                                       {PatternKind::kTypePhases, "phase"},
                                       {PatternKind::kMatrix, "matrix"},
                                       {PatternKind::kAdversarialGlobal, "advg"},
                                       {PatternKind::kAdversarialLocal, "advl"},
                                       {PatternKind::kAdversarialMixed, "mixed"}}};

Status set_count(TrafficPattern& pattern, std::string_view text, std::string_view word) {
  if (const auto count = parse_number<std::uint32_t>(text, 1, kMaxParameter))
    return (pattern.parameter = *count, Status{});
  return fail(fmt::format("\"{}\" in \"{}\" is not a number from 1 to {}", text, word, kMaxParameter));
}

Status set_stop(TrafficPattern& pattern, const std::vector<std::string_view>& parts, std::string_view word) {
  pattern.parameter = kMostDraws;
  pattern.standard_error = kDefaultStandardError;
  if (parts.size() == 2) return {};
  if (const auto error = parse_number<double>(parts[2]); error && *error > 0)
    return (pattern.standard_error = *error, Status{});
  return fail(fmt::format("\"{}\" in \"{}\" is not a standard error above 0", parts[2], word));
}

Status set_parameters(TrafficPattern& pattern, const std::vector<std::string_view>& parts, std::string_view word) {
  const std::size_t given = parts.size() - 1;
  if (pattern.kind == PatternKind::kTypePhases) {
    if (given != 2 || parts[1].empty() || parts[2].empty())
      return fail(fmt::format("\"{}\" must name two types of hosts", word), "write phase:A:B");
    pattern.from = parts[1];
    pattern.to = parts[2];
  } else if (pattern.kind == PatternKind::kMatrix) {
    if (given == 0 || parts[1].empty()) return fail(fmt::format("\"{}\" must name a file", word), "write matrix:FILE");
    pattern.from = word.substr(word.find(':') + 1);
  } else if (pattern.kind == PatternKind::kAdversarialMixed) {
    const auto local = given == 3 ? parse_number<std::uint32_t>(parts[2], 1, kMaxParameter) : std::nullopt;
    const auto percent = given == 3 ? parse_number<std::uint32_t>(parts[3], 0, 100) : std::nullopt;
    if (!local || !percent)
      return fail(fmt::format("\"{}\" needs a group distance, a router distance and a percentage", word),
                  "write mixed:N:M:P");
    pattern.local = *local;
    pattern.percent = *percent;
    return set_count(pattern, parts[1], word);
  } else if (pattern.is_adversarial()) {
    if (given != 1) return fail(fmt::format("\"{}\" needs a distance", word), "write advg:1 or advl:1");
    return set_count(pattern, parts[1], word);
  } else if (pattern.is_random()) {
    pattern.parameter = kDefaultDraws;
    if (given > 0 && parts[1] == "auto" && given < 3) return set_stop(pattern, parts, word);
    if (given == 1) return set_count(pattern, parts[1], word);
    if (given > 0) return fail(fmt::format("\"{}\" has too many parameters", word));
  } else if (pattern.kind == PatternKind::kShifts && given == 1) {
    return set_count(pattern, parts[1], word);
  } else if (given > 0) {
    return fail(fmt::format("\"{}\" has too many parameters", word));
  }
  return {};
}

Result<TrafficPattern> parse_pattern(std::string_view word) {
  const std::vector<std::string_view> parts = split(word, ':');
  const auto known = std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.name == parts[0]; });
  if (known == kWords.end()) {
    std::string names;
    for (const Word& w : kWords) names += fmt::format("{}{}", names.empty() ? "" : ", ", w.name);
    return fail(fmt::format("\"{}\" is not a traffic pattern", word), "the patterns are " + names);
  }
  TrafficPattern pattern{.kind = known->kind};
  ESPALIER_TRY_STATUS(set_parameters(pattern, parts, word));
  return pattern;
}

// 0 .. bound-1 without the bias of a plain modulo. std::uniform_int_distribution differs between libraries.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t bound) {
  const std::uint64_t usable = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  std::uint64_t value = random();
  while (value >= usable) value = random();
  return value % bound;
}

// Of the hosts in a random order the first half, and each one's partner in the second.
std::vector<std::uint32_t> bisection(const std::vector<std::uint32_t>& order, PatternKind kind) {
  std::vector<std::uint32_t> destinations(order.size());
  std::iota(destinations.begin(), destinations.end(), 0U);
  const std::size_t half = order.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    destinations[order[i]] = order[half + i];
    if (kind == PatternKind::kTwoWayBisections) destinations[order[half + i]] = order[i];
  }
  return destinations;
}

std::vector<std::uint32_t> ring(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> destinations(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) destinations[order[i]] = order[(i + 1) % order.size()];
  return destinations;
}

}  // namespace

std::string_view TrafficPattern::name() const { return kWords.at(static_cast<std::size_t>(kind)).name; }

std::string TrafficPattern::text() const {
  if (kind == PatternKind::kTypePhases) return fmt::format("{}:{}:{}", name(), from, to);
  if (kind == PatternKind::kMatrix) return fmt::format("{}:{}", name(), from);
  if (kind == PatternKind::kAdversarialMixed) return fmt::format("{}:{}:{}:{}", name(), parameter, local, percent);
  if (is_adversarial() || (kind == PatternKind::kShifts && parameter > 1))
    return fmt::format("{}:{}", name(), parameter);
  if (!is_random()) return std::string(name());
  return standard_error > 0 ? fmt::format("{}:auto:{}", name(), standard_error)
                            : fmt::format("{}:{}", name(), parameter);
}

bool TrafficPattern::is_adversarial() const { return kind >= PatternKind::kAdversarialGlobal; }

bool TrafficPattern::is_random() const {
  return kind >= PatternKind::kRandomPermutations && kind <= PatternKind::kTwoWayRings;
}

bool TrafficPattern::has_permutations() const { return kind >= PatternKind::kShifts && kind <= PatternKind::kRings; }

Result<std::vector<TrafficPattern>> parse_patterns(std::string_view list) {
  std::vector<TrafficPattern> patterns;
  for (const std::string_view word : split(list, ',')) {
    ESPALIER_TRY(TrafficPattern pattern, parse_pattern(word));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

std::vector<std::uint32_t> shift_distances(std::size_t num_hosts, std::uint32_t step) {
  std::vector<std::uint32_t> distances;
  for (std::size_t k = 1; k < num_hosts; k += step) distances.push_back(static_cast<std::uint32_t>(k));
  return distances;
}

std::vector<std::uint32_t> shift_permutation(std::size_t num_hosts, std::uint32_t k) {
  std::vector<std::uint32_t> destinations(num_hosts);
  for (std::size_t i = 0; i < num_hosts; ++i) destinations[i] = static_cast<std::uint32_t>((i + k) % num_hosts);
  return destinations;
}

std::vector<std::uint32_t> random_permutation(std::size_t num_hosts, std::uint64_t seed, std::uint32_t number) {
  std::seed_seq mix{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), number};
  std::mt19937_64 random(mix);
  std::vector<std::uint32_t> destinations(num_hosts);
  std::iota(destinations.begin(), destinations.end(), 0U);
  for (std::size_t i = num_hosts; i > 1; --i) std::swap(destinations[i - 1], destinations[draw_below(random, i)]);
  return destinations;
}

std::size_t num_permutations(std::size_t num_hosts, const TrafficPattern& pattern) {
  check(pattern.has_permutations(), "num_permutations: a pattern of other phases");
  if (pattern.kind != PatternKind::kShifts) return pattern.parameter;
  return num_hosts < 2 ? 0 : (num_hosts - 2) / pattern.parameter + 1;
}

std::vector<std::uint32_t> permutation(std::size_t num_hosts, const TrafficPattern& pattern, std::uint64_t seed,
                                       std::uint32_t number) {
  check(number < num_permutations(num_hosts, pattern), "permutation: no such phase");
  if (pattern.kind == PatternKind::kShifts) return shift_permutation(num_hosts, 1 + number * pattern.parameter);
  std::vector<std::uint32_t> drawn = random_permutation(num_hosts, seed, number);
  if (pattern.kind == PatternKind::kRandomPermutations) return drawn;
  return pattern.kind == PatternKind::kRings ? ring(drawn) : bisection(drawn, pattern.kind);
}

}  // namespace espalier
