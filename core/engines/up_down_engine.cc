// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/up_down_engine.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <tuple>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/detours/cleared_hub.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/detours/demoted_tops.h"
#include "core/engines/detours/demotion.h"
#include "core/engines/detours/turns.h"
#include "core/tree/cabling/tree_shape.h"
#include "core/tree/demote.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

constexpr std::size_t kMostNamed = 10;

// Of the search for turns (TurnEffort), at 20 to 30 million a second: ten seconds on damaged trees, where joining all pairs is
// worth them; one where cables are plugged in wrong.
constexpr std::uint64_t kMostTurnSteps = std::uint64_t{1} << 28;
constexpr std::uint64_t kMostTurnStepsAmongWrongLinks = std::uint64_t{1} << 25;
constexpr std::uint64_t kFewTurnSteps = std::uint64_t{1} << 20;  // before links are given up for the sake of detours

// The names of switches, the first of them if there are many.
std::string named(const Fabric& fabric, const std::vector<SwitchId>& switches) {
  std::vector<std::string> labels;
  for (const SwitchId s : switches) labels.push_back(fabric.label(s));
  return listed(labels, kMostNamed);
}

// The links that were set aside, each with its reason.
std::vector<std::string> told_of_links(const FatTree& tree) {
  std::vector<std::string> warnings;
  for (const Irregularity& irregularity : tree.irregularities())
    if (irregularity.kind == Irregularity::Kind::kMiswiredLink ||
        irregularity.kind == Irregularity::Kind::kNarrowShortcut)
      warnings.push_back(irregularity.text);
  const std::size_t count = warnings.size();
  if (count <= kMostNamed) return warnings;
  warnings.resize(kMostNamed);
  warnings.push_back(
      fmt::format("no routes over {}; `espalier rank` lists them", counted(count - kMostNamed, "more link")));
  return warnings;
}

// Where pairs cannot be joined at once, no other way is tried.
Result<Routing> route_at_once(const RoutingProblem& problem, const UpDownStep& step, const FrameOptions& options,
                              const TurnEffort& effort) {
  Routing routing{step(problem), {}};
  // Every pair with an up-down path is routed.
  ESPALIER_TRY(Completion done, complete(problem, options.switch_paths, routing.tables, effort));
  if (!done.unjoined.empty()) return fail("some pairs of switches could not be joined at once");
  routing.warnings = std::move(done.warnings);
  return routing;
}

// With the search for a path for all pairs.
Result<Routing> route_all(const RoutingProblem& problem, const UpDownStep& step, const FrameOptions& options,
                          std::uint64_t& steps) {
  Routing routing{step(problem), {}};
  // Every pair with an up-down path is routed.
  TurnEffort effort{.steps = &steps};
  ESPALIER_TRY(Completion done, complete(problem, options.switch_paths, routing.tables, effort));
  if (!done.unjoined.empty()) {
    const SwitchPair first = done.unjoined.front();
    const std::size_t pairs = done.unjoined.size();
    if (steps == 0) return fail("no deadlock-free paths between all switches were found in time");
    // With many attempts for each choice of switches the first choices do, which cost hosts more.
    TurnEffort once = effort;
    once.attempts = 1;
    auto demoted = demote_and_complete(problem, routing.tables, done.unjoined, options.switch_paths, once);
    if (!demoted) demoted = demote_and_complete(problem, routing.tables, done.unjoined, options.switch_paths, effort);
    if (!demoted)
      return fail(fmt::format("no deadlock-free path from {} to {} could be added", problem.fabric.label(first.from),
                              problem.fabric.label(first.to)));
    demoted->warnings.push_back(
        fmt::format("no transit traffic through {}, which gives {} of switches a deadlock-free path: {}",
                    counted(demoted->switches.size(), "switch", "switches"), counted(pairs, "ordered pair"),
                    named(problem.fabric, demoted->switches)));
    return Routing{std::move(demoted->tables), std::move(demoted->warnings)};
  }
  // Every pair of each connected component is routed, unless `switch_paths` is none, and no channel depends on itself.
  routing.warnings = std::move(done.warnings);
  return routing;
}

// The switch from which all hosts and switches are nearest: a good root where the levels are of no use.
SwitchId center(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  SwitchId best = SwitchId{0};
  std::uint64_t best_sum = ~std::uint64_t{0};
  for (const SwitchId s : tree.fabric().switches()) {
    std::uint64_t sum = 0;
    for (const SwitchId t : tree.fabric().switches()) sum += problem.costs.cost(t, s) * (1 + tree.hosts(t).size());
    if (sum < best_sum) std::tie(best, best_sum) = std::pair(s, sum);
  }
  return best;
}

