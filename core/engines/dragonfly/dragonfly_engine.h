// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The engines for dragonflies and dragonfly+: tables and lanes in one.
//
//   dragonfly       shortest paths l-g-l (MIN of Kim 2008) at all LID offsets, dealt over parallel links: 1 SL, 2 VLs
//   dragonfly-rlm   offset 0 as above; each other offset over an intermediate group, with at most one restricted
//                   local detour in that group and one in the last: the paths of RLM (M. Garcia et al., ICPP 2013,
//                   III-B) without its trigger, which InfiniBand cannot express: sources choose by offset. 3 VLs; SLs
//                   by codewords. Where all ports have one LID it is the same as dragonfly
//
// Steps, and what each owes to the next:
//   1. detect_dragonfly: groups, whose local links join them; or the engine declines.
//   2. choose_routes, fill_tables: a tree for every LID. *Every LID is reached from all of its connected component.*
//   3. Whole fabrics: SLs in closed form. *Lanes rise along each path (dragonfly_lanes.h): no credit loop.*
//      Others: search_lanes. *As far as lanes ascend, so above; the rest is in a graph without cycles.* What a lost local
//      link carried goes over all routers between, or where that finds no lanes over those whose turns do with one.
//   4. What has no lanes within those there are: shortest paths alone; and where even these do not fit, engine
//      `layers`, which does with any number.
//
// The closest public work is that of Maglione-Mathey et al. (arXiv 2502.01214): shortest paths on whole dragonflies.
#pragma once

#include <string>
#include <string_view>

#include "core/engines/dragonfly/dragonfly_routes.h"
#include "core/engines/options.h"
#include "core/engines/routing_engine.h"

namespace espalier {

// The data lanes that links need for shortest paths, and for those over a third group.
inline constexpr unsigned kShortestVls = 2;
inline constexpr unsigned kNonminimalVls = 3;

class DragonflyEngine : public RoutingEngine {
 public:
  DragonflyEngine(std::string_view name, PathSet paths, const EngineOptions& options)
      : name_(name), paths_(paths), options_(options) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  // Errors: what is no dragonfly, and why; links with one lane.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  std::string name_;
  PathSet paths_;
  EngineOptions options_;
};

}  // namespace espalier
