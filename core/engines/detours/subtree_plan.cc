// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/subtree_plan.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/engines/detours/turn_cycles.h"
#include "core/tree/components.h"

namespace espalier {
namespace {

constexpr std::size_t kMostAttempts =
    256;  // roots that are grown and checked; alike in a whole fabric, not in a damaged one
constexpr std::size_t kMostSubtrees = 64;

bool is_leaf(const FatTree& tree, SwitchId s) { return tree.down_groups(s).empty(); }

bool reaches_all(const RoutingProblem& problem, SwitchId root) {
  const FatTree& tree = problem.tree;
  for (const SwitchId t : tree.fabric().switches())
    if (problem.costs.cost(root, t) == kUnreachable && tree.component(t) == tree.component(root)) return false;
  return true;
}

// The first of next(), next(), ... that carries every pair and that `fits`.
template <class Next>
std::optional<Subtree> first_subtree(const RoutingProblem& problem, Next&& next,
                                     const std::function<bool(const Subtree&)>& fits) {
  std::size_t attempts = 0;
  for (SwitchId root = next(); root != kNoSwitch; root = next()) {
    if (!reaches_all(problem, root)) continue;
    if (++attempts > kMostAttempts) break;
    if (GrownSubtree grown = grow_subtree(problem, root); grown.complete && fits(grown.subtree))
      return std::move(grown.subtree);
  }
  return std::nullopt;
}

// Leaves of the component, then its other switches, then `last`.
std::vector<SwitchId> leaves_first(const FatTree& tree, std::uint32_t component, SwitchId last) {
  std::vector<SwitchId> order;
  for (const SwitchId s : tree.fabric().switches())
    if (tree.component(s) == component) order.push_back(s);
  std::stable_partition(order.begin(), order.end(), [&](SwitchId s) { return is_leaf(tree, s); });
  std::stable_partition(order.begin(), order.end(), [&](SwitchId s) { return s != last; });
  return order;
}

// A switch of each plane, the lowest, by switch; kNoSwitch for leaves and other components.
IdVector<SwitchId, SwitchId> find_planes(const FatTree& tree, std::uint32_t component) {
  const auto inside = [&](SwitchId s) { return !is_leaf(tree, s) && tree.component(s) == component; };
  const auto number = components(tree, inside);
  std::vector<SwitchId> lowest(number.size(), kNoSwitch);
  IdVector<SwitchId, SwitchId> plane(number.size(), kNoSwitch);
  for (const SwitchId s : tree.fabric().switches()) {
    if (!inside(s)) continue;
    if (lowest[number[s]] == kNoSwitch) lowest[number[s]] = s;
    plane[s] = lowest[number[s]];
  }
  return plane;
}

// Leaves in an order that is random, but the plane's own: where a leaf leaves the fabric, only the planes of which it
// was the root get another one (rendezvous hashing). Mostly the first one fits, so the rest is not sorted.
class LeafDraw {
 public:
  LeafDraw(const FatTree& tree, SwitchId plane, const std::vector<SwitchId>& leaves) {
    const std::uint64_t seed = index(tree.fabric().at(plane).guid) * kSplitmix64Step;
    for (const SwitchId leaf : leaves) heap_.emplace_back(splitmix64(index(tree.fabric().at(leaf).guid) ^ seed), leaf);
    std::ranges::make_heap(heap_);
  }
  // kNoSwitch: there is none left.
  SwitchId operator()() {
    if (heap_.empty()) return kNoSwitch;
    std::ranges::pop_heap(heap_);
    const SwitchId leaf = heap_.back().second;
    heap_.pop_back();
    return leaf;
  }

 private:
  std::vector<std::pair<std::uint64_t, SwitchId>> heap_;
};

// The planes of one component that may have a root of their own, in the order of their numbers.
std::vector<SwitchId> whole_planes(const RoutingProblem& problem, std::uint32_t component,
                                   const IdVector<SwitchId, SwitchId>& plane) {
  // Torn is a plane with a switch that no up-down path leads to some leaf from.
  std::vector<std::uint8_t> leaves(problem.costs.stride());  // of the component: 255
  for (const SwitchId t : plane.ids())
    if (is_leaf(problem.tree, t) && problem.tree.component(t) == component) leaves[index(t)] = 255;
  const auto misses_leaf = [&](SwitchId s) {
    const Hops* const cost = problem.costs.cost_row(s).data();
    for (std::size_t t = 0; t < leaves.size(); t += ByteBlock::kSize)
      if ((equal(ByteBlock::load(cost + t), ByteBlock(kUnreachable)) & ByteBlock::load(&leaves[t])).any()) return true;
    return false;
  };
  IdVector<SwitchId, std::uint8_t> torn(plane.size());
  for (const SwitchId s : plane.ids())
    if (plane[s] != kNoSwitch && torn[plane[s]] == 0 && misses_leaf(s)) torn[plane[s]] = 1;
  std::vector<SwitchId> whole;
  for (const SwitchId s : plane.ids())
    if (plane[s] == s && torn[s] == 0) whole.push_back(s);
  return whole;
}

}  // namespace

SubtreePlan plan_one_subtree(const RoutingProblem& problem, std::uint32_t component, SwitchId away_from) {
  const FatTree& tree = problem.tree;
  SubtreePlan plan{{}, IdVector<SwitchId, std::uint32_t>(tree.fabric().num_switches(), 0)};
  const auto is_sound = [&](const Subtree& subtree) {
    return !turns_close_a_cycle(tree, SubtreePlan{{subtree}, plan.own});
  };
  const std::vector<SwitchId> candidates = leaves_first(tree, component, away_from);
  auto next = [&, i = std::size_t{0}]() mutable { return i < candidates.size() ? candidates[i++] : kNoSwitch; };
  if (auto subtree = first_subtree(problem, next, is_sound)) plan.subtrees.push_back(std::move(*subtree));
  return plan;
}

SubtreePlan plan_subtrees(const RoutingProblem& problem, std::uint32_t component, SwitchId away_from) {
  const FatTree& tree = problem.tree;
  SubtreePlan one = plan_one_subtree(problem, component, away_from);
  if (one.subtrees.empty()) return one;

  const auto plane = find_planes(tree, component);
  const std::vector<SwitchId> whole = whole_planes(problem, component, plane);
  std::vector<SwitchId> leaves = leaves_first(tree, component, away_from);
  std::erase_if(leaves, [&](SwitchId s) { return !is_leaf(tree, s) || s == away_from; });
  const auto only_root_selects = [](const Subtree& subtree) {
    return subtree.selective.empty() || subtree.selective == std::vector{subtree.root};
  };
  if (whole.empty() || !only_root_selects(one.subtrees[0])) return one;

  // The last plane leaves no pair of planes to a root of its own.
  std::vector<std::optional<Subtree>> own(std::min(whole.size(), kMostSubtrees) - 1);
  parallel_for(own.size(), [&](std::size_t i) {
    own[i] = first_subtree(problem, LeafDraw(tree, whole[i], leaves), only_root_selects);
  });
  SubtreePlan plan = one;
  IdVector<SwitchId, std::uint32_t> number(plane.size(), 0);  // of a plane, at its lowest switch
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i < own.size() && own[i]) plan.subtrees.push_back(std::move(*own[i]));
    number[whole[i]] = static_cast<std::uint32_t>(plan.subtrees.size() - 1);
  }
  for (const SwitchId s : plane.ids())
    if (plane[s] != kNoSwitch) plan.own[s] = number[plane[s]];
  return turns_close_a_cycle(tree, plan) ? one : plan;
}

}  // namespace espalier
