// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whether the fabric is a dragonfly, of one sweep after another, for the log. To look for groups where there are none takes
// longest, about as long as a repair; and what is no dragonfly hardly becomes one by what it loses.
#pragma once

#include <memory>

#include "core/dragonfly/detect.h"
#include "core/fabric/fabric.h"

namespace espalier {

class LastGroups {
 public:
  // Those of the fabric, or of one that is no dragonfly and that it is a part of: then it is none, either.
  [[nodiscard]] std::shared_ptr<const DetectedGroups> find(const std::shared_ptr<const Fabric>& fabric);

 private:
  [[nodiscard]] bool stands_for(const Fabric& fabric) const;

  std::shared_ptr<const Fabric> fabric_;  // that was looked at
  std::shared_ptr<const Fabric> part_;    // the last one that they stand for as well; null: none
  std::shared_ptr<const DetectedGroups> groups_;
};

}  // namespace espalier
