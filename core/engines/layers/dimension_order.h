// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dimension order (Sullivan and Bashkow 1977) on graphs that have dimensions (dimensions.h): one after the other, those
// first whose channels carry most.
#pragma once

#include <memory>
#include <optional>

#include "core/engines/layers/tree_search.h"

namespace espalier {

// Shortest paths in that order, with halves of rings and parallel links dealt out evenly. Nothing without dimensions, or
// where the fullest channel carries notably more than on other shortest paths.
[[nodiscard]] std::optional<TreeSearch> trees_by_dimensions(const SwitchGraph& graph,
                                                            const std::shared_ptr<HopsToAll>& hops);
// The same where links are missing, and other shortest paths where channels would be fuller than they have to be; `least`
// is what the fullest has to carry. Nothing where it carries more.
[[nodiscard]] std::optional<TreeSearch> trees_nearly_by_dimensions(const SwitchGraph& graph,
                                                                   const std::shared_ptr<HopsToAll>& hops,
                                                                   double least);

}  // namespace espalier
