// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced_loads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr double kCellPower = 5;
constexpr double kMeanPower = 8;
constexpr double kMeanWeight = 1;
constexpr std::size_t kBlocks = 8;  // of cells, for threads

// P(X > m) for a Poisson distributed X.
double poisson_tail(double mean, int m) {
  double sum = 0;
  for (int x = m + 1; x < m + 200; ++x) {
    const double term = std::exp(x * std::log(mean) - mean - std::lgamma(x + 1.0));
    sum += term;
    if (x > mean && term < sum * 1e-6) break;
  }
  return std::min(sum, 1.0);
}

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

ShiftLoads::ShiftLoads(const FatTree& tree, const Cables& cables, const NodeOrder& order, std::size_t num_cells,
                       Hops longest_path)
    : fabric_(tree.fabric()),
      order_(order),
      cables_(cables),
      num_cells_(num_cells),
      highest_price_(static_cast<std::uint16_t>(0xFFFF / (2 * std::max<unsigned>(longest_path, 1)))),
      place_(cables.size()),
      loads_(cables.size() * num_cells),
      prices_(loads_.size()),
      sum_(cables.size()),
      mean_price_(cables.size()) {
  const std::size_t n = order.hosts.size();
  for (std::uint32_t i = 0; i < n; ++i) {
    const SwitchId at = switch_of(i);
    if (sources_.empty() || sources_.back().at != at) sources_.push_back({at, i, i});
    ++sources_.back().last;
    source_of_.push_back(static_cast<std::uint32_t>(sources_.size() - 1));
  }
  for (std::size_t y = 0; y < num_cells; ++y) distance_.push_back(static_cast<std::uint32_t>(y * n / num_cells));
  for (std::size_t v = 0, y = 0; v <= n; ++v) {
    while (y < num_cells && distance_[y] < v) ++y;
    cell_after_.push_back(static_cast<std::uint32_t>(y));
  }
  for (const SwitchId s : fabric_.switches()) {
    const std::size_t first = index(cables.first(s));
    const std::size_t up = cables.num_up(s);
    const bool is_leaf = tree.down_groups(s).empty();
    for (std::size_t i = 0; i < up; ++i)
      place_[id_at<CableId>(first + i)] =
          is_leaf ? Place{static_cast<std::uint32_t>(first * num_cells + i), static_cast<std::uint32_t>(up)}
                  : Place{static_cast<std::uint32_t>((first + i) * num_cells), 1};
    for (const PortGroup& g : tree.down_groups(s))
      for (std::size_t i = 0; i < g.num_ports; ++i) {
        const std::size_t c = first + cables.number(s, tree.ports(g)[i]);
        place_[id_at<CableId>(c)] = {static_cast<std::uint32_t>(c * num_cells), 1};
      }
  }
  price_table_.assign(1, 0);
  mean_price_table_.assign(1, 0);
}

CellRun ShiftLoads::cells(std::uint32_t first, std::uint32_t last, std::uint32_t destination) const {
  const auto n = static_cast<std::uint32_t>(num_hosts());
  const std::uint32_t from = first >= destination ? first - destination : first + n - destination;
  const std::uint32_t to = from + (last - first);
  const std::uint32_t end = to <= n ? cell_after_[to] : static_cast<std::uint32_t>(num_cells_) + cell_after_[to - n];
  const std::uint32_t begin = cell_after_[from];
  return {begin == num_cells_ ? 0 : begin, end - begin};
}

// visit(cable, first cell, behind the last) for all cables that the flows use within a block of cells.
template <class Visit>
void ShiftLoads::visit_cells(std::size_t first_cell, std::size_t last_cell, const Flows& flows,
                             std::span<const std::uint8_t> column, Visit visit) const {
  const std::size_t n = num_hosts();
  const SwitchId goal = switch_of(flows.destination);
  for (std::size_t y = first_cell, end = 0; y < last_cell; y = end) {
    const std::size_t from = flows.destination + distance_[y] - (flows.destination + distance_[y] < n ? 0 : n);
    const Source& source = sources_[source_of_[from]];
    end = std::min<std::size_t>(last_cell, cell_after_[std::min(n, distance_[y] + (source.last - from))]);
    if (flows.moving[source_of_[from]] == 0) continue;
    for (SwitchId s = source.at; s != goal && column[index(s)] != kNoCable;) {
      const CableId c = cables_.at(s, column[index(s)]);
      visit(c, y, end);
      s = cables_.far(c);
    }
  }
}

