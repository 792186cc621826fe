// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How full every cable is under every shift, kept up to date while routes change; and what one more flow would cost.
//
// Under the shift by k, host i sends to host i + k (positions in NodeOrder::hosts, modulo their number n). So a pair of
// hosts meets in exactly one shift, and the hosts of one switch, which are neighbours in the order, send to one
// destination in consecutive shifts. Hence the layout: per cable a row of cells, one per shift; all flows of a switch
// to a destination are one short run of cells, those of a whole pod one long run, which vector instructions add up.
//
// Destination d counts shifts by their sources: its cell y belongs to the source that is y * n / K hosts behind d (the
// shift by -y * n / K). With K = n these are all shifts. With K < n every (n/K)-th is counted, exactly; its neighbours
// differ by few flows, as they move each switch's window of destinations by one.
//
// Example: 6 hosts, two per leaf, K = 6. To host 3 (leaf 1), leaf 2 sends in cells 1 and 2 (hosts 4, 5), leaf 0 in 3
// and 4 (hosts 0, 1).
//
// The price of a cell with x flows is x^5 (or another power, PriceRule), in shares of what counts as many: halfway between the most of its own shift
// and the most of all. The former alone would lower the mean over shifts and let the worst one be; the latter alone has
// eyes for the worst only. To it comes a price for random permutations, where flows on a cable are nearly Poisson
// distributed around its mean y over all shifts: what one flow more adds to the number of cables expected above the
// likely maximum m, y^m e^-y / m! up to a factor by which the fullest cable's is half the highest price of a cell.
// Down, nine tenths of the flows count: most to one destination come down the same cables, so that they vary less. What
// was the most is found when prices are set.
//
// Where links carry different amounts (fabric/capacities.h), loads are counted in units of 1/kUnitsPerFlow of what a
// flow is on a link as fast as a host's: two flows on a link of half that speed are four on others. A unit is a flow
// where all links are as fast as hosts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/balanced_cables.h"
#include "core/engines/balanced/balanced_phases.h"
#include "core/engines/objective.h"
#include "core/tree/fat_tree.h"
#include "core/tree/node_order.h"

namespace espalier {

// How dear a full cell is beside what is nearly full, and a cable that is full in the mean beside a full cell.
struct PriceRule {
  double power = 5;         // of a cell's share of the most
  double mean_share = 0.5;  // highest price of a mean in highest prices of a cell
};

// What there is to see of the loads.
struct LoadSummary {
  std::uint32_t worst_shift = 0;     // in units: the most flows on a cable under one of the counted shifts
  double mean_shift = 0;             // mean of the same over these shifts
  double random = 0;                 // the likely median of the same over random permutations, to compare tables by
  std::uint32_t units_per_flow = 1;  // of worst_shift, on a link as fast as a host's
  bool operator==(const LoadSummary&) const = default;
};
// What the objective leaves out is 0. The fullest cell counts, then the means; of these a hundredth more is no worse, and a hundredth less no better.
[[nodiscard]] bool is_worse(const LoadSummary& a, const LoadSummary& b);
[[nodiscard]] bool is_better(const LoadSummary& a, const LoadSummary& b);

class ShiftLoads {
 public:
  // One cell for each phase. REQUIRES: there is a phase; the arguments outlive this.
  ShiftLoads(const FatTree& tree, const Cables& cables, const Phases& phases, Hops longest_path,
             const Objective& objective = {});

  [[nodiscard]] const Phases& phases() const { return phases_; }
  [[nodiscard]] std::size_t num_cells() const { return num_cells_; }  // of a cable
  [[nodiscard]] std::size_t num_cables() const { return place_.size(); }
  [[nodiscard]] std::span<const Source> sources() const { return phases_.sources(); }

