// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/pattern_row.h"

namespace espalier {

PatternRow::PatternRow(const PatternShape& shape, std::size_t num_switches, const LidTargets& targets,
                       std::size_t width)
    : places_(width, kNowhere) {
  const FastDivider by_divider(shape.divider);
  const FastDivider by_groups(shape.num_groups);
  for (std::size_t t = 0; t < num_switches; ++t)
    for (const LidTarget& target : targets.at(id_at<SwitchId>(t)))
      for (std::uint32_t k = 0; k < (1U << target.lmc); ++k) {
        const ModuloChoice choice{by_divider.quotient(target.id), by_divider.quotient(k)};
        places_[index(target.base) + k] = static_cast<std::uint8_t>(choice.group(by_groups) * shape.group_size +
                                                                    choice.port(by_groups, shape.group_size));
      }
}

}  // namespace espalier
