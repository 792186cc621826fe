// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Levels of switches, of one sweep after another. In most of them the fabric is the very same.
#pragma once

#include <memory>
#include <utility>

#include "core/base/result.h"
#include "core/base/try.h"
#include "core/tree/rank.h"

namespace espalier {

class LastRanked {
 public:
  // rank(*fabric, options).
  [[nodiscard]] Result<std::shared_ptr<const FatTree>> rank(const std::shared_ptr<const Fabric>& fabric,
                                                            RankOptions options) {
    if (tree_ && fabric == fabric_ && options == options_) return tree_;
    tree_.reset();
    ESPALIER_TRY(FatTree ranked, espalier::rank(*fabric, options));
    tree_ = std::make_shared<const FatTree>(std::move(ranked));
    fabric_ = fabric;
    options_ = std::move(options);
    return tree_;
  }

 private:
  std::shared_ptr<const Fabric> fabric_;
  RankOptions options_;
  std::shared_ptr<const FatTree> tree_;
};

}  // namespace espalier
