// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which parent of stable_form.h, and which port of its group, each LID wants before a switch looks at what it has left: a row
// of places for each level at which a path may turn, shared by all switches with as many parents and the same divider.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engines/modulo/pattern_row.h"

namespace espalier {

class WantedPlaces {
 public:
  // `targets`: by the level at which a path turns. LIDs are below `width`.
  WantedPlaces(const std::vector<LidTargets>& targets, std::size_t num_switches, std::size_t width)
      : targets_(targets), num_switches_(num_switches), width_(width), rows_(targets.size()) {}

  // REQUIRES: at most 254 ports in all groups.
  void set_shape(const PatternShape& shape) {
    if (shape == shape_) return;
    shape_ = shape;
    for (auto& row : rows_) row.reset();
  }
  // Parent * group size + port within its group, per LID.
  [[nodiscard]] const PatternRow& turning_at(std::size_t level) {
    if (!rows_[level]) rows_[level] = row(targets_[level]);
    return *rows_[level];
  }

 private:
  [[nodiscard]] PatternRow row(const LidTargets& targets) const {
    const FastDivider divider(shape_.divider);
    const FastDivider modulus(shape_.num_groups);
    return {num_switches_, targets, width_, [&](std::uint32_t id, std::uint32_t k) {
              const std::uint32_t quotient = divider.quotient(id) + divider.quotient(k);
              return modulus.remainder(quotient) * shape_.group_size + modulus.quotient(quotient) % shape_.group_size;
            }};
  }

  const std::vector<LidTargets>& targets_;
  std::size_t num_switches_;
  std::size_t width_;
  PatternShape shape_;
  std::vector<std::optional<PatternRow>> rows_;
};

}  // namespace espalier
