// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/fabric_shape.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/dragonfly/missing_links.h"
#include "core/tree/cabling/tree_shape.h"

namespace espalier {
namespace {

std::string line_of(const Irregularity& irregularity) {
  return fmt::format("{}: {}", name(irregularity.kind), irregularity.text);
}

// What is irregular in any topology.
std::vector<std::string> not_about_levels(const FatTree& tree) {
  std::vector<std::string> lines;
  for (const Irregularity& irregularity : tree.irregularities())
    if (!is_about_levels(irregularity.kind)) lines.push_back(line_of(irregularity));
  return lines;
}

FabricShape shape_of(const FatTree& tree, const Dragonfly& dragonfly) {
  const bool plus = dragonfly.kind() == Dragonfly::Kind::kLeavesAndSpines;
  FabricShape shape{fmt::format("dragonfly{} of {}", plus ? "+" : "", counted(dragonfly.num_groups(), "group")),
                    not_about_levels(tree)};
  for (const MissingLinkRemark& remark : describe(dragonfly, find_missing_links(dragonfly)))
    shape.irregularities.push_back(fmt::format("{}: {}", remark.kind, remark.text));
  return shape;
}

}  // namespace

FabricShape fabric_shape(const FatTree& tree, const DetectedGroups* groups) {
  if (groups != nullptr) {
    if (const Result<Dragonfly>& dragonfly = groups->dragonfly; dragonfly && check_is_no_chance(*dragonfly))
      return shape_of(tree, *dragonfly);
    if (!is_tree_shaped(tree)) return {"no tree", not_about_levels(tree)};
  }
  FabricShape shape{counted(tree.num_levels(), "level"), {}};
  for (const Irregularity& irregularity : tree.irregularities()) shape.irregularities.push_back(line_of(irregularity));
  return shape;
}

}  // namespace espalier
