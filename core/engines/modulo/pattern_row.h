// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A closed form apart from ports: at which place among its candidates a switch finds the port for each LID, if these are
// `num_groups` groups of `group_size` ports each. It depends on nothing but the divider and these two numbers, so whole
// levels of a tree share one pattern, and each switch only looks up its own ports in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/lid_targets.h"
#include "core/engines/modulo/fast_divide.h"
#include "core/fabric/ids.h"
#include "core/tree/fat_tree.h"

namespace espalier {

struct PatternShape {
  std::uint32_t divider = 1;
  std::uint32_t num_groups = 0;  // 0: this switch has no pattern
  std::uint32_t group_size = 1;
  auto operator<=>(const PatternShape&) const = default;
};

// A choice by (4.7) and (4.8) of closed_form.h, for offset k of a LID range.
struct ModuloChoice {
  std::uint32_t quotient = 0;  // of the id by the divider
  std::uint32_t turn = 0;      // of k by the divider

  [[nodiscard]] std::uint32_t group(const FastDivider& by_groups) const { return by_groups.remainder(quotient + turn); }
  [[nodiscard]] std::size_t port(const FastDivider& by_groups, std::size_t group_size) const {
    if (group_size == 1) return 0;
    return (by_groups.quotient(quotient) + by_groups.quotient(turn)) % group_size;
  }
};

// (4.7) and (4.8) for all offsets of one LID range: the ports among these groups, C(s,t) in order. `by_groups` divides by
// their number, `divider` by the switch's.
inline void spread_by_modulo(const FatTree& tree, std::span<const PortGroup* const> groups, const LidTarget& target,
                             const FastDivider& divider, const FastDivider& by_groups, PortNum* entries) {
  for (std::uint32_t k = 0; k < (1U << target.lmc); ++k) {
    const ModuloChoice choice{divider.quotient(target.id), k == 0 ? 0 : divider.quotient(k)};
    const auto ports = tree.ports(*groups[choice.group(by_groups)]);
    entries[k] = ports[choice.port(by_groups, ports.size())];
  }
}

// A place below 255 per LID.
class PatternRow {
 public:
  static constexpr std::uint8_t kNowhere = 255;  // the place of LIDs that are no target's

  // place_of(id, k): of offset k of a LID range with this id. REQUIRES: LIDs below `width`.
  template <class PlaceOf>
  PatternRow(std::size_t num_switches, const LidTargets& targets, std::size_t width, PlaceOf&& place_of)
      : places_(width, kNowhere) {
    for (std::size_t t = 0; t < num_switches; ++t)
      for (const LidTarget& target : targets.at(id_at<SwitchId>(t)))
        for (std::uint32_t k = 0; k < (1U << target.lmc); ++k)
          places_[index(target.base) + k] = static_cast<std::uint8_t>(place_of(target.id, k));
  }

  [[nodiscard]] std::uint8_t place(std::size_t lid) const { return places_[lid]; }
  // row[lid] = ports[place(lid)]. `ports` has 256 elements.
  void map(const PortNum* ports, std::span<PortNum> row) const {
    for (std::size_t lid = 0; lid < row.size(); ++lid) row[lid] = ports[places_[lid]];
  }

 private:
  std::vector<std::uint8_t> places_;
};

// Of (4.7) and (4.8): group * group size + port within it. REQUIRES: at most 254 ports in all groups; LIDs below `width`.
[[nodiscard]] PatternRow modulo_pattern(const PatternShape& shape, std::size_t num_switches, const LidTargets& targets,
                                        std::size_t width);

}  // namespace espalier
