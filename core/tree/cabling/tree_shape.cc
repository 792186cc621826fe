// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/tree_shape.h"

#include <algorithm>

namespace espalier {

bool is_tree_shaped(const FatTree& tree) {
  using Kind = Irregularity::Kind;
  const auto odd = std::ranges::count_if(tree.irregularities(), [](const Irregularity& irregularity) {
    return irregularity.kind == Kind::kSameLevelLink || irregularity.kind == Kind::kLevelSkippingLink;
  });
  return 4 * static_cast<std::size_t>(odd) <= tree.fabric().num_switch_links();
}

}  // namespace espalier
