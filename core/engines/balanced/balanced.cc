// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/engines/balanced/balanced_cables.h"
#include "core/engines/balanced/balanced_deal.h"
#include "core/engines/balanced/balanced_entrances.h"
#include "core/engines/balanced/balanced_loads.h"
#include "core/engines/balanced/balanced_offsets.h"
#include "core/engines/balanced/balanced_passes.h"
#include "core/engines/balanced/balanced_pieces.h"
#include "core/engines/balanced/balanced_shares.h"
#include "core/engines/ftree/ftree.h"
#include "core/engines/ftree/ftree2.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/gxmodk.h"
#include "core/engines/modulo/pqft.h"
#include "core/engines/modulo/weighted_modulo.h"

namespace espalier {
namespace {

constexpr std::size_t kEntriesPerMillisecond = 8'000;    // of ftree2's tables
constexpr std::size_t kEntrancesPerMillisecond = 2'500;  // found, evened out and dealt
constexpr std::size_t kGlance = 24;                      // shifts at least that decide whether it is worth the while
constexpr std::size_t kGlanceCells = 1024 * 1024;        // of all cables

// Under a shift that sends all hosts of a pod out of it, or into it all that are outside, so many flows must share a
// cable. A pod: switches up to some level that are connected among themselves.
std::uint32_t least_worst_shift(const FatTree& tree, const Cables& cables, std::size_t num_hosts) {
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
        const SwitchId far = cables.far(cables.at(s, i));
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
      if (pod[s] == s && up[s] > 0)
        least = std::max(least, (std::min(hosts[s], num_hosts - hosts[s]) + up[s] - 1) / up[s]);
  }
  return static_cast<std::uint32_t>(least);
}

// By ids of which each leaf takes as many as the fullest.
ForwardingTables padded_closed_form(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order) {
  NodeOrder padded = order;
  std::size_t most = 0;
  for (const SwitchId s : tree.fabric().switches()) most = std::max(most, tree.hosts(s).size());
  std::size_t first = 0;
  for (std::size_t i = 0, in_leaf = 0; i < order.hosts.size(); ++i, ++in_leaf) {
    if (i > 0 && tree.fabric().at(order.hosts[i]).leaf != tree.fabric().at(order.hosts[i - 1]).leaf) {
      first += most;
      in_leaf = 0;
    }
    padded.of_endport[order.hosts[i]] = static_cast<std::uint32_t>(first + in_leaf);
  }
  return closed_form(tree, costs, padded);
}

class Balancer {
 public:
  Balancer(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order, const ForwardingTables& tables,
           const BalancedOptions& options, const Deadline& deadline)
      : tree_(tree),
        costs_(costs),
        order_(order),
        options_(options),
        deadline_(deadline),
        cables_(tree),
        columns_(tree, cables_, order, tables),
        sources_(find_sources(tree.fabric(), order)) {
    for (const SwitchId s : tree.fabric().switches())
      for (const Hops hops : costs.cost_row(s))
        if (hops != kUnreachable) longest_path_ = std::max(longest_path_, hops);
  }

  // What a few shifts tell of the columns.
  [[nodiscard]] LoadSummary sample() const { return glance_at(columns_); }

  // Whether nothing can be gained on columns with these loads.
  [[nodiscard]] bool is_done(const LoadSummary& loads) const {
    return cables_.size() == 0 || (is_as_good_as_can_be(loads) && has_equal_leaves());
  }

  // Improves the columns; false when they are as before, and as good as can be.
  bool run() {
    std::uint32_t milliseconds = options_.milliseconds;
    const LoadSummary before = glance_at(columns_);
    if (is_done(before)) return false;
    deal(before, milliseconds);
    try_others(milliseconds);
    search(milliseconds, {});
    return true;
  }

  // The same where phases between types count: within the pieces that the columns, gxmodk's, keep to.
  bool run_in_pieces() {
    if (is_as_good_as_can_be(glance_at(columns_))) return false;
    search(options_.milliseconds, Pieces(columns_, order_, sources_, options_.types));
    return true;
  }

  // Puts the columns into `tables`, and what goes with them for the other LIDs of hosts.
  void write(ForwardingTables& tables) const {
    columns_.write(tree_, costs_, cables_, order_, tables);
    if (inbound_.empty() || !options_.objective.offsets) return;
    if (std::none_of(order_.hosts.begin(), order_.hosts.end(), [&](auto e) { return tree_.fabric().at(e).lmc > 0; }))
      return;
    deal_out_offsets(tree_, costs_, cables_, order_, sources_, inbound_, columns_, tables);
  }

 private:
  [[nodiscard]] bool is_as_good_as_can_be(const LoadSummary& loads) const {
    return loads.worst_shift <= least_worst_shift(tree_, cables_, order_.hosts.size()) * loads.units_per_flow;
  }

  // Whether all switches with hosts have as many of them: counters and other numberings gain nothing then.
  [[nodiscard]] bool has_equal_leaves() const {
    std::size_t hosts = 0;
    for (const SwitchId s : tree_.fabric().switches()) {
      if (tree_.hosts(s).empty()) continue;
      if (hosts != 0 && tree_.hosts(s).size() != hosts) return false;
      hosts = tree_.hosts(s).size();
    }
    return true;
  }

  void search(std::uint32_t milliseconds, Pieces pieces) {
    const SearchOptions options{milliseconds, options_.parts, options_.objective, std::move(pieces)};
    if (deadline_.passed()) return;
    (void)search_by_passes(tree_, costs_, order_, options, cables_, longest_path_, deadline_, columns_);
  }

