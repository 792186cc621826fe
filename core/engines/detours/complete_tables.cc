// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/complete_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"
#include "core/base/try.h"
#include "core/engines/detours/subtree_plan.h"
#include "core/engines/modulo/fast_divide.h"

namespace espalier {
namespace {

// What spreading traffic of hosts may cost, beside kMostAttempts if it fails.
constexpr std::size_t kMostSpreadAttempts = 4;

// Switches without an up-down path from s: in most rows there are none, or few, or whole stretches of them.
template <class Body>
void for_each_unreached(const RoutingProblem& problem, SwitchId s, const Body& body) {
  const Hops* const cost = problem.costs.cost_row(s).data();
  const std::size_t count = problem.fabric.num_switches();
  for (std::size_t first = 0; first < count; first += ByteBlock::kSize) {  // rows are padded to whole blocks
    if (!equal(ByteBlock::load(cost + first), ByteBlock(kUnreachable)).any()) continue;
    for (std::size_t t = first; t < std::min(first + ByteBlock::kSize, count); ++t)
      if (cost[t] == kUnreachable) body(id_at<SwitchId>(t));
  }
}

// LIDs in turn over ports.
class Spread {
 public:
  Spread() = default;
  explicit Spread(std::vector<PortNum> ports)
      : ports_(std::move(ports)), by_count_(static_cast<std::uint32_t>(std::max<std::size_t>(ports_.size(), 1))) {}

  [[nodiscard]] bool empty() const { return ports_.empty(); }
  [[nodiscard]] PortNum at(std::uint32_t id) const { return ports_[by_count_.remainder(id)]; }
  void write(std::span<const LidTarget> targets, std::span<PortNum> row) const {
    for (const LidTarget& target : targets)
      for (std::uint32_t k = 0; k < 1U << target.lmc; ++k) row[index(target.base) + k] = at(target.id + k);
  }

 private:
  std::vector<PortNum> ports_;
  FastDivider by_count_{1};
};

// Of switches at which one LID alone arrives, as on a tree all above the leaves: that LID and its id. Else LID 0.
struct OnlyLid {
  std::uint32_t lid = 0;
  std::uint32_t id = 0;
};

IdVector<SwitchId, OnlyLid> only_lids(const RoutingProblem& problem) {
  IdVector<SwitchId, OnlyLid> only(problem.fabric.num_switches());
  for (const SwitchId t : problem.fabric.switches())
    if (const auto targets = problem.targets.at(t); targets.size() == 1 && targets[0].lmc == 0)
      only[t] = {static_cast<std::uint32_t>(index(targets[0].base)), targets[0].id};
  return only;
}

// Fills the rows of single switches; owns the scratch space that one row needs.
class DetourFiller {
 public:
  DetourFiller(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans,
               const IdVector<SwitchId, OnlyLid>& only)
      : problem_(problem),
        tree_(problem.tree),
        costs_(problem.costs),
        targets_(problem.targets),
        plans_(plans),
        only_(only) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    const SubtreePlan& plan = plans_[tree_.component(s)];
    toward_.assign(plan.subtrees.size(), {});
    const std::uint32_t component = tree_.component(s);
    const std::uint32_t own = plan.subtrees.empty() ? 0 : plan.own[s];
    for_each_unreached(problem_, s, [&](SwitchId t) {
      if (tree_.component(t) != component) return;
      const std::size_t number = std::min(own, plan.own[t]);  // of plan.between(s, t)
      Spread& ports = toward_[number];
      if (ports.empty()) ports = Spread(toward(plan.subtrees[number], s));
      if (const OnlyLid only = only_[t]; only.lid != 0)
        row[only.lid] = ports.at(only.id);
      else
        ports.write(targets_.at(t), row);
    });
    for (const Subtree& subtree : plan.subtrees)
      if (std::binary_search(subtree.selective.begin(), subtree.selective.end(), s)) turn_inside(plan, subtree, s, row);
  }

 private:
  // The ports of s that lead to or along the subtree.
  [[nodiscard]] std::vector<PortNum> toward(const Subtree& subtree, SwitchId s) const {
    if (subtree.toward[s] != nullptr) return ports_of({subtree.toward[s]});
    std::vector<const PortGroup*> ups;
    for (const PortGroup& up : tree_.up_groups(s))
      if (subtree.climb[up.remote] < subtree.climb[s]) ups.push_back(&up);
    return ports_of(ups);
  }

