// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/deadline.h"
#include "core/dragonfly/detect.h"
#include "core/engines/balanced/balanced.h"
#include "core/engines/dragonfly/dragonfly_engine.h"
#include "core/engines/dragonfly/route_dragonfly.h"
#include "core/engines/fors.h"
#include "core/engines/ftree/ftree.h"
#include "core/engines/ftree/ftree2.h"
#include "core/engines/ftree/ftree_random.h"
#include "core/engines/ftree/vpgft.h"
#include "core/engines/layers/flows.h"
#include "core/engines/layers/layers.h"
#include "core/engines/layers/up_down_trees.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/dmodc.h"
#include "core/engines/modulo/dmodk.h"
#include "core/engines/modulo/gsmodk.h"
#include "core/engines/modulo/gxmodk.h"
#include "core/engines/modulo/leiserson.h"
#include "core/engines/modulo/pqft.h"
#include "core/engines/modulo/randsp.h"
#include "core/engines/modulo/weighted_modulo.h"
#include "core/engines/up_down_engine.h"

namespace espalier {
namespace {

using Engine = std::unique_ptr<RoutingEngine>;

constexpr unsigned kAmpleVls = 4;  // on which shortest paths mostly find lanes
constexpr std::string_view kShortestPaths = "dragonfly";

struct Entry {
  std::string_view name;
  Engine (*make)(std::string_view name, const EngineOptions& options);
  EngineTraits traits = {};
};

// What engines for trees hand over.
Result<Routing> route_no_tree(const RoutingEngine& engine, const FatTree& tree) {
  Result<Routing> routing = engine.route(tree);
  if (routing) routing->warnings.push_back(fmt::format("routed by engine {} on one virtual lane", engine.name()));
  return routing;
}
Result<Routing> route_no_tree_well(const FatTree& tree) { return route_no_tree(Layers("layers", 1), tree); }
Result<Routing> route_no_tree_in_time(const FatTree& tree) {
  return is_large(tree.fabric(), 1) ? route_no_tree(UpDownTrees(kQuickEngine), tree) : route_no_tree_well(tree);
}

FrameOptions frame(const EngineOptions& options) {
  return {options.switch_paths, options.host_order.hosts, route_no_tree_in_time};
}

Engine on_levels(std::string_view name, UpDownStep step, const EngineOptions& options) {
  return std::make_unique<UpDownEngine>(name, UpDownEngine::Frame::kLevels, std::move(step), frame(options));
}
Engine breadth_first(std::string_view name, UpDownStep step, const EngineOptions& options) {
  return std::make_unique<UpDownEngine>(name, UpDownEngine::Frame::kBreadthFirst, std::move(step), frame(options));
}
// Whatever the options say, what has no up-down path goes over subtrees: this is what sftree is.
Engine sftree(std::string_view name, const EngineOptions& options) {
  EngineOptions own = options;
  own.switch_paths.how = SwitchPaths::kSubtree;
  return on_levels(name, options.sftree_base == SftreeBase::kDmodc ? closed_form : ftree, own);
}

// Damage leaves most groups whole; what falls into such as are not is another graph.
bool is_mostly_whole(const Dragonfly& dragonfly) {
  std::size_t whole = 0;
  for (std::size_t g = 0; g < dragonfly.num_groups(); ++g) whole += dragonfly.is_whole(g) ? 1 : 0;
  return 2 * whole >= dragonfly.num_groups();
}

// Shortest paths on a dragonfly, where this is one and its lanes suffice.
std::optional<Routing> route_groups(const Fabric& fabric, const std::shared_ptr<const DetectedGroups>& known,
                                    unsigned max_vls) {
  if (max_vls < 2) return std::nullopt;
  const auto groups = groups_of(fabric, known);
  const Result<Dragonfly>& dragonfly = groups->dragonfly;
  if (!dragonfly || !is_mostly_whole(*dragonfly) || !check_is_no_chance(*dragonfly)) return std::nullopt;
  Result<DragonflyRouting> routing = route_dragonfly(*dragonfly, {PathSet::kMinimal, max_vls});
  if (!routing) return std::nullopt;
  return Routing{.tables = std::move(routing->tables), .warnings = {}, .lanes = std::move(routing->lanes)};
}

// On one lane a tree is routed by its levels.
Engine layers(std::string_view name, const EngineOptions& options) {
  const OtherRouting other = [vls = options.max_vls, groups = options.groups](const Fabric& fabric) {
    return route_groups(fabric, groups, vls);
  };
  FrameOptions tree_frame = frame(options);
  tree_frame.last_resort = {};  // which is this one
  auto tree_engine = std::make_shared<Dmodc>(std::move(tree_frame));
  if (name == "flows")
    return std::make_unique<Flows>(FlowOptions{options.max_vls, options.known_flows, options.hosts_choose_lids},
                                   std::move(tree_engine), other);
  return std::make_unique<Layers>(name, options.max_vls, std::move(tree_engine), other);
}

UpDownStep seeded(decltype(randsp)* step, const EngineOptions& options) {
  return [step, seed = options.seed](const RoutingProblem& problem) { return step(problem, seed); };
}

// balanced, or its start where the clock says so.
class BalancedEngine : public RoutingEngine {
 public:
  explicit BalancedEngine(const EngineOptions& options)
      : frame_(frame(options)),
        own_{.milliseconds = options.balance_ms,
             .types = options.node_types,
             .objective = options.objective,
             .known_flows = options.known_flows},
        limit_(options.balance_wall_ms) {
    frame_.switch_paths.host_routes = SwitchPathOptions::HostRoutes::kStay;
    frame_.last_resort = route_no_tree_well;  // this engine may take its time
    // Rails take part in the shifts of all adapters together; files are orders of their own.
    if (options.host_order.kind == HostOrder::Parts::kOrders) own_.parts = options.host_order.parts;
  }
  [[nodiscard]] std::string_view name() const override { return "balanced"; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override {
    const Deadline deadline = limit_.count() == 0 ? Deadline() : Deadline(limit_);
    const UpDownStep step = [&](const RoutingProblem& problem) { return balanced(problem, own_, deadline); };
    Result<Routing> routing = route_on_levels(RoutingProblem(tree, frame_.jobs), step, frame_);
    if (routing && deadline.was_missed())
      routing->warnings.push_back(fmt::format(
          "balanced did not finish within balance_wall_ms {}: these are the tables of dmodc, from which it starts",
          limit_.count()));
    return routing;
  }

 private:
  FrameOptions frame_;
  BalancedOptions own_;
  std::chrono::milliseconds limit_;
};

// gxmodk, and in mode grouped the numbers of Gsmodk.
class TypedEngine : public RoutingEngine {
 public:
  explicit TypedEngine(const EngineOptions& options) : options_(options) {}
  [[nodiscard]] std::string_view name() const override { return "gxmodk"; }
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override {
    const RoutingProblem problem(tree, options_.host_order.hosts);
    const UpDownStep step = [this](const RoutingProblem& p) { return gxmodk(p, options_); };
    Result<Routing> routing = route_on_levels(problem, step, frame(options_));
    if (routing && options_.gxmodk_mode == GxmodkMode::kGrouped)
      routing->source_offsets = source_offsets(problem, options_.node_types);
    return routing;
  }

