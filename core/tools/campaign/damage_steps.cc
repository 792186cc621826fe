// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/damage_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace espalier::tools {
namespace {

constexpr unsigned kDefaultSteps = 7;
constexpr unsigned kMostSteps = 1000;
constexpr std::string_view kAdvice = "as in --damage links:0..30%/7,switches:0,8,2.5%";

struct DamageKind {
  std::string_view word;
  std::size_t Damage::*count;
};
constexpr std::array<DamageKind, 4> kKinds{{{"links", &Damage::links},
                                            {"switches", &Damage::switches},
                                            {"spines", &Damage::spines},
                                            {"endports", &Damage::endports}}};

const DamageKind* find_kind(std::string_view word) {
  const auto it = std::find_if(kKinds.begin(), kKinds.end(), [&](const DamageKind& kind) { return kind.word == word; });
  return it == kKinds.end() ? nullptr : &*it;
}

// "86", or "2.5%" of `of`; rounded to the nearest.
std::optional<double> parse_amount(std::string_view text, std::size_t of) {
  if (!text.ends_with('%')) {
    const auto count = parse_number<std::uint32_t>(text);
    return count ? std::optional<double>(*count) : std::nullopt;
  }
  const auto percent = parse_number<double>(text.substr(0, text.size() - 1), 0.0, 100.0);
  if (!percent) return std::nullopt;
  return std::round(*percent * static_cast<double>(of) / 100);
}

enum class Scale : std::uint8_t { kEven, kLogarithmic };

std::vector<double> amounts_between(double first, double last, unsigned steps, Scale scale) {
  std::vector<double> amounts;
  for (unsigned i = 0; i < steps; ++i) {
    const double part = i / static_cast<double>(steps - 1);
    amounts.push_back(scale == Scale::kEven ? std::round(first + part * (last - first))
                                            : std::round((1 + first) * std::pow((1 + last) / (1 + first), part) - 1));
  }
  return amounts;
}

// "A..B", "A..B/N", "A..B/Nlog", and a single amount. Where only B has a percent sign, A is in percent too.
Result<std::vector<double>> parse_amounts(std::string_view text, std::size_t of) {
  const auto refuse = [&] {
    return fail(fmt::format("\"{}\" is not an amount of damage", text), std::string(kAdvice));
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto amount = parse_amount(text, of);
    if (!amount) return refuse();
    return std::vector<double>{*amount};
  }
  std::string first(text.substr(0, dots));
  std::string_view last = text.substr(dots + 2);
  unsigned steps = kDefaultSteps;
  Scale scale = Scale::kEven;
  if (const std::size_t slash = last.find('/'); slash != std::string_view::npos) {
    std::string_view number = last.substr(slash + 1);
    last = last.substr(0, slash);
    if (number.ends_with("log")) {
      scale = Scale::kLogarithmic;
      number.remove_suffix(3);
    }
    const auto value = parse_number<unsigned>(number, 2, kMostSteps);
    if (!value)
      return fail(fmt::format("\"{}\" needs a number of steps from 2 to {} after the /", text, kMostSteps),
                  std::string(kAdvice));
    steps = *value;
  }
  if (last.ends_with('%') && !first.ends_with('%')) first += '%';
  const auto from = parse_amount(first, of);
  const auto to = parse_amount(last, of);
  if (!from || !to || *from > *to) return refuse();
  return amounts_between(*from, *to, steps, scale);
}

// The amounts of each kind, kinds in the order of the text.
using Wanted = std::vector<std::pair<const DamageKind*, std::set<std::size_t>>>;

std::set<std::size_t>& amounts_of(Wanted& wanted, const DamageKind* kind) {
  for (auto& [known, amounts] : wanted)
    if (known == kind) return amounts;
  return wanted.emplace_back(kind, std::set<std::size_t>()).second;
}

Status read_word(std::string_view word, const Damage& most, const DamageKind*& kind, Wanted& wanted) {
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    kind = find_kind(word.substr(0, colon));
    if (kind == nullptr)
      return fail(fmt::format("unknown kind of damage \"{}\"", word.substr(0, colon)),
                  "use links, switches, spines or endports");
    word.remove_prefix(colon + 1);
  }
  if (kind == nullptr)
    return fail(fmt::format("\"{}\" does not begin with a kind of damage", word), std::string(kAdvice));
  const std::size_t of = most.*(kind->count);
  ESPALIER_TRY(const auto amounts, parse_amounts(word, of));
  for (const double amount : amounts) {
    if (amount > static_cast<double>(of))
      return fail(fmt::format("cannot remove {} {}: the fabric has {}", amount, kind->word, of));
    amounts_of(wanted, kind).insert(static_cast<std::size_t>(amount));
  }
  return {};
}

}  // namespace

std::string in_words(const std::string& kind, std::size_t amount) {
  return counted(amount, kind == "switches" ? "switch" : kind.substr(0, kind.rfind('s')), kind);
}

Damage DamageStep::damage(std::uint64_t seed) const {
  Damage damage;
  damage.seed = seed;
  if (amount == 0) return damage;
  const DamageKind* which = find_kind(kind);
  check(which != nullptr, "a damage step has a kind");
  damage.*(which->count) = amount;
  return damage;
}

Result<std::vector<DamageStep>> parse_damage(std::string_view text, const Damage& most) {
  Wanted wanted;
  const DamageKind* kind = nullptr;
  if (!text.empty())
    for (const std::string_view word : split(text, ',')) ESPALIER_TRY_STATUS(read_word(word, most, kind, wanted));
  std::vector<DamageStep> steps;
  const bool has_none = std::any_of(wanted.begin(), wanted.end(), [](const auto& w) { return w.second.contains(0); });
  if (has_none || wanted.empty()) steps.emplace_back();
  for (const auto& [what, amounts] : wanted)
    for (const std::size_t amount : amounts)
      if (amount > 0) steps.push_back({std::string(what->word), amount, most.*(what->count)});
  return steps;
}

}  // namespace espalier::tools
