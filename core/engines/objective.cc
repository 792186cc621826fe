// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/objective.h"

#include <fmt/format.h>

#include <set>

#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/try.h"

namespace espalier {
namespace {

constexpr const char* kAdvice =
    "write default, or a list of sp, rp, a2a, matrix, phase and offsets, each with or without =WEIGHT: sp=2,rp";

Status add(Objective& objective, std::string_view name, double weight) {
  if (name == "sp")
    objective.shifts = weight;
  else if (name == "rp" || name == "a2a")
    objective.random += weight;
  else if (name == "matrix")
    objective.flows = weight;
  else if (name == "phase")
    objective.phases = true;
  else if (name == "offsets")
    objective.offsets = true;
  else
    return fail(fmt::format("\"{}\" is not a pattern for an objective", name), kAdvice);
  return {};
}

}  // namespace

Result<Objective> parse_objective(std::string_view words) {
  if (words == "default") return Objective{};
  Objective objective{.shifts = 0, .random = 0, .phases = false, .offsets = false, .flows = 0};
  std::set<std::string_view> seen;
  for (const std::string_view word : split(words, ',')) {
    const std::string_view name = word.substr(0, word.find('='));
    double weight = 1;
    if (name.size() < word.size()) {
      const std::string_view digits = word.substr(name.size() + 1);
      weight = parse_number<double>(digits).value_or(0);
      if (!(weight > 0 && weight <= 1e6)) return fail(fmt::format("\"{}\" is not a weight above 0", digits), kAdvice);
    }
    if (!seen.insert(name).second) return fail(fmt::format("{} is given twice", name), kAdvice);
    ESPALIER_TRY_STATUS(add(objective, name, weight));
  }
  if (objective.shifts == 0 && objective.random == 0)
    return fail("an objective without sp, rp and a2a leaves nothing to balance", kAdvice);
  return objective;
}

}  // namespace espalier