  // Flows to one destination switch, those of a source one after the other.
  struct Flows {
    SwitchId destination = kNoSwitch;
    std::span<const PhaseRun> runs;
  };
  // Counts all flows, on all threads, or some more, or takes some back. Prices follow at once, see set_prices().
  // REQUIRES: nothing was counted before count_all(); remove() finds the column with which the flows were added.
  void count_all(const HostColumns& columns);
  void add(const Flows& flows, std::span<const std::uint8_t> column) { count<1>(flows, column); }
  void remove(const Flows& flows, std::span<const std::uint8_t> column) { count<-1>(flows, column); }

  // Makes the present maxima the measure of all prices. REQUIRES: now == summary().
  void set_prices(const LoadSummary& now, const PriceRule& rule = {});

  // What a flow pays on its way, in the mean over all.
  [[nodiscard]] std::uint32_t usual_price() const { return usual_price_; }

  // Price of one more flow in cell y of c: price_at(c)[y * stride(c)]; to be added: mean_price(c).
  [[nodiscard]] const std::uint16_t* price_at(CableId c) const { return prices_.data() + place_[c].base; }
  [[nodiscard]] std::size_t stride(CableId c) const { return place_[c].stride; }
  [[nodiscard]] std::uint16_t mean_price(CableId c) const { return place_[c].mean_price; }

  [[nodiscard]] LoadSummary summary() const;

 private:
  static constexpr std::size_t kMeanSteps = 16;  // of mean_price_table_, per flow
  static constexpr std::uint32_t kUnitsPerFlow = 8;

  // The cells of leaves' up-cables lie cell by cell, so that a leaf's choice reads few cache lines; others by cable.
  struct Place {
    std::uint32_t base = 0;
    std::uint16_t stride = 1;
    std::uint16_t mean_price = 0;
  };
  // Cables whose cells lie cell by cell: cell y of the i-th is number base + y * width + i.
  struct Rows {
    std::uint32_t base = 0;
    std::uint16_t width = 1;
  };
  void set_weights(const FatTree& tree);
  void place(CableId first, std::size_t count, bool cell_by_cell);
  template <class Visit>
  void visit_cells(const Flows& flows, std::span<const std::uint8_t> column, Visit visit) const;
  template <int kChange>
  void count(const Flows& flows, std::span<const std::uint8_t> column);
  // Of what is `share` of the most.
  [[nodiscard]] std::uint16_t price(double share) const;
  [[nodiscard]] std::uint16_t price_of(std::uint16_t load, std::size_t cell) const {
    return price_table_[first_price_[cell] + std::min(load, most_flows_)];
  }
  // The mean of cells with this sum.
  [[nodiscard]] std::size_t mean_steps(std::size_t sum) const {
    return (sum * kMeanSteps / unit_ + num_cells_ / 2) / num_cells_;
  }
  [[nodiscard]] std::uint16_t price_of_mean(CableId c) const {
    const std::size_t sum = leads_down_[c] != 0 ? std::size_t{sum_[c]} * 9 / 10 : sum_[c];
    return mean_price_table_[std::min(mean_steps(sum), mean_price_table_.size() - 1)];
  }
  [[nodiscard]] std::vector<std::uint16_t> fullest_of_shifts() const;

  const Cables& cables_;
  const Phases& phases_;
  Objective objective_;
  std::size_t num_cells_;
  std::uint16_t highest_price_;
  std::uint32_t unit_ = 1;
  IdVector<CableId, std::uint16_t> weight_;  // units that a flow adds
  std::uint32_t usual_price_ = 0;
  IdVector<CableId, Place> place_;
  std::vector<Rows> rows_;
  std::vector<std::uint16_t> loads_;
  std::vector<std::uint16_t> prices_;
  IdVector<CableId, std::uint32_t> sum_;  // of all cells; its share of num_cells is the mean
  IdVector<CableId, std::uint8_t> leads_down_;
  std::uint16_t most_flows_ = 0;                 // of which price_table_ knows
  std::vector<std::uint32_t> first_price_;       // per cell, into price_table_
  std::vector<std::uint16_t> price_table_;       // by the most flows of a shift, then by flows
  std::vector<std::uint16_t> mean_price_table_;  // by mean flows x kMeanSteps
};

}  // namespace espalier
