// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/path_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace espalier {
namespace {

constexpr double kMostExcess = 1e-4;  // as a share of the capacity
constexpr int kMostSteps = 2000;

class Spread {
 public:
  Spread(const PathProblem& problem, const FlowRates& exact)
      : problem_(problem),
        exact_(exact),
        capacity_(problem.capacity),
        rate_(exact.of_path),
        load_(capacity_.size()),
        slope_(capacity_.size()),
        of_flow_(capacity_.size()),
        length_(capacity_.size()),
        ahead_(capacity_.size()) {
    add_loads();
    for (std::size_t e = 0; e < load_.size(); ++e) capacity_[e] = std::max(capacity_[e], load_[e]);
    std::uint32_t longest = 0;
    for (std::size_t p = 0; p < problem.num_paths(); ++p)
      longest = std::max(longest, problem.first_step[p + 1] - problem.first_step[p]);
    // All resources of a path act together. 1 / longest never overshoots; this is up to twice as fast.
    step_ = 2.0 / (longest + 2);
  }

  // By the lengths. Returns how far a resource is overloaded, as a share of its capacity.
  double divide() {
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      if (exact_.of_flow[f] > 0) divide_flow(f);
    add_loads();
    double most = 0;
    for (std::size_t e = 0; e < load_.size(); ++e) most = std::max(most, load_[e] / capacity_[e] - 1);
    return most;
  }

  // To better lengths, each as far as its own slope says. One that goes to infinity, where all of its paths have to get
  // out of the way, would crawl if steps were by capacity.
  void advance() {
    const double next_momentum = (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) / 2;
    const double further = (momentum_ - 1) / next_momentum;
    double uphill = 0;
    for (std::size_t e = 0; e < load_.size(); ++e) {
      const double slope = std::max(slope_[e], 1e-6 * capacity_[e]);
      const double change = std::clamp(step_ * (load_[e] - capacity_[e]) / slope, -1.0, 1.0);
      const double next = std::max(0.0, ahead_[e] + change);
      uphill += (ahead_[e] - next) * (next - length_[e]) * slope;
      ahead_[e] = next + further * (next - length_[e]);
      length_[e] = next;
    }
    momentum_ = next_momentum;
    if (uphill <= 0) return;
    momentum_ = 1;
    ahead_ = length_;
  }

  [[nodiscard]] double rate(std::size_t path) const { return rate_[path]; }

 private:
  [[nodiscard]] bool usable(std::size_t path) const {
    return exact_.never_used.empty() || exact_.never_used[path] == 0;
  }
  [[nodiscard]] double weight(std::size_t path) const {
    return problem_.detours.empty() ? 1 : std::max(1U, problem_.detours[path]);
  }

  void divide_flow(std::size_t f) {
    const std::size_t first = problem_.first_path[f], end = problem_.first_path[f + 1];
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t p = first; p < end; ++p) {
      double length = 0;
      for (const std::uint32_t e : problem_.resources(p)) length += ahead_[e];
      rate_[p] = length;
      if (usable(p)) shortest = std::min(shortest, length);
    }
    double sum = 0;
    for (std::size_t p = first; p < end; ++p) {
      rate_[p] = usable(p) ? weight(p) * std::exp(shortest - rate_[p]) : 0;
      sum += rate_[p];
    }
    for (std::size_t p = first; p < end; ++p) rate_[p] *= exact_.of_flow[f] / sum;
  }

  void add_loads() {
    std::fill(load_.begin(), load_.end(), 0.0);
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      if (exact_.of_flow[f] > 0) add_load(f);
  }
  void add_load(std::size_t f) {
    crossed_.clear();
    for (std::size_t p = problem_.first_path[f]; p < problem_.first_path[f + 1]; ++p)
      for (const std::uint32_t e : problem_.resources(p)) {
        if (of_flow_[e] == 0) crossed_.push_back(e);
        of_flow_[e] += rate_[p];
      }
    for (const std::uint32_t e : crossed_) {
      const double rate = std::exchange(of_flow_[e], 0);
      load_[e] += rate;
      slope_[e] += rate * std::max(0.0, 1 - rate / exact_.of_flow[f]);
    }
  }

  const PathProblem& problem_;
  const FlowRates& exact_;
  double step_ = 1;
  double momentum_ = 1;
  // Per resource, but one.
  std::vector<double> capacity_;
  std::vector<double> rate_;  // per path
  std::vector<double> load_;
  std::vector<double> slope_;           // by how much the load falls with the length
  std::vector<double> of_flow_;         // what one flow sends
  std::vector<std::uint32_t> crossed_;  // where that is not 0
  std::vector<double> length_;
  std::vector<double> ahead_;  // lengths, where the momentum leads
};

}  // namespace

void spread_over_paths(const PathProblem& problem, FlowRates& rates, Progress* progress) {
  begin(progress, kMostSteps);
  Spread spread(problem, rates);
  double excess = spread.divide();
  for (int i = 0; i < kMostSteps && excess > kMostExcess; ++i) {
    spread.advance();
    excess = spread.divide();
    advance(progress);
  }
  // Divisions of the same rates can be mixed: what is not there yet keeps some of the exact one.
  const double part = excess > kMostExcess ? kMostExcess / excess : 1;
  for (std::size_t p = 0; p < problem.num_paths(); ++p) rates.of_path[p] += part * (spread.rate(p) - rates.of_path[p]);
}

}  // namespace espalier
