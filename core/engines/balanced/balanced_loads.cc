// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_loads.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"
#include "core/fabric/capacities.h"

namespace espalier {
namespace {

constexpr double kTolerance = 1.01;     // of means
constexpr std::size_t kBlocks = 8;      // of cells, for threads
constexpr std::size_t kCellBlock = 64;  // cells of a block

// P(X > m) for a Poisson distributed X. (Not by std::lgamma, which is not for several threads.)
double poisson_tail(double mean, int m) { return boost::math::gamma_p(m + 1.0, mean); }

// The m at which it is as likely as not that none of the cables has more than m flows. `cables` per step of the mean.
double likely_maximum(const std::vector<std::uint32_t>& cables, double steps) {
  const auto expected_above = [&](int m) {
    double sum = 0;
    for (std::size_t step = 1; step < cables.size(); ++step)
      if (cables[step] != 0) sum += cables[step] * poisson_tail(static_cast<double>(step) / steps, m);
    return sum;
  };
  const double even = std::log(2.0);
  int m = static_cast<int>(static_cast<double>(cables.size()) / steps);
  double above = expected_above(m);
  if (above <= even) return m;
  for (;; ++m) {
    const double next = expected_above(m + 1);
    if (next <= even) return m + std::log(above / even) / std::log(above / std::max(next, 1e-30));
    above = next;
  }
}

}  // namespace

bool is_worse(const LoadSummary& a, const LoadSummary& b) {
  return a.worst_shift > b.worst_shift || a.mean_shift > b.mean_shift * kTolerance || a.random > b.random * kTolerance;
}

bool is_better(const LoadSummary& a, const LoadSummary& b) {
  return !is_worse(a, b) && (a.worst_shift < b.worst_shift || a.mean_shift * kTolerance < b.mean_shift ||
                             a.random * kTolerance < b.random);
}

std::uint16_t ShiftLoads::price(double share) const {
  return static_cast<std::uint16_t>(std::min(1.0, share) * highest_price_);
}

ShiftLoads::ShiftLoads(const FatTree& tree, const Cables& cables, const Phases& phases, Hops longest_path,
                       const Objective& objective)
    : cables_(cables),
      phases_(phases),
      objective_(objective),
      num_cells_(phases.size()),
      highest_price_(static_cast<std::uint16_t>(0xFFFF / (2 * std::max<unsigned>(longest_path, 1)))),
      weight_(cables.size(), 1),
      place_(cables.size()),
      loads_(cables.size() * phases.size()),
      prices_(loads_.size()),
      sum_(cables.size()),
      leads_down_(cables.size()) {
  for (const SwitchId s : tree.fabric().switches()) {
    place(cables.first(s), cables.num_up(s), tree.down_groups(s).empty());
    for (const PortGroup& g : tree.down_groups(s)) {
      const CableId first = cables.at(s, cables.number(s, tree.ports(g)[0]));
      place(first, g.num_ports, false);
      std::fill_n(leads_down_.begin() + index(first), g.num_ports, std::uint8_t{1});
    }
  }
  set_weights(tree);
  first_price_.assign(num_cells_, 0);
  price_table_.assign(1, 0);
  mean_price_table_.assign(1, 0);
}

void ShiftLoads::set_weights(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  const Capacities capacities(fabric);
  if (capacities.all_are_one()) return;
  unit_ = kUnitsPerFlow;
  for (const SwitchId s : fabric.switches())
    for (const auto groups : {tree.up_groups(s), tree.down_groups(s)})
      for (const PortGroup& g : groups)
        for (const PortNum port : tree.ports(g)) {
          const float units = static_cast<float>(unit_) * capacities.weight(fabric.channel(s, port));
          weight_[cables_.at(s, cables_.number(s, port))] =
              static_cast<std::uint16_t>(std::clamp(std::round(units), 1.0F, 1024.0F));
        }
}

void ShiftLoads::place(CableId first, std::size_t count, bool cell_by_cell) {
  const auto width = static_cast<std::uint16_t>(cell_by_cell ? count : 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto rows = static_cast<std::uint32_t>((index(first) + (cell_by_cell ? 0 : i)) * num_cells_);
    place_[id_at<CableId>(index(first) + i)] = {rows + (cell_by_cell ? static_cast<std::uint32_t>(i) : 0), width, 0};
    if (!cell_by_cell || i == 0) rows_.push_back({rows, width});
  }
}

// visit(cable, first cell, behind the last) for all cables that the flows use.
template <class Visit>
void ShiftLoads::visit_cells(const Flows& flows, std::span<const std::uint8_t> column, Visit visit) const {
  const auto sources = phases_.sources();
  for (std::size_t first = 0, last = 0; first < flows.runs.size(); first = last) {
    while (last < flows.runs.size() && flows.runs[last].source == flows.runs[first].source) ++last;
    for (SwitchId s = sources[flows.runs[first].source].at; s != flows.destination && column[index(s)] != kNoCable;) {
      const CableId c = cables_.at(s, column[index(s)]);
      for (std::size_t i = first; i < last; ++i) visit(c, flows.runs[i].begin, flows.runs[i].end);
      s = cables_.far(c);
    }
  }
}

void ShiftLoads::count_all(const HostColumns& columns) {
  // Whoever owns a block of cells is the only one to touch it.
  parallel_for(kBlocks, [&](std::size_t b) {
    SenderRuns runs(phases_);
    for (const Source& to : phases_.sources())
      for (std::uint32_t d = to.first; d < to.last; ++d) {
        runs.set_host(d, b * num_cells_ / kBlocks, (b + 1) * num_cells_ / kBlocks);
        visit_cells({to.at, runs.all()}, columns.column(d), [&](CableId c, std::size_t begin, std::size_t end) {
          const auto [base, stride, mean] = place_[c];
          for (std::size_t y = begin; y < end; ++y) {
            std::uint16_t& load = loads_[base + y * stride];
            load = static_cast<std::uint16_t>(load + weight_[c]);
          }
        });
      }
  });
  parallel_for(sum_.size(), [&](std::size_t i) {
    const auto [base, stride, mean] = place_[id_at<CableId>(i)];
    std::uint32_t sum = 0;
    for (std::size_t y = 0; y < num_cells_; ++y) sum += loads_[base + y * stride];
    sum_[id_at<CableId>(i)] = sum;
  });
}

template <int kChange>
void ShiftLoads::count(const Flows& flows, std::span<const std::uint8_t> column) {
  visit_cells(flows, column, [&](CableId c, std::size_t begin, std::size_t end) {
    const auto [base, stride, mean] = place_[c];
    for (std::size_t y = begin; y < end; ++y) {
      std::uint16_t& load = loads_[base + y * stride];
      load = static_cast<std::uint16_t>(load + kChange * weight_[c]);
      prices_[base + y * stride] = price_of(load, y);
    }
    const auto units = static_cast<std::uint32_t>((end - begin) * weight_[c]);
    sum_[c] = kChange > 0 ? sum_[c] + units : sum_[c] - units;
    place_[c].mean_price = price_of_mean(c);
  });
}

template void ShiftLoads::count<1>(const Flows&, std::span<const std::uint8_t>);
template void ShiftLoads::count<-1>(const Flows&, std::span<const std::uint8_t>);

std::vector<std::uint16_t> ShiftLoads::fullest_of_shifts() const {
  std::vector<std::uint16_t> fullest(num_cells_);
  parallel_blocks(num_cells_, kCellBlock, [&](std::size_t begin, std::size_t end) {
    for (const auto [base, width] : rows_)
      if (width == 1)
        for (std::size_t y = begin; y < end; ++y) fullest[y] = std::max(fullest[y], loads_[base + y]);
      else
        for (std::size_t y = begin; y < end; ++y) {
          const std::uint16_t* const cells = loads_.data() + base + y * width;
          std::uint16_t most = 0;
          for (std::size_t i = 0; i < width; ++i) most = std::max(most, cells[i]);
          fullest[y] = std::max(fullest[y], most);
        }
  });
  return fullest;
}

void ShiftLoads::set_prices(const LoadSummary& now, const PriceRule& rule) {
  const std::vector<std::uint16_t> fullest = fullest_of_shifts();
  most_flows_ = std::max<std::uint16_t>(1, *std::max_element(fullest.begin(), fullest.end()));
  price_table_.clear();
  // Each of the two in shares of the highest price: the more important one has all of it.
  const double most_weight = std::max(objective_.shifts, objective_.random);
  for (std::size_t most = 0; most <= most_flows_; ++most)
    for (std::size_t flows = 0; flows <= most_flows_; ++flows) {
      const double many = (static_cast<double>(most) + most_flows_) / 2;
      price_table_.push_back(
          price(objective_.shifts / most_weight * std::pow((static_cast<double>(flows) + 0.5) / many, rule.power)));
    }
  for (std::size_t y = 0; y < num_cells_; ++y) first_price_[y] = fullest[y] * (most_flows_ + 1U);
  const std::size_t most_steps = mean_steps(*std::max_element(sum_.begin(), sum_.end()));
  mean_price_table_.assign(1, 0);
  for (std::size_t step = 1; step <= most_steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(most_steps);
    const double fewer_flows = static_cast<double>(most_steps - step) / kMeanSteps;
    mean_price_table_.push_back(
        price(objective_.random / most_weight * rule.mean_share * std::pow(share, now.random) * std::exp(fewer_flows)));
  }

  std::uint64_t paid = parallel_reduce(
      num_cells_, kCellBlock, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end, std::uint64_t sum) {
        for (const auto [base, width] : rows_)
          for (std::size_t y = begin; y < end; ++y)
            for (std::size_t i = base + y * width; i < base + (y + 1) * width; ++i) {
              prices_[i] = price_of(loads_[i], y);
              sum += std::uint32_t{loads_[i]} * prices_[i];
            }
        return sum;
      },
      std::plus<>());
  for (const CableId c : sum_.ids()) {
    place_[c].mean_price = price_of_mean(c);
    paid += std::uint64_t{sum_[c]} * place_[c].mean_price;
  }
  usual_price_ = static_cast<std::uint32_t>(paid / (phases_.num_hosts() * num_cells_));
}

LoadSummary ShiftLoads::summary() const {
  std::vector<std::uint32_t> cables(1);
  for (const std::uint32_t sum : sum_) {
    const std::size_t step = mean_steps(sum);
    if (step >= cables.size()) cables.resize(step + 1);
    ++cables[step];
  }
  const std::vector<std::uint16_t> fullest = fullest_of_shifts();
  const double total = std::accumulate(fullest.begin(), fullest.end(), 0.0);
  LoadSummary summary;
  summary.units_per_flow = unit_;
  if (objective_.shifts > 0) {
    summary.worst_shift = *std::max_element(fullest.begin(), fullest.end());
    summary.mean_shift = total / static_cast<double>(num_cells_);
  }
  if (objective_.random > 0) summary.random = likely_maximum(cables, kMeanSteps);
  return summary;
}

}  // namespace espalier