Result<Routing> route_from_roots(const FatTree& tree, const std::vector<SwitchId>& roots, const UpDownStep& step,
                                 const FrameOptions& options) {
  ESPALIER_TRY(const FatTree oriented, orient_from_roots(tree, roots));
  std::uint64_t steps = kMostTurnSteps;
  return route_all(RoutingProblem(oriented, options.jobs), step, options, steps);
}

constexpr double kManyUnreached = 1.0 / 64;  // of all pairs of hosts on different switches
constexpr double kManyLevel = 0.25;          // of all links between switches
constexpr double kMostLevel = 0.5;

// Why levels mean little here, if they do: most links join switches of one level, as in a torus or a dragonfly, or many, and
// many hosts have no up-down path to each other. Damaged trees have hardly such a link, and MegaFly hardly such a pair. To
// search detours takes 3 s on a torus of 1 000 hosts, 20 s on a Slim Fly of 5 000, and these are worse than paths on an
// orientation of its own.
std::optional<std::string> why_no_tree(const FatTree& tree, std::uint64_t unreached) {
  const LinkLevels links = link_levels(tree);
  const double share = links.all == 0 ? 0 : static_cast<double>(links.within) / static_cast<double>(links.all);
  if (share > kMostLevel)
    return fmt::format("{} of {} links between switches are within a level", links.within, links.all);
  double hosts = 0, beside = 0;  // pairs of hosts on the same switch
  for (const SwitchId s : tree.fabric().switches()) {
    const double here = static_cast<double>(tree.hosts(s).size());
    hosts += here;
    beside += here * here;
  }
  if (share <= kManyLevel || static_cast<double>(unreached) <= kManyUnreached * (hosts * hosts - beside))
    return std::nullopt;
  return fmt::format("{} ordered pairs of hosts have no up-down path", unreached);
}

// Per connected component the lowest switch of the lowest level that has hosts; its lowest switch when none has.
std::vector<SwitchId> leaf_roots(const FatTree& tree) {
  std::vector<SwitchId> root(tree.num_components(), kNoSwitch);
  const auto better = [&](SwitchId a, SwitchId b) {
    const auto key = [&](SwitchId s) { return std::tuple(tree.hosts(s).empty(), tree.level(s), s); };
    return b == kNoSwitch || key(a) < key(b);
  };
  for (const SwitchId s : tree.fabric().switches())
    if (better(s, root[tree.component(s)])) root[tree.component(s)] = s;
  return root;
}

// Without odd tops, if there are some.
template <class Route>
std::optional<Routing> route_without_odd_tops(const RoutingProblem& problem, const FrameOptions& options,
                                              const Route& route) {
  const std::optional<DemotedTops> demoted = demote_odd_tops(problem);
  if (!demoted) return std::nullopt;
  Result<Routing> without = route(RoutingProblem(demoted->tree, options.jobs));
  if (!without) return std::nullopt;
  without->warnings.push_back(
      fmt::format("no transit traffic through {} with missing links, because detours between switches would "
                  "close credit loops",
                  counted(demoted->count, "top switch", "top switches")));
  return std::move(*without);
}

// Without the links that keep detours from turning at some leaf, if these are few.
std::optional<Routing> route_with_cleared_hub(const RoutingProblem& problem, const UpDownStep& step,
                                              const FrameOptions& options) {
  const std::optional<ClearedHub> cleared = clear_hub(problem);
  if (!cleared) return std::nullopt;
  Result<Routing> without = route_at_once(RoutingProblem(cleared->tree, options.jobs), step, options, {.attempts = 0});
  if (!without) return std::nullopt;
  without->warnings.push_back(
      fmt::format("no routes over {}, because detours between switches would close credit loops",
                  counted(cleared->links, "more link")));
  return std::move(*without);
}

// Whether some cables are plugged in wrong. Then the search for detours may take tens of seconds; on trees that are only
// damaged it takes little, and gives up no switch for it.
bool has_wrong_links(const FatTree& tree) {
  const LinkLevels links = link_levels(tree);
  return links.within + links.skipping > 0 || !tree.context().set_aside.empty();
}

