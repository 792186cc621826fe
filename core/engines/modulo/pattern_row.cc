// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/pattern_row.h"

namespace espalier {

PatternRow modulo_pattern(const PatternShape& shape, std::size_t num_switches, const LidTargets& targets,
                          std::size_t width) {
  const FastDivider by_divider(shape.divider);
  const FastDivider by_groups(shape.num_groups);
  return {num_switches, targets, width, [&](std::uint32_t id, std::uint32_t k) {
            const ModuloChoice choice{by_divider.quotient(id), by_divider.quotient(k)};
            return choice.group(by_groups) * shape.group_size + choice.port(by_groups, shape.group_size);
          }};
}

}  // namespace espalier