  // A few shifts, or all of a small fabric.
  [[nodiscard]] LoadSummary glance_at(const HostColumns& columns) const {
    const std::size_t cells = std::max(kGlance, kGlanceCells / std::max<std::size_t>(1, cables_.size()));
    const Phases phases(tree_.fabric(), order_, options_.parts, cells);
    ShiftLoads glance(tree_, cables_, phases, longest_path_, options_.objective);
    glance.count_all(columns);
    return glance.summary();
  }

  // The columns anew, from shares. As they were: it would take too long, which is known from one destination, or they
  // would be no better than `before`.
  void deal(const LoadSummary& before, std::uint32_t& milliseconds) {
    const std::span<const Source> sources = sources_;
    const std::size_t entrances =
        sources.size() * find_entrances(tree_, costs_, cables_, sources, sources.first(1)).front().entrances.size();
    if (entrances / kEntrancesPerMillisecond > milliseconds) return;
    milliseconds -= static_cast<std::uint32_t>(entrances / kEntrancesPerMillisecond);
    inbound_ = find_entrances(tree_, costs_, cables_, sources, sources);
    if (deadline_.passed()) return;
    even_out_shares(inbound_, tree_.fabric().num_switches(), cables_.size());
    if (deadline_.passed()) return;
    HostColumns dealt = columns_;
    deal_out(tree_, costs_, cables_, sources, inbound_, dealt);
    if (is_better(glance_at(dealt), before)) columns_ = std::move(dealt);
  }

  // The same with our entry wherever theirs does not lead closer to the destination: ftree2's trees come around below
  // switches with hosts of their own. The search moves all flows that a new entry may touch, by where shortest ways go.
  [[nodiscard]] HostColumns shortest(HostColumns other) const {
    for (std::uint32_t host = 0; host < order_.hosts.size(); ++host) {
      const SwitchId t = tree_.fabric().at(order_.hosts[host]).leaf;
      const auto own = columns_.column(host);
      const auto theirs = other.column(host);
      for (const SwitchId s : tree_.fabric().switches()) {
        const std::uint8_t number = theirs[index(s)];
        const bool goes_down = number != kNoCable && number >= cables_.num_up(s);
        if (number == kNoCable || goes_down != (costs_.down_cost(s, t) != kUnreachable) ||
            !costs_.leads_closer(s, cables_.far(cables_.at(s, number)), t))
          theirs[index(s)] = own[index(s)];
      }
    }
    return other;
  }

  // The columns of another engine or another numbering, if they are better and take no more than a quarter of the time.
  void try_others(std::uint32_t& milliseconds) {
    const auto needed =
        static_cast<std::uint32_t>(tree_.fabric().num_switches() * order_.hosts.size() / kEntriesPerMillisecond);
    if (needed > milliseconds / 4) return;
    milliseconds -= needed;
    LoadSummary least = glance_at(columns_);
    for (const auto& step : {pqft, ftree2, ftree, closed_form, padded_closed_form}) {
      if (deadline_.passed()) return;
      HostColumns other = shortest(HostColumns(tree_, cables_, order_, step(tree_, costs_, order_)));
      const LoadSummary now = glance_at(other);
      if (!is_better(now, least)) continue;
      columns_ = std::move(other);
      least = now;
    }
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const NodeOrder& order_;
  const BalancedOptions& options_;
  const Deadline& deadline_;
  Cables cables_;
  HostColumns columns_;
  std::vector<Source> sources_;
  std::vector<Inbound> inbound_;  // with shares; empty where there was no time for them
  Hops longest_path_ = 1;
};

// The plain closed form where no tables could do better; else the weighted one or the plain one, whichever is better by
// the mean over a few shifts times what is likely under random permutations: on trees that miss whole switches, and on
// fast links beside others, the plain one may line up better.
ForwardingTables better_start(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                              const BalancedOptions& options, const Deadline& deadline) {
  ForwardingTables plain = closed_form(tree, costs, order);
  if (order.hosts.size() < 2) return plain;
  const Balancer balancer_of_plain(tree, costs, order, plain, options, deadline);
  const LoadSummary by_number = balancer_of_plain.sample();
  if (balancer_of_plain.is_done(by_number)) return plain;
  ForwardingTables weighted = weighted_modulo(tree, costs, order);
  if (weighted == plain) return weighted;
  const LoadSummary by_weight = Balancer(tree, costs, order, weighted, options, deadline).sample();
  return by_number.mean_shift * by_number.random < by_weight.mean_shift * by_weight.random ? plain : weighted;
}

}  // namespace

ForwardingTables balanced(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                          const BalancedOptions& options, const Deadline& deadline) {
  const bool by_type = options.objective.phases && tells_types_apart(order, options.types);
  EngineOptions of_types;
  if (by_type) of_types.node_types = options.types;
  ForwardingTables tables =
      by_type ? gxmodk(tree, costs, order, of_types) : better_start(tree, costs, order, options, deadline);
  // Every pair with an up-down path is routed; what follows only chooses between such paths.
  if (options.milliseconds == 0 || order.hosts.size() < 2) return tables;
  Balancer balancer(tree, costs, order, tables, options, deadline);
  if ((by_type ? balancer.run_in_pieces() : balancer.run()) && !deadline.passed()) balancer.write(tables);
  // No cable is fuller under the worst counted shift, or likely to be under random permutations, than it was.
  return tables;
}

}  // namespace espalier
