// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Levels of the switches, and for an engine with lanes the groups of a dragonfly, of one sweep after another. Both take long
// where the fabric is no tree, so they are found side by side. And what the log tells of them.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "core/base/parallel.h"
#include "core/engines/engines.h"
#include "plugin/fabric_shape.h"
#include "plugin/last_groups.h"
#include "plugin/last_ranked.h"

namespace espalier {

struct Shape {
  std::shared_ptr<const FatTree> tree;
  std::shared_ptr<const DetectedGroups> groups;  // null: the engine has no use for them
  std::shared_ptr<const FabricShape> told;
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
    if (!last_.told || last_.tree != *tree || last_.groups != groups)
      last_ = {*tree, groups, std::make_shared<const FabricShape>(fabric_shape(**tree, groups.get()))};
    return last_;
  }

 private:
  LastRanked ranked_;
  LastGroups groups_;
  Shape last_;
};

}  // namespace espalier