// As it is, without links between tops, without odd tops: the first that joins all pairs at once.
std::optional<Routing> route_with_little_effort(const RoutingProblem& problem, const UpDownStep& step,
                                                const FrameOptions& options, std::uint64_t unreached,
                                                std::uint64_t steps) {
  const auto route_once = [&](const RoutingProblem& on) {
    return route_at_once(on, step, options, {.attempts = 1, .all_at_once = true, .steps = &steps});
  };
  if (Result<Routing> routing = route_once(problem)) return std::move(*routing);
  // A top with two ways down to a leaf belongs to no subtree.
  if (const std::vector<ChannelId> between_tops = links_between_tops(problem.tree); !between_tops.empty()) {
    const FatTree bare = without_channels(problem.tree, between_tops);
    const RoutingProblem on_bare(bare, options.jobs);
    if (count_unreached_hosts(on_bare) == unreached) {
      if (Result<Routing> routing = route_once(on_bare)) return std::move(*routing);
      if (steps == 0) return std::nullopt;  // turns may still do, which cost hosts less
      if (auto without = route_without_odd_tops(on_bare, options, route_once)) return without;
    }
  }
  if (steps == 0) return std::nullopt;
  return route_without_odd_tops(problem, options, route_once);
}

// Where pairs cannot be joined, once more without odd tops. What is found is told of in `warnings`.
Result<Routing> route_with_detours(const RoutingProblem& problem, const UpDownStep& step, const FrameOptions& options,
                                   std::uint64_t unreached, std::vector<std::string>& warnings) {
  if (unreached > 0)
    warnings.push_back(fmt::format("{} ordered pairs of hosts have no up-down path and take a detour", unreached));
  const bool has_wrong = has_wrong_links(problem.tree);
  std::uint64_t steps = has_wrong ? kMostTurnStepsAmongWrongLinks : kMostTurnSteps;
  if (options.switch_paths.how != SwitchPaths::kSubtree) return route_all(problem, step, options, steps);
  if (has_wrong) {
    if (auto routing = route_with_little_effort(problem, step, options, unreached, kFewTurnSteps))
      return std::move(*routing);
    if (auto cleared = route_with_cleared_hub(problem, step, options)) return std::move(*cleared);
    if (auto routing = route_with_little_effort(problem, step, options, unreached, kMostTurnStepsAmongWrongLinks))
      return std::move(*routing);
  }
  const auto route = [&](const RoutingProblem& on) { return route_all(on, step, options, steps); };
  Result<Routing> routing = route(problem);
  if (routing) return routing;
  if (auto without = route_without_odd_tops(problem, options, route)) return std::move(*without);
  return routing;
}

}  // namespace

Result<Routing> route_on_levels(const RoutingProblem& problem, const UpDownStep& step, const FrameOptions& options) {
  std::vector<std::string> warnings = told_of_links(problem.tree);
  const std::uint64_t unreached = count_unreached_hosts(problem);
  const bool may_turn = options.switch_paths.how == SwitchPaths::kSubtree;
  const std::optional<std::string> why = may_turn ? why_no_tree(problem.tree, unreached) : std::nullopt;
  Result<Routing> routing = why ? fail(*why) : route_with_detours(problem, step, options, unreached, warnings);
  if (!routing && may_turn && options.last_resort) {
    warnings.push_back(fmt::format("this is no fat tree: {}", routing.error().text()));
    routing = options.last_resort(problem.tree);
  } else if (!routing) {
    // Hardly a tree, or detours are not wanted. From one root every pair has an up-down path: this always succeeds.
    const SwitchId root = center(problem);
    warnings.push_back(fmt::format("{}{}: routed up*/down* from the root {}",
                                   may_turn ? "this is barely a fat tree; " : "", routing.error().text(),
                                   problem.fabric.label(root)));
    routing = route_from_roots(problem.tree, {root}, step, options);
  }
  if (routing) routing->warnings.insert(routing->warnings.begin(), warnings.begin(), warnings.end());
  return routing;
}

Result<Routing> route_breadth_first(const FatTree& tree, const UpDownStep& step, const FrameOptions& options) {
  return route_from_roots(tree, leaf_roots(tree), step, options);
}

Result<Routing> UpDownEngine::route(const FatTree& tree) const {
  if (frame_ == Frame::kBreadthFirst) return route_breadth_first(tree, step_, options_);
  return route_on_levels(RoutingProblem(tree, options_.jobs), step_, options_);
}

}  // namespace espalier
