// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced.h"

#include <algorithm>
#include <numeric>

#include "core/engines/balanced_cables.h"
#include "core/engines/balanced_loads.h"
#include "core/engines/balanced_search.h"
#include "core/engines/closed_form.h"

namespace espalier {
namespace {

constexpr std::uint64_t kAdditionsPerMillisecond = 1'000'000;
constexpr std::size_t kGlance = 24;                   // shifts that decide whether a search is worth the while
constexpr std::size_t kMostCells = 24 * 1024 * 1024;  // of all cables, 4 bytes each

// Under a shift that sends all hosts of a pod out of it, so many flows must share a cable. A pod: switches up to some
// level that are connected among themselves.
std::uint32_t least_worst_shift(const FatTree& tree, const Cables& cables) {
  const Fabric& fabric = tree.fabric();
  std::size_t least = 0;
  for (std::size_t top = 0; top + 1 < tree.num_levels(); ++top) {
    std::vector<std::size_t> pod(fabric.num_switches());  // a switch of the same pod; of the pod's own name: itself
    std::iota(pod.begin(), pod.end(), std::size_t{0});
    const auto name = [&](std::size_t s) {
      while (pod[s] != s) s = pod[s] = pod[pod[s]];
      return s;
    };
    std::vector<std::size_t> up(pod.size());
    for (const SwitchId s : fabric.switches())
      for (std::size_t i = 0; i < cables.num_up(s) && index(tree.level(s)) <= top; ++i) {
        const SwitchId far = cables.far(id_at<CableId>(index(cables.first(s)) + i));
        if (index(tree.level(far)) <= top)
          pod[name(index(far))] = name(index(s));
        else
          ++up[index(s)];
      }
    std::vector<std::size_t> hosts(pod.size());
    for (const SwitchId s : fabric.switches()) {
      if (index(tree.level(s)) > top) continue;
      hosts[name(index(s))] += tree.hosts(s).size();
      if (name(index(s)) != index(s)) up[name(index(s))] += up[index(s)];
    }
    for (std::size_t s = 0; s < pod.size(); ++s)
      if (pod[s] == s && up[s] > 0) least = std::max(least, (hosts[s] + up[s] - 1) / up[s]);
  }
  return static_cast<std::uint32_t>(least);
}

class Balancer {
 public:
  Balancer(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order, const ForwardingTables& tables)
      : tree_(tree), costs_(costs), order_(order), cables_(tree), columns_(tree, cables_, order, tables) {
    for (const SwitchId s : tree.fabric().switches())
      for (const Hops hops : costs.cost_row(s))
        if (hops != kUnreachable) longest_path_ = std::max(longest_path_, hops);
  }

  [[nodiscard]] const Cables& cables() const { return cables_; }
  [[nodiscard]] const HostColumns& columns() const { return columns_; }

  // Improves the columns; false when they are as before.
  bool run(std::uint64_t additions) {
    const std::size_t n = order_.hosts.size();
    ShiftLoads glance(tree_, cables_, order_, std::min(n, kGlance), longest_path_);
    const SourcesBelow below(tree_, costs_, glance.sources());
    glance.count_all(columns_);
    if (glance.summary().worst_shift <= least_worst_shift(tree_, cables_)) return false;

    ShiftLoads loads(tree_, cables_, order_, num_cells(additions, below, glance.sources().size()), longest_path_);
    loads.count_all(columns_);
    // The loads are those of the columns, here and after every destination.
    DestinationSearch search(tree_, costs_, cables_, below, loads);
    HostColumns best = columns_;
    LoadSummary least = loads.summary();
    bool improved = false;
    // First who pays twice the usual, then more and more.
    for (std::uint32_t pass = 0; pass < kMostPasses && additions > 0; ++pass) {
      loads.set_prices();
      additions = run_pass(additions, 2 * loads.usual_price() >> std::min(pass, kMostPasses / 2), loads, search);
      const LoadSummary now = loads.summary();
      const bool worse = now.worst_shift > least.worst_shift || now.mean_shift > least.mean_shift * kTolerance ||
                         now.random > least.random * kTolerance;
      const bool better = now.worst_shift < least.worst_shift || now.mean_shift * kTolerance < least.mean_shift ||
                          now.random * kTolerance < least.random;
      if (!worse) {
        best = columns_;
        least = now;
        improved = true;
      }
      if (pass >= kLeastPasses && !(better && !worse)) break;
    }
    columns_ = std::move(best);
    return improved;
  }

 private:
  static constexpr double kTolerance = 1.01;  // of means, to which the fullest cell is preferred
  static constexpr std::uint32_t kLeastPasses = 3;
  static constexpr std::uint32_t kMostPasses = 16;

  // As many shifts as one pass can look at for most of the budget, and memory permits; at least two for each leaf, and
  // not in step with the leaves.
  [[nodiscard]] std::size_t num_cells(std::uint64_t additions, const SourcesBelow& below,
                                      std::size_t num_sources) const {
    const std::size_t n = order_.hosts.size();
    std::uint64_t per_cell = 0;  // additions of a pass if there were one cell per host, by hosts
    for (const SwitchId s : tree_.fabric().switches())
      for (const Source& run : below.at(s)) per_cell += 2 * cables_.num_up(s) * (run.last - run.first);
    const std::uint64_t affordable = additions * 2 / 3 / std::max<std::uint64_t>(per_cell, 1);
    return std::min({n, std::max<std::size_t>(affordable, 2 * num_sources + 1),
                     std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, cables_.size()))});
  }

  // Each destination once, as far as `additions` reach; returns what is left of them. Only flows in pods where somebody
  // pays more than `price` move. Leaf by leaf, because the cells of
  // neighbours are neighbours, and the leaves from all over the tree.
  std::uint64_t run_pass(std::uint64_t additions, std::uint32_t price, ShiftLoads& loads, DestinationSearch& search) {
    const auto sources = loads.sources();
    std::size_t stride = sources.size() * 5 / 13 + 1;
    while (std::gcd(stride, sources.size()) != 1) ++stride;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Source& leaf = sources[i * stride % sources.size()];
      for (std::uint32_t host = leaf.first; host < leaf.last && additions > 0; ++host) {
        const auto column = columns_.column(host);
        const ShiftLoads::Flows flows = search.pick(host, leaf.at, column, price);
        loads.remove(flows, column);
        search.choose(column);
        loads.add(flows, column);
        additions -= std::min(additions, search.work());
      }
    }
    return additions;
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const NodeOrder& order_;
  Cables cables_;
  HostColumns columns_;
  Hops longest_path_ = 1;
};

}  // namespace

ForwardingTables balanced(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                          std::uint32_t milliseconds) {
  ForwardingTables tables = closed_form(tree, costs, order);
  // Every pair with an up-down path is routed; what follows only chooses between such paths.
  if (milliseconds == 0 || order.hosts.size() < 2) return tables;
  Balancer balancer(tree, costs, order, tables);
  if (balancer.run(milliseconds * kAdditionsPerMillisecond))
    balancer.columns().write(tree, costs, balancer.cables(), order, tables);
  // No cable is fuller under the worst counted shift, or likely to be under random permutations, than it was.
  return tables;
}

}  // namespace espalier
