// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <random>
#include <utility>

namespace espalier {
namespace {

constexpr std::uint32_t kDefaultPermutations = 1000;
constexpr std::uint32_t kMaxParameter = 1'000'000;

Result<TrafficPattern> parse_pattern(std::string_view word) {
  const std::size_t colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  TrafficPattern pattern;
  if (kind == "sp") {
    pattern = {TrafficPattern::Kind::kShifts, 1};
  } else if (kind == "rp") {
    pattern = {TrafficPattern::Kind::kRandomPermutations, kDefaultPermutations};
  } else if (word != "a2a") {
    return fail(fmt::format("\"{}\" is no traffic pattern", word), "use a2a, sp, sp:STEP, rp or rp:R");
  }
  if (colon == std::string_view::npos) return pattern;
  const std::string_view number = word.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pattern.parameter);
  if (error != std::errc() || end != number.data() + number.size() || pattern.parameter == 0 ||
      pattern.parameter > kMaxParameter)
    return fail(fmt::format("\"{}\" in \"{}\" is no number from 1 to {}", number, word, kMaxParameter));
  return pattern;
}

// 0 .. bound-1 without the bias of a plain modulo. std::uniform_int_distribution differs between libraries.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t bound) {
  const std::uint64_t usable = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  std::uint64_t value = random();
  while (value >= usable) value = random();
  return value % bound;
}

}  // namespace

std::string TrafficPattern::text() const {
  switch (kind) {
    case Kind::kAllToAll:
      return "a2a";
    case Kind::kShifts:
      return parameter == 1 ? "sp" : fmt::format("sp:{}", parameter);
    case Kind::kRandomPermutations:
      return fmt::format("rp:{}", parameter);
  }
  return {};
}

Result<std::vector<TrafficPattern>> parse_patterns(std::string_view list) {
  std::vector<TrafficPattern> patterns;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    Result<TrafficPattern> pattern = parse_pattern(list.substr(begin, end - begin));
    if (!pattern) return tl::unexpected<Error>(pattern.error());
    patterns.push_back(*pattern);
    begin = end + 1;
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

}  // namespace espalier