  // What comes down the subtree to a selective switch and turns there has to go up in the subtree.
  void turn_inside(const SubtreePlan& plan, const Subtree& subtree, SwitchId s, std::span<PortNum> row) const {
    std::vector<const PortGroup*> inside;
    for (const PortGroup& up : tree_.up_groups(s))
      if (subtree.joins(s, up.remote)) inside.push_back(&up);
    for (const SwitchId t : tree_.fabric().switches()) {
      if (costs_.cost(s, t) == kUnreachable || costs_.down_cost(s, t) != kUnreachable) continue;
      const auto turns_for = [&](const PortGroup* from) {
        return costs_.cost(from->remote, t) == kUnreachable && &plan.between(from->remote, t) == &subtree;
      };
      if (std::none_of(inside.begin(), inside.end(), turns_for)) continue;
      Hops nearest = kUnreachable;
      for (const PortGroup* up : inside) nearest = std::min(nearest, costs_.cost(up->remote, t));
      std::vector<const PortGroup*> closest;
      for (const PortGroup* up : inside)
        if (costs_.cost(up->remote, t) == nearest) closest.push_back(up);
      Spread(ports_of(closest)).write(targets_.at(t), row);
    }
  }

  [[nodiscard]] std::vector<PortNum> ports_of(const std::vector<const PortGroup*>& groups) const {
    std::vector<PortNum> ports;
    for (const PortGroup* g : groups) ports.insert(ports.end(), tree_.ports(*g).begin(), tree_.ports(*g).end());
    return ports;
  }

  const RoutingProblem& problem_;
  const FatTree& tree_;
  const UpDownCosts& costs_;
  const LidTargets& targets_;
  const std::vector<SubtreePlan>& plans_;
  const IdVector<SwitchId, OnlyLid>& only_;
  std::vector<Spread> toward_;  // per subtree of the component
};

std::uint64_t count_unreachable(std::span<const Hops> costs) {
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (; i + ByteBlock::kSize <= costs.size(); i += ByteBlock::kSize) {
    // A sum of a known number of bytes becomes vector instructions.
    std::uint8_t of_block = 0;
    for (std::size_t k = 0; k < ByteBlock::kSize; ++k)
      of_block = static_cast<std::uint8_t>(of_block + (costs[i + k] == kUnreachable ? 1 : 0));
    count += of_block;
  }
  return count + static_cast<std::uint64_t>(
                     std::count(costs.begin() + static_cast<std::ptrdiff_t>(i), costs.end(), kUnreachable));
}

// Per component: ordered pairs of switches that no up-down path joins.
std::vector<std::uint64_t> count_unreached(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  const Fabric& fabric = problem.fabric;
  IdVector<SwitchId, std::uint64_t> missed(fabric.num_switches());
  parallel_for(missed.size(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    if (tree.num_components() == 1)
      missed[s] = count_unreachable(problem.costs.cost_row(s).first(fabric.num_switches()));
    else
      for_each_unreached(problem, s, [&](SwitchId t) { missed[s] += tree.component(t) == tree.component(s) ? 1 : 0; });
  });
  std::vector<std::uint64_t> unreached(tree.num_components());
  for (const SwitchId s : fabric.switches()) unreached[tree.component(s)] += missed[s];
  return unreached;
}

// The switch that the subnet manager hangs on; kNoSwitch when it is unknown.
SwitchId leaf_of(const Fabric& fabric, Guid port) {
  if (port == kNoGuid) return kNoSwitch;
  const EndportId e = fabric.find_endport(port);
  return e == kNoEndport ? fabric.find_switch(port) : fabric.at(e).leaf;
}

void fill_detours(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans, ForwardingTables& tables) {
  const IdVector<SwitchId, OnlyLid> only = only_lids(problem);
  parallel_blocks(problem.fabric.num_switches(), 8, [&](std::size_t first, std::size_t last) {
    DetourFiller filler(problem, plans, only);
    for (std::size_t s = first; s < last; ++s) filler.fill(id_at<SwitchId>(s), tables.row(id_at<SwitchId>(s)));
  });
}

// The only switches of which entries that are there may change.
std::vector<SwitchId> selective_switches(const std::vector<SubtreePlan>& plans) {
  std::vector<SwitchId> all;
  for (const SubtreePlan& plan : plans)
    for (const Subtree& subtree : plan.subtrees)
      all.insert(all.end(), subtree.selective.begin(), subtree.selective.end());
  return all;
}

// Whether one of `changed` no longer reaches a host by the channel by which it did.
bool moves_hosts(const RoutingProblem& problem, const std::vector<SwitchId>& changed, const ForwardingTables& before,
                 const ForwardingTables& now) {
  for (const SwitchId s : changed)
    for (const EndportId e : problem.order.hosts) {
      const Lid lid = problem.fabric.at(e).lid;
      if (lid != kNoLid && before.at(s, lid) != kNoPort && before.at(s, lid) != now.at(s, lid)) return true;
    }
  return false;
}

// The same, where hosts' routes shall stay: by turns if subtrees move some and turns join all pairs as well. Traffic
// between switches is worth next to nothing.
void fill_detours_for_hosts(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans,
                            ForwardingTables& tables) {
  const std::vector<SwitchId> changed = selective_switches(plans);
  if (changed.empty()) return fill_detours(problem, plans, tables);
  ForwardingTables by_turns = tables;
  fill_detours(problem, plans, tables);
  if (moves_hosts(problem, changed, by_turns, tables) && route_by_turns(problem, by_turns).empty())
    tables = std::move(by_turns);
}

// By subtrees where each component that needs some has them, else by turns: those of hosts spread, if all pairs can be
// joined then.
Completion join(const RoutingProblem& problem, const std::vector<std::uint64_t>& unreached,
                const SwitchPathOptions& options, std::size_t attempts, ForwardingTables& tables) {
  const SwitchId manager = leaf_of(problem.fabric, options.subnet_manager);
  std::vector<SubtreePlan> plans(problem.tree.num_components());
  for (std::uint32_t component = 0; component < plans.size(); ++component) {
    if (unreached[component] == 0) continue;
    plans[component] = plan_subtrees(problem, component, manager);
    if (!plans[component].subtrees.empty()) continue;
    if (count_unreached_hosts(problem) > 0 &&
        spread_over_turns(problem, tables, std::min(attempts, kMostSpreadAttempts)))
      return {};
    return {{fmt::format("no single subtree connects the {} ordered pairs of switches without an up-down path: their "
                         "paths turn at several places, without closing a credit loop",
                         unreached[component])},
            route_by_turns(problem, tables, attempts)};
  }
  // Every component that needs them has its subtrees, and their turns close no cycle.
  if (options.host_routes == SwitchPathOptions::HostRoutes::kStay)
    fill_detours_for_hosts(problem, plans, tables);
  else
    fill_detours(problem, plans, tables);
  return {};
}

}  // namespace

