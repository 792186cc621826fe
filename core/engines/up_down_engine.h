// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The frame of every engine that differs from the others only in how it chooses among up-down paths: the engine is one
// step, which fills all pairs that have such a path, and the frame does what soundness needs around it. Known as a
// template method.
//
// What a step owes, for complete_tables() to build on: an entry for every LID whose switch t has cost(s,t) finite, from
// every such s; downward wherever t is below s. Then every path goes up, then down, by construction, and no credit loop
// can close among them.
//
// paper                       here
// Up*/Down*, Algorithm 10     route_breadth_first()
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engines/routing_engine.h"
#include "core/engines/routing_problem.h"
#include "core/engines/switch_paths.h"

namespace espalier {

// Tables of any connected fabric, on one virtual lane.
using LastResort = std::function<Result<Routing>(const FatTree&)>;

struct FrameOptions {
  SwitchPathOptions switch_paths;
  std::vector<EndportId> jobs = {};  // all hosts as jobs number them; empty: as topological_order() finds them
  LastResort last_resort = {};       // empty: the engine's own step on an orientation from one root
};

using UpDownStep = std::function<ForwardingTables(const RoutingProblem&)>;

// On the levels of the tree. By the last resort, with a warning, where the fabric is no tree and hosts have no up-down path
// to each other, or where pairs without such a path cannot be joined soundly; from one root where `switch_paths` asks for
// up-down paths alone.
[[nodiscard]] Result<Routing> route_on_levels(const RoutingProblem& problem, const UpDownStep& step,
                                              const FrameOptions& options);

// On a breadth-first orientation that asks nothing of the topology (Gliksberg 2022, 5.1.3): every pair has an up-down
// path. The root is the lowest leaf of each connected component: seen from a leaf, a fat tree keeps nearly all its
// shortest paths, while from a spine it keeps those of one plane only.
[[nodiscard]] Result<Routing> route_breadth_first(const FatTree& tree, const UpDownStep& step,
                                                  const FrameOptions& options);

class UpDownEngine : public RoutingEngine {
 public:
  enum class Frame : std::uint8_t { kLevels, kBreadthFirst };  // one of the two above

  UpDownEngine(std::string_view name, Frame frame, UpDownStep step, FrameOptions options)
      : name_(name), frame_(frame), step_(std::move(step)), options_(std::move(options)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  std::string name_;
  Frame frame_;
  UpDownStep step_;
  FrameOptions options_;
};

}  // namespace espalier
