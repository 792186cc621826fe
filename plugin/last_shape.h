// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Levels of the switches, and for an engine with lanes the groups of a dragonfly, of one sweep after another. Both take long
// where the fabric is no tree, so they are found side by side.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/engines.h"
#include "plugin/last_groups.h"
#include "plugin/last_ranked.h"

namespace espalier {

struct Shape {
  std::shared_ptr<const FatTree> tree;
  std::shared_ptr<const DetectedGroups> groups;  // null: the engine has no use for them
};

class LastShape {
 public:
  [[nodiscard]] Result<Shape> find(std::string_view engine, const std::shared_ptr<const Fabric>& fabric,
                                   RankOptions levels_from) {
    Result<std::shared_ptr<const FatTree>> tree;
    std::shared_ptr<const DetectedGroups> groups;
    parallel_for(traits_of(engine).lanes ? 2 : 1, [&](std::size_t i) {
      if (i == 0)
        tree = ranked_.rank(fabric, std::move(levels_from));
      else
        groups = groups_.find(fabric);
    });
    if (!tree) return tl::unexpected(tree.error());
    return Shape{*std::move(tree), std::move(groups)};
  }

 private:
  LastRanked ranked_;
  LastGroups groups_;
};

}  // namespace espalier
