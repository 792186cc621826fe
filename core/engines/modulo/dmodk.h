// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Dmodk (Zahavi 2010; Gliksberg 2022, 1.4.2): up-port floor(d / (w1 .. wl)) mod (w(l+1) p(l+1)), defined on perfect
// PGFTs and nowhere else. There the divider and the group counts that Dmodc finds on the spot are these constants, so
// this is Dmodc behind a door: it routes what the formula is defined for and declines the rest, with the first
// deviation from a PGFT. For those who want to know that their tree is whole.
#pragma once

#include <utility>

#include "core/engines/up_down_engine.h"

namespace espalier {

class Dmodk : public RoutingEngine {
 public:
  explicit Dmodk(FrameOptions options = {}) : options_(std::move(options)) {}
  [[nodiscard]] std::string_view name() const override { return "dmodk"; }
  // Errors: also a tree that is not a perfect PGFT.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  FrameOptions options_;
};

}  // namespace espalier