void ShiftLoads::count_all(const HostColumns& columns) {
  const std::vector<std::uint8_t> all(sources_.size(), 1);
  // Whoever owns a block of cells is the only one to touch it.
  parallel_for(kBlocks, [&](std::size_t b) {
    for (std::uint32_t d = 0; d < num_hosts(); ++d)
      visit_cells(b * num_cells_ / kBlocks, (b + 1) * num_cells_ / kBlocks, {d, all}, columns.column(d),
                  [&](CableId c, std::size_t begin, std::size_t end) {
                    const auto [base, stride] = place_[c];
                    for (std::size_t y = begin; y < end; ++y) ++loads_[base + y * stride];
                  });
  });
  parallel_for(sum_.size(), [&](std::size_t i) {
    const auto [base, stride] = place_[id_at<CableId>(i)];
    std::uint32_t sum = 0;
    for (std::size_t y = 0; y < num_cells_; ++y) sum += loads_[base + y * stride];
    sum_[id_at<CableId>(i)] = sum;
  });
}

template <int kChange>
void ShiftLoads::count(const Flows& flows, std::span<const std::uint8_t> column) {
  visit_cells(0, num_cells_, flows, column, [&](CableId c, std::size_t begin, std::size_t end) {
    const auto [base, stride] = place_[c];
    for (std::size_t y = begin; y < end; ++y) {
      std::uint16_t& load = loads_[base + y * stride];
      load = static_cast<std::uint16_t>(load + kChange);
      prices_[base + y * stride] = price_of(load);
    }
    const auto cells = static_cast<std::uint32_t>(end - begin);
    sum_[c] = kChange > 0 ? sum_[c] + cells : sum_[c] - cells;
    mean_price_[c] = price_of_mean(sum_[c]);
  });
}

template void ShiftLoads::count<1>(const Flows&, std::span<const std::uint8_t>);
template void ShiftLoads::count<-1>(const Flows&, std::span<const std::uint8_t>);

std::uint32_t ShiftLoads::price_of_way(const Source& source, std::uint32_t destination,
                                       std::span<const std::uint8_t> column) const {
  const SwitchId goal = switch_of(destination);
  const std::size_t y = cells(source.first, source.last, destination).begin;
  std::uint32_t price = 0;
  for (SwitchId s = source.at; s != goal && column[index(s)] != kNoCable;) {
    const CableId c = cables_.at(s, column[index(s)]);
    price += std::uint32_t{price_at(c)[y * stride(c)]} + mean_price(c);
    s = cables_.far(c);
  }
  return price;
}

void ShiftLoads::set_prices() {
  const auto power_table = [&](std::size_t most, std::size_t steps, double offset, double power, double weight) {
    std::vector<std::uint16_t> table;
    for (std::size_t i = 0; i <= most * steps; ++i) {
      const double share = std::min(1.0, (static_cast<double>(i) + offset) / static_cast<double>(most * steps));
      table.push_back(static_cast<std::uint16_t>(std::min(1.0, weight * std::pow(share, power)) * highest_price_));
    }
    return table;
  };
  const std::uint16_t worst = std::max<std::uint16_t>(1, *std::max_element(loads_.begin(), loads_.end()));
  const std::uint32_t largest_sum = *std::max_element(sum_.begin(), sum_.end());
  price_table_ = power_table(worst, 1, 0.5, kCellPower, 1);
  mean_price_table_ = power_table(largest_sum / num_cells_ + 1, kMeanSteps, 0, kMeanPower, kMeanWeight);
  parallel_blocks(loads_.size(), 1U << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) prices_[i] = price_of(loads_[i]);
  });
  for (const CableId c : sum_.ids()) mean_price_[c] = price_of_mean(sum_[c]);
  std::uint64_t paid = parallel_reduce(
      loads_.size(), 1U << 16, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end, std::uint64_t sum) {
        for (std::size_t i = begin; i < end; ++i) sum += std::uint32_t{loads_[i]} * prices_[i];
        return sum;
      },
      std::plus<>());
  for (const CableId c : sum_.ids()) paid += std::uint64_t{sum_[c]} * mean_price_[c];
  usual_price_ = static_cast<std::uint32_t>(paid / (num_hosts() * num_cells_));
}

LoadSummary ShiftLoads::summary() const {
  std::vector<std::uint32_t> cables(1);
  for (const std::uint32_t sum : sum_) {
    const std::size_t step = (std::size_t{sum} * kMeanSteps + num_cells_ / 2) / num_cells_;
    if (step >= cables.size()) cables.resize(step + 1);
    ++cables[step];
  }
  std::vector<std::uint16_t> fullest(num_cells_);
  for (const auto [base, stride] : place_)
    for (std::size_t y = 0; y < num_cells_; ++y) fullest[y] = std::max(fullest[y], loads_[base + y * stride]);
  const double total = std::accumulate(fullest.begin(), fullest.end(), 0.0);
  return {*std::max_element(fullest.begin(), fullest.end()), total / static_cast<double>(num_cells_),
          likely_maximum(cables, kMeanSteps)};
}

}  // namespace espalier
