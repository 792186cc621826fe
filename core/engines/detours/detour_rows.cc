// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/detours/detour_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"
#include "core/engines/modulo/fast_divide.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

constexpr std::size_t kAtOnce = ByteBlock::kSize;  // destination switches
constexpr std::size_t kLeastDetourRows = 32;       // of one task: the first of them takes longer

// LIDs in turn over ports.
class PortRing {
 public:
  PortRing() = default;
  explicit PortRing(std::vector<PortNum> ports)
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

// What all rows share.
struct Destinations {
  IdVector<SwitchId, OnlyLid> only;
  // Per 64 switches: the LID of the first, if each has one LID alone, one more than the switch before; else 0.
  std::vector<std::uint32_t> first_lid;

  Destinations(const RoutingProblem& problem, std::size_t width) : only(problem.fabric.num_switches()) {
    for (const SwitchId t : problem.fabric.switches())
      if (const auto targets = problem.targets.at(t); targets.size() == 1 && targets[0].lmc == 0)
        only[t] = {static_cast<std::uint32_t>(index(targets[0].base)), targets[0].id};
    for (std::size_t first = 0; first < only.size(); first += kAtOnce) {
      const std::uint32_t lid = only[id_at<SwitchId>(first)].lid;
      bool in_a_row = lid != 0 && lid + kAtOnce <= width;
      for (std::size_t t = first; in_a_row && t < std::min(first + kAtOnce, only.size()); ++t)
        in_a_row = only[id_at<SwitchId>(t)].lid == lid + (t - first);
      first_lid.push_back(in_a_row ? lid : 0);
    }
  }
};

// Fills rows one after another. What a switch sends where is known from the one before, as long as both have the same
// ports toward a subtree.
class DetourFiller {
 public:
  DetourFiller(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans, const Destinations& destinations)
      : problem_(problem),
        tree_(problem.tree),
        costs_(problem.costs),
        plans_(plans),
        destinations_(destinations),
        inside_(costs_.stride()),
        own_(costs_.stride()),
        ports_(costs_.stride()),
        is_known_(costs_.stride()) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    const SubtreePlan& plan = plans_[tree_.component(s)];
    if (plan.subtrees.empty()) return;
    start(plan, s);
    for (std::size_t block = 0; block < destinations_.first_lid.size(); ++block) fill_block(plan, s, block, row);
    for (const Subtree& subtree : plan.subtrees)
      if (std::binary_search(subtree.selective.begin(), subtree.selective.end(), s)) turn_inside(plan, subtree, s, row);
    last_ = s;
  }

 private:
  // Keeps what holds for s as well.
  void start(const SubtreePlan& plan, SwitchId s) {
    const bool is_first = last_ == kNoSwitch || tree_.component(last_) != tree_.component(s);
    if (is_first)
      for (const SwitchId t : tree_.fabric().switches()) {
        inside_[index(t)] = tree_.component(t) == tree_.component(s) ? 255 : 0;
        own_[index(t)] = static_cast<std::uint8_t>(plan.own[t]);
      }
    if (is_first || plan.own[last_] != plan.own[s]) {
      toward_.assign(plan.subtrees.size(), {});
      std::ranges::fill(is_known_, 0);
      return;
    }
    const bool same_ups = are_same_hops(tree_, tree_.up_groups(last_), tree_.up_groups(s));
    for (std::size_t number = 0; number < toward_.size(); ++number) {
      if (toward_[number].empty() || have_same_toward(plan.subtrees[number], last_, s, same_ups)) continue;
      toward_[number] = {};
      forget(static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(plan.own[s]));
    }
  }

  // What goes by this subtree from a switch whose own is `own`.
  void forget(std::uint8_t number, std::uint8_t own) {
    for (std::size_t first = 0; first < own_.size(); first += kAtOnce) {
      const ByteBlock between = min(ByteBlock::load(own_.data() + first), ByteBlock(own));
      select(equal(between, ByteBlock(number)), ByteBlock(0), ByteBlock::load(is_known_.data() + first))
          .store(is_known_.data() + first);
    }
  }

