// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dmodc (J. Gliksberg, "New routing algorithms for heterogeneous exaflop supercomputers", thesis 2022, chapter 4): the
// closed form of Dmodk made local, so that it holds on degraded fat trees; see closed_form.h for the formulas. What the
// thesis leaves out because there switches neither send nor receive - pairs without an up-down path - goes through
// complete_tables().
#pragma once

#include <utility>

#include "core/engines/up_down_engine.h"

namespace espalier {

class Dmodc : public RoutingEngine {
 public:
  explicit Dmodc(FrameOptions options = {}) : options_(std::move(options)) {}
  [[nodiscard]] std::string_view name() const override { return "dmodc"; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  FrameOptions options_;
};

}  // namespace espalier
