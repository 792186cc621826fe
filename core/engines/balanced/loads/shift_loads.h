// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The load of every channel under every shift, kept up to date while routes change, with its price: the state of the
// congestion game that best responses play (load_prices.h).
//
// Loads are counted in the units of flow_weights.h.
//
// A flow is priced by the load that it would leave, less half of what it adds (of a host's flow, if it adds more): on
// an idle link at a quarter of a host's rate it costs what a fourth flow does elsewhere. Priced by the load that is
// there, an idle slow link would look like any other, and best responses would never leave it.
//
// Layout: per channel a row of loads, one per shift that is counted (phases.h). All flows of a switch to a destination
// are a short run of it or a few, those of a whole pod one long run, which vector instructions add up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/flow_loads.h"
#include "core/engines/balanced/loads/flow_weights.h"
#include "core/engines/balanced/loads/load_prices.h"
#include "core/engines/balanced/loads/load_summary.h"
#include "core/engines/balanced/loads/phases.h"
#include "core/tree/tree_channels.h"

namespace espalier {

class ShiftLoads {
 public:
  // One load per channel and phase, and one per channel for the known flows. REQUIRES: there is a phase; the arguments
  // but the known flows outlive this.
  ShiftLoads(const RoutingProblem& problem, const TreeChannels& channels, const Phases& phases, Hops longest_path,
             const Objective& objective = {}, std::span<const KnownFlow> known = {});

  [[nodiscard]] const Phases& phases() const { return phases_; }
  [[nodiscard]] std::size_t num_shifts() const { return phases_.size(); }
  [[nodiscard]] std::size_t num_channels() const { return place_.size(); }
  [[nodiscard]] std::span<const HostRun> sources() const { return phases_.sources(); }

  // Flows to one destination switch, those of a source one after the other, and known flows there.
  struct Flows {
    SwitchId destination = kNoSwitch;
    std::span<const PhaseRun> runs;
    std::span<const FlowLoads::Sender> known = {};
  };
  // Counts all flows, on all threads, or some more, or takes some back. Prices follow at once, see set_prices(), but for
  // count_all(), which adds to what was counted before. REQUIRES: remove() gets the column with which the flows were added.
  void count_all(const HostColumns& columns);
  void add(const Flows& flows, std::span<const std::uint8_t> column) { count<1>(flows, column); }
  void remove(const Flows& flows, std::span<const std::uint8_t> column) { count<-1>(flows, column); }

  // Makes the present maxima the reference of all prices. REQUIRES: now == summary().
  void set_prices(const LoadSummary& now, const PriceRule& rule = {});

  // The price of a flow's whole path, in the mean over all flows; as of the last set_prices().
  [[nodiscard]] std::uint32_t mean_path_price() const { return mean_path_price_; }

  // Price of one more flow on c under shift y: price_at(c)[y * stride(c)] + mean_load_price(c).
  [[nodiscard]] const std::uint16_t* price_at(TreeChannelId c) const { return prices_.data() + place_[c].base; }
  [[nodiscard]] std::size_t stride(TreeChannelId c) const { return place_[c].stride; }
  [[nodiscard]] std::uint16_t mean_load_price(TreeChannelId c) const { return place_[c].mean_load_price; }

  [[nodiscard]] LoadSummary summary() const;
  [[nodiscard]] const FlowWeights& weights() const { return weight_; }
  [[nodiscard]] const FlowLoads& known_flows() const { return known_; }

 private:
  // The rows of a leaf's channels upward are interleaved, shift by shift, so that a leaf's choice reads few cache
  // lines; all others lie row by row.
  struct Place {
    std::uint32_t base = 0;
    std::uint16_t stride = 1;
    std::uint16_t mean_load_price = 0;
  };
  // Interleaved rows: the load of the i-th channel under shift y is number base + y * width + i.
  struct Rows {
    std::uint32_t base = 0;
    std::uint16_t width = 1;
    std::uint32_t first = 0;  // channel
  };
  void set_lifts();
  enum class Layout : std::uint8_t { kRows, kInterleaved };
  void place(TreeChannelId first, std::size_t count, Layout layout);
  template <class Visit>
  void visit_loads(const Flows& flows, std::span<const std::uint8_t> column, Visit visit) const;
  template <int kChange>
  void count(const Flows& flows, std::span<const std::uint8_t> column);
  // The mean over shifts with this sum, in the steps of LoadPrices::of_mean().
  [[nodiscard]] std::size_t mean_steps(std::size_t sum) const;
  [[nodiscard]] std::uint16_t price_of_mean(TreeChannelId c) const;
  [[nodiscard]] std::vector<std::uint16_t> most_of_shifts() const;

  const TreeChannels& channels_;
  const Phases& phases_;
  Objective objective_;
  LoadPrices price_;
  FlowLoads known_;
  FlowWeights weight_;
  IdVector<TreeChannelId, std::uint16_t> lift_;  // what the price of one flow more adds to the load
  std::uint32_t mean_path_price_ = 0;
  IdVector<TreeChannelId, Place> place_;
  std::vector<Rows> rows_;
  LargeVector<std::uint16_t> loads_;
  LargeVector<std::uint16_t> prices_;
  IdVector<TreeChannelId, std::uint32_t> sum_;  // of the loads under all shifts
  IdVector<TreeChannelId, std::uint8_t> leads_down_;
};

}  // namespace espalier