Result<Completion> complete(const RoutingProblem& problem, const SwitchPathOptions& options, ForwardingTables& tables,
                            std::size_t attempts) {
  const std::vector<std::uint64_t> unreached = count_unreached(problem);
  const std::uint64_t total = std::accumulate(unreached.begin(), unreached.end(), std::uint64_t{0});
  if (total == 0) return Completion{};
  switch (options.how) {
    case SwitchPaths::kSubtree:
      return join(problem, unreached, options, attempts, tables);
    case SwitchPaths::kUpDown:
      return fail(fmt::format("{} ordered pairs of switches have no up-down path", total));
    case SwitchPaths::kNone:
      return Completion{{fmt::format("{} ordered pairs of switches have no up-down path and no route", total)}, {}};
  }
  throw std::logic_error("unknown kind of switch paths");
}

Result<std::vector<std::string>> complete_tables(const RoutingProblem& problem, const SwitchPathOptions& options,
                                                 ForwardingTables& tables) {
  ESPALIER_TRY(Completion done, complete(problem, options, tables));
  if (!done.unjoined.empty())
    return fail(fmt::format("no deadlock-free path from {} to {} could be added",
                            problem.fabric.label(done.unjoined.front().from),
                            problem.fabric.label(done.unjoined.front().to)));
  return std::move(done.warnings);
}

std::uint64_t count_unreached_hosts(const RoutingProblem& problem) {
  const FatTree& tree = problem.tree;
  std::uint64_t pairs = 0;
  for (const SwitchId s : tree.fabric().switches()) {
    if (tree.hosts(s).empty()) continue;
    for_each_unreached(problem, s, [&](SwitchId t) {
      if (tree.component(s) == tree.component(t)) pairs += tree.hosts(s).size() * tree.hosts(t).size();
    });
  }
  return pairs;
}

}  // namespace espalier
