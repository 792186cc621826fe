// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_passes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "core/engines/balanced/balanced_loads.h"
#include "core/engines/balanced/balanced_search.h"

namespace espalier {
namespace {

constexpr std::uint64_t kAdditionsPerMillisecond = 400'000;
constexpr std::size_t kCachedCells = 4 * 1024 * 1024;  // below that,
constexpr std::uint64_t kCachedSpeed = 8;              // so many times as many
constexpr std::size_t kMostCells = 24 * 1024 * 1024;   // 4 bytes each
constexpr std::uint64_t kCellsToCount = 3;             // additions for each cell, when all flows are counted
constexpr std::uint32_t kMostPasses = 24;
constexpr std::uint32_t kMostInVain = 5;  // one after the other

// How a search goes about it. Where all phases are counted there is nothing to lose in others: behind a careful search
// comes one that looks at nothing but the fullest cells. It wins 0.1 to 0.7 flows in the mean over shifts of real fabrics
// in the order of names.
struct Regime {
  PriceRule prices;
  std::uint64_t loyalty;
};
constexpr std::array<Regime, 1> kAmongSome{{{{.power = 5, .mean_share = 0.5}, 8}}};
constexpr std::array<Regime, 2> kAmongAll{
    {{{.power = 5, .mean_share = 0.5}, 24}, {{.power = 7, .mean_share = 0.03}, 1'000'000'000}}};

// As many phases as a pass over all flows can look at for most of the budget, and memory permits; at least two for each
// leaf, and not in step with the leaves.
std::size_t num_phases(const Fabric& fabric, const Cables& cables, const SourcesBelow& below, std::size_t num_sources,
                       std::size_t all, std::uint64_t additions) {
  std::uint64_t per_cell = 0;  // additions of a pass if there were one cell per host, by hosts
  for (const SwitchId s : fabric.switches()) per_cell += 2 * cables.num_up(s) * below.num_hosts(below.set(s));
  const std::uint64_t affordable = additions * 2 / 3 / std::max<std::uint64_t>(per_cell, 1);
  return std::min({all, std::max<std::size_t>(affordable, 2 * num_sources + 1),
                   std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, cables.size()))});
}

class Passes {
 public:
  // REQUIRES: the loads are those of the columns; they are again after every destination.
  Passes(HostColumns& columns, ShiftLoads& loads, DestinationSearch& search, const Pieces& pieces,
         std::uint64_t additions, const Deadline& deadline)
      : columns_(columns), loads_(loads), search_(search), pieces_(pieces), left_(additions), deadline_(deadline) {
    spend(kCellsToCount * num_cells());
  }

  // The best columns of all passes; false when there is none better than at first.
  bool run() {
    HostColumns best = columns_;
    LoadSummary now = loads_.summary();
    LoadSummary least = now;
    bool improved = false;
    for (const Regime& regime : loads_.phases().are_all() ? std::span<const Regime>(kAmongAll) : kAmongSome) {
      search_.set_loyalty(regime.loyalty);
      for (std::uint32_t pass = 0, in_vain = 0;
           pass < kMostPasses && in_vain < kMostInVain && left_ > 0 && !deadline_.passed(); ++pass) {
        loads_.set_prices(now, regime.prices);
        spend(num_cells());
        pass_by_all(2 * loads_.usual_price() >> in_vain);
        now = loads_.summary();
        in_vain = is_better(now, least) ? 0 : in_vain + 1;
        if (is_worse(now, least)) continue;
        best = columns_;
        least = now;
        improved = true;
      }
    }
    columns_ = std::move(best);
    return improved;
  }

 private:
  [[nodiscard]] std::size_t num_cells() const { return loads_.num_cells() * loads_.num_cables(); }
  void spend(std::uint64_t additions) { left_ -= std::min(left_, additions); }

  // Each destination once, as far as the budget reaches. Leaf by leaf, because the cells of neighbours are neighbours,
  // and the leaves from all over the tree. Only flows in pods where somebody pays more than `price` move.
  void pass_by_all(std::uint32_t price) {
    const auto sources = loads_.sources();
    std::size_t stride = sources.size() * 5 / 13 + 1;
    while (std::gcd(stride, sources.size()) != 1) ++stride;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Source& leaf = sources[i * stride % sources.size()];
      for (std::uint32_t host = leaf.first; host < leaf.last && left_ > 0 && !deadline_.passed(); ++host)
        if (!pieces_.stays(host)) choose_for(host, leaf.at, price);
    }
  }

  void choose_for(std::uint32_t host, SwitchId leaf, std::uint32_t price) {
    const auto column = columns_.column(host);
    const ShiftLoads::Flows flows = search_.pick(host, leaf, column, price);
    loads_.remove(flows, column);
    search_.choose(column);
    loads_.add(flows, column);
    spend(search_.work());
  }

  HostColumns& columns_;
  ShiftLoads& loads_;
  DestinationSearch& search_;
  const Pieces& pieces_;
  std::uint64_t left_;
  const Deadline& deadline_;
};

}  // namespace

bool search_by_passes(const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order,
                      const SearchOptions& options, const Cables& cables, Hops longest_path, const Deadline& deadline,
                      HostColumns& columns) {
  const bool is_cached = cables.size() * order.hosts.size() <= kCachedCells;
  const std::uint64_t additions = options.milliseconds * kAdditionsPerMillisecond * (is_cached ? kCachedSpeed : 1);
  const std::vector<Source> sources = find_sources(tree.fabric(), order);
  if (additions == 0 || sources.empty()) return false;
  const SourcesBelow below(tree, costs, sources);
  const Phases phases(
      tree.fabric(), order, options.parts,
      num_phases(tree.fabric(), cables, below, sources.size(), Phases::count_all(order, options.parts), additions));
  ShiftLoads loads(tree, cables, phases, longest_path, options.objective);
  loads.count_all(columns);
  DestinationSearch search(tree, costs, cables, below, loads, options.pieces);
  return Passes(columns, loads, search, options.pieces, additions, deadline).run();
}

}  // namespace espalier