  void fill_block(const SubtreePlan& plan, SwitchId s, std::size_t block, std::span<PortNum> row) {
    const std::size_t first = block * kAtOnce;
    const ByteBlock unreached = equal(ByteBlock::load(costs_.cost_row(s).data() + first), ByteBlock(kUnreachable)) &
                                ByteBlock::load(inside_.data() + first);
    if (!unreached.any()) return;
    const ByteBlock known = ByteBlock::load(is_known_.data() + first);
    std::array<std::uint8_t, kAtOnce> wanted;
    if (const ByteBlock unknown = unreached & (known ^ ByteBlock(255)); unknown.any()) {
      unknown.store(wanted.data());
      for (std::size_t i = 0; i < kAtOnce; ++i)
        if (wanted[i] != 0) choose(plan, s, id_at<SwitchId>(first + i), row);
    }
    const ByteBlock ready = unreached & ByteBlock::load(is_known_.data() + first);
    if (const std::uint32_t lid = destinations_.first_lid[block]; lid != 0) {
      select(ready, ByteBlock::load(ports_.data() + first), ByteBlock::load(row.data() + lid)).store(row.data() + lid);
      return;
    }
    ready.store(wanted.data());
    for (std::size_t i = 0; i < kAtOnce; ++i)
      if (wanted[i] != 0) row[destinations_.only[id_at<SwitchId>(first + i)].lid] = ports_[first + i];
  }

  // Into the row, where t has several LIDs; else into what is known.
  void choose(const SubtreePlan& plan, SwitchId s, SwitchId t, std::span<PortNum> row) {
    const std::size_t number = std::min(plan.own[s], plan.own[t]);  // of plan.between(s, t)
    PortRing& ports = toward_[number];
    if (ports.empty()) ports = PortRing(toward(plan.subtrees[number], s));
    const OnlyLid only = destinations_.only[t];
    if (only.lid == 0) return ports.write(problem_.targets.at(t), row);
    ports_[index(t)] = ports.at(only.id);
    is_known_[index(t)] = 255;
  }

  // The ports of s that lead to or along the subtree.
  [[nodiscard]] std::vector<PortNum> toward(const Subtree& subtree, SwitchId s) const {
    if (subtree.toward[s] != nullptr) return ports_of({subtree.toward[s]});
    std::vector<const PortGroup*> ups;
    for (const PortGroup& up : tree_.up_groups(s))
      if (subtree.climb[up.remote] < subtree.climb[s]) ups.push_back(&up);
    return ports_of(ups);
  }

  [[nodiscard]] bool have_same_ports(const PortGroup& a, const PortGroup& b) const {
    return std::ranges::equal(tree_.ports(a), tree_.ports(b));
  }
  // Whether toward() is known to be the same for both.
  [[nodiscard]] bool have_same_toward(const Subtree& subtree, SwitchId a, SwitchId b, bool same_ups) const {
    const PortGroup* const of_a = subtree.toward[a];
    const PortGroup* const of_b = subtree.toward[b];
    if (of_a == nullptr && of_b == nullptr) return same_ups && subtree.climb[a] == subtree.climb[b];
    return of_a != nullptr && of_b != nullptr && have_same_ports(*of_a, *of_b);
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
      PortRing(ports_of(closest)).write(problem_.targets.at(t), row);
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
  const std::vector<SubtreePlan>& plans_;
  const Destinations& destinations_;
  SwitchId last_ = kNoSwitch;         // whose row came before
  std::vector<std::uint8_t> inside_;  // 255: in the component of last_
  std::vector<std::uint8_t> own_;     // SubtreePlan::own of that component
  std::vector<PortRing> toward_;      // per subtree: the ports of last_
  // Per destination switch, of those with one LID: the port for it, once it is known (255).
  std::vector<PortNum> ports_;
  std::vector<std::uint8_t> is_known_;
};

// Rows that have much in common follow one another.
std::vector<SwitchId> row_order(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans) {
  const FatTree& tree = problem.tree;
  const auto key = [&](SwitchId s) {
    const SubtreePlan& plan = plans[tree.component(s)];
    const auto ups = tree.up_groups(s);
    return std::tuple(tree.component(s), plan.subtrees.empty() ? 0 : plan.own[s],
                      ups.empty() ? kNoSwitch : ups[0].remote);
  };
  std::vector<SwitchId> order;
  for (const SwitchId s : problem.fabric.switches()) order.push_back(s);
  std::ranges::stable_sort(order, {}, key);
  return order;
}

}  // namespace

void fill_detours(const RoutingProblem& problem, const std::vector<SubtreePlan>& plans, ForwardingTables& tables) {
  const Destinations destinations(problem, tables.width());
  const std::vector<SwitchId> order = row_order(problem, plans);
  parallel_blocks(order.size(), kLeastDetourRows, [&](std::size_t first, std::size_t last) {
    DetourFiller filler(problem, plans, destinations);
    for (std::size_t i = first; i < last; ++i) filler.fill(order[i], tables.row(order[i]));
  });
}

}  // namespace espalier
