// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Leiserson's fat trees (Leiserson 1985; Gliksberg 2022, annex 1, Algorithm 13): one switch above each, and as many
// links to it as there are ports below. Every destination has its own path down from the top, every source its own path
// up, so that no permutation congests.
//
// Algorithm 13           here
// lines 1 to 3, down     the closed form, the same for all LIDs of a host
// lines 4 to 8, up       by the port of arrival, which no table of InfiniBand knows. But there are as many sources
//                        below a switch as it has links up, and the port of arrival says which of them sends: source n
//                        takes link n mod #links. Offset k of the LID range of destination d takes link (d + k) mod
//                        #links (closed_form.h), so the source n says (n - d) mod #links, if the LID range is long
//                        enough: Routing::source_offsets, of one radix. Offset 0 serves all others, as dmodk does.
//
// With fewer LIDs than links below the top, the radix is the largest divisor of these for which there is room, and
// sources have paths of their own only up to the level that has so few.
#pragma once

#include "core/engines/routing_engine.h"
#include "core/engines/switch_paths.h"

namespace espalier {

class Leiserson : public RoutingEngine {
 public:
  explicit Leiserson(const SwitchPathOptions& switch_paths = {}) : switch_paths_(switch_paths) {}
  [[nodiscard]] std::string_view name() const override { return "leiserson"; }
  // Errors: also a tree that is not a complete Leiserson tree.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  SwitchPathOptions switch_paths_;
};

}  // namespace espalier