 private:
  EngineOptions options_;
};

constexpr std::array kEngines{
    Entry{"dmodc", [](auto, auto& options) -> Engine { return std::make_unique<Dmodc>(frame(options)); }},
    Entry{
        "balanced",
        [](auto, auto& options) -> Engine { return std::make_unique<BalancedEngine>(options); },
        {.node_types = EngineTraits::NodeTypes::kForPhases, .capacities = true, .known_flows = true, .searches = true}},
    Entry{"gxmodk",
          [](auto, auto& options) -> Engine { return std::make_unique<TypedEngine>(options); },
          {.node_types = EngineTraits::NodeTypes::kAlways, .source_offsets = true}},
    Entry{"dmodk", [](auto, auto& options) -> Engine { return std::make_unique<Dmodk>(frame(options)); }},
    Entry{"leiserson",
          [](auto, auto& options) -> Engine { return std::make_unique<Leiserson>(options.switch_paths); },
          {.source_offsets = true}},
    Entry{"weighted",
          [](auto name, auto& options) { return on_levels(name, weighted_modulo, options); },
          {.capacities = true}},
    Entry{"pqft", [](auto name, auto& options) { return on_levels(name, pqft, options); }},
    Entry{"vpgft", [](auto, auto& options) -> Engine { return std::make_unique<Vpgft>(options.switch_paths); }},
    Entry{"ftree", [](auto name, auto& options) { return on_levels(name, ftree, options); }},
    Entry{"sftree", sftree},
    Entry{"ftree2", [](auto name, auto& options) { return on_levels(name, ftree2, options); }},
    Entry{"ftree-random",
          [](auto name, auto& options) { return on_levels(name, seeded(ftree_random, options), options); }},
    Entry{"randsp", [](auto name, auto& options) { return on_levels(name, seeded(randsp, options), options); }},
    Entry{"fors",
          [](auto, auto& options) -> Engine { return std::make_unique<Fors>(options.exchange, options.switch_paths); },
          {.exchange = true}},
    Entry{kShortestPaths,
          [](auto name, auto& options) -> Engine {
            return std::make_unique<DragonflyEngine>(name, PathSet::kMinimal, options);
          },
          {.capacities = true, .lanes = true, .least_vls = kShortestVls, .least_vls_with_lmc = kShortestVls}},
    Entry{"dragonfly-rlm",
          [](auto name, auto& options) -> Engine {
            return std::make_unique<DragonflyEngine>(name, PathSet::kNonminimal, options);
          },
          {.capacities = true, .lanes = true, .least_vls = kShortestVls, .least_vls_with_lmc = kNonminimalVls}},
    Entry{"layers", layers, {.capacities = true, .lanes = true}},
    Entry{kQuickEngine, [](auto name, auto&) -> Engine { return std::make_unique<UpDownTrees>(name); }},
    Entry{"flows", layers, {.capacities = true, .known_flows = true, .lanes = true}},
    Entry{"bfs-dmodc", [](auto name, auto& options) { return breadth_first(name, closed_form, options); }},
    Entry{"bfs-ftree", [](auto name, auto& options) { return breadth_first(name, ftree, options); }},
    Entry{"bfs-ftree2", [](auto name, auto& options) { return breadth_first(name, ftree2, options); }},
    Entry{"bfs-ftree-random",
          [](auto name, auto& options) { return breadth_first(name, seeded(ftree_random, options), options); }},
    Entry{"bfs-random", [](auto name, auto& options) { return breadth_first(name, seeded(randsp, options), options); }},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kEngines.size()> names;
  std::transform(kEngines.begin(), kEngines.end(), names.begin(), [](const Entry& entry) { return entry.name; });
  return names;
}();

bool is_whole_dragonfly(const EngineOptions& options) {
  if (!options.groups || !options.groups->dragonfly) return false;
  const Dragonfly& dragonfly = *options.groups->dragonfly;
  return dragonfly.is_whole() && dragonfly.kind() == Dragonfly::Kind::kRouters;
}

std::size_t num_entries(const Fabric& fabric) { return fabric.num_switches() * index(fabric.top_lid()); }

// Engines for dragonflies have a closed form where these are whole, and search for lanes where they are not. With intermediate
// groups hardly any LIDs are alike, and their proof takes 0.1 s from some millions of entries on. Shortest paths, on two of
// the lanes and with the service level that this engine has for them, take a tenth of that.
std::string_view start_on_groups(std::string_view name, const Fabric& fabric, const EngineOptions& options) {
  constexpr std::size_t kManyEntries = std::size_t{1} << 22;
  const EngineTraits traits = traits_of(name);
  const bool has_offsets = has_several_lids(fabric);
  const unsigned needed = has_offsets ? traits.least_vls_with_lmc : traits.least_vls;
  if (!options.groups || !options.groups->dragonfly || options.max_vls < needed) return {};  // which declines
  if (!is_whole_dragonfly(options)) return is_large(fabric, kAmpleVls) ? kQuickEngine : std::string_view();
  return needed > kShortestVls && num_entries(fabric) > kManyEntries ? kShortestPaths : std::string_view();
}

}  // namespace

std::span<const std::string_view> engine_names() { return kNames; }

EngineTraits traits_of(std::string_view name) {
  const auto entry = std::find_if(kEngines.begin(), kEngines.end(), [&](const Entry& e) { return e.name == name; });
  return entry == kEngines.end() ? EngineTraits{} : entry->traits;
}

bool is_large(const Fabric& fabric, unsigned max_vls) {
  return num_entries(fabric) > (max_vls < kAmpleVls ? std::size_t{1} << 17 : std::size_t{1} << 20);
}

// Engines with lanes for any topology look for paths and lanes on all fabrics.
bool is_slow(std::string_view name, const Fabric& fabric) {
  const EngineTraits traits = traits_of(name);
  return traits.searches || (traits.lanes && (traits.least_vls == 1 || is_large(fabric, kAmpleVls)));
}

// For a tree the plain closed form, which a search most often starts from: to look which form suits damaged trees or
// mixed links takes longer than to compute both. Node types are worth their own form.
std::string_view start_engine(std::string_view name, const Fabric& fabric, const EngineOptions& options) {
  const EngineTraits traits = traits_of(name);
  if (traits.searches) return options.node_types.of_endport.empty() ? "dmodc" : name;
  if (!traits.lanes) return {};
  if (traits.least_vls > 1) return start_on_groups(name, fabric, options);
  if (!is_large(fabric, options.max_vls)) return {};
  return options.max_vls >= kShortestVls && is_whole_dragonfly(options) ? kShortestPaths : kQuickEngine;
}

std::unique_ptr<RoutingEngine> make_engine(std::string_view name, const EngineOptions& options) {
  const auto entry = std::find_if(kEngines.begin(), kEngines.end(), [&](const Entry& e) { return e.name == name; });
  return entry == kEngines.end() ? nullptr : entry->make(name, options);
}

}  // namespace espalier
