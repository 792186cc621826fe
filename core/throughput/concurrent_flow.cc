// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/concurrent_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier {
namespace {

constexpr double kLongest = 1e150;

class Rounds {
 public:
  // Sends `scale` x the demands in a round: near the answer, rounds are few.
  Rounds(const PathProblem& problem, double epsilon, double scale)
      : problem_(problem),
        epsilon_(epsilon),
        scale_(scale),
        sent_(problem.num_paths()),
        load_(problem.capacity.size()) {
    for (const double c : problem.capacity) length_.push_back(1 / c);
  }

  void round() {
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      if (problem_.first_path[f] != problem_.first_path[f + 1]) send(f);
    ++rounds_;
    // Only ratios of lengths matter.
    if (*std::max_element(length_.begin(), length_.end()) > kLongest)
      for (double& length : length_) length /= kLongest;
  }

  // Every flow has sent rounds_ x scale_ x its demand.
  [[nodiscard]] double primal() const { return rounds_ * scale_ / fullest(); }
  [[nodiscard]] double dual() const {
    double capacity = 0;
    double needed = 0;
    for (std::size_t e = 0; e < length_.size(); ++e) capacity += length_[e] * problem_.capacity[e];
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      if (problem_.first_path[f] != problem_.first_path[f + 1]) needed += problem_.demand[f] * length_of(cheapest(f));
    return capacity / needed;
  }
  [[nodiscard]] std::vector<double> rates() const {
    std::vector<double> rates = sent_;
    for (double& rate : rates) rate /= fullest();
    return rates;
  }

 private:
  [[nodiscard]] double length_of(std::size_t path) const {
    double sum = 0;
    for (const std::uint32_t e : problem_.resources(path)) sum += length_[e];
    return sum;
  }
  [[nodiscard]] std::size_t cheapest(std::size_t f) const {
    std::size_t best = problem_.first_path[f];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t p = best; p < problem_.first_path[f + 1]; ++p)
      if (const double l = length_of(p); l < least) least = l, best = p;
    return best;
  }
  void send(std::size_t f) {
    for (double left = scale_ * problem_.demand[f]; left > 0;) {
      const std::size_t path = cheapest(f);
      double chunk = left;
      for (const std::uint32_t e : problem_.resources(path)) chunk = std::min(chunk, problem_.capacity[e]);
      for (const std::uint32_t e : problem_.resources(path)) {
        length_[e] *= 1 + epsilon_ * chunk / problem_.capacity[e];
        load_[e] += chunk;
      }
      sent_[path] += chunk;
      left -= chunk;
    }
  }
  [[nodiscard]] double fullest() const {
    double most = 0;
    for (std::size_t e = 0; e < load_.size(); ++e) most = std::max(most, load_[e] / problem_.capacity[e]);
    return most;
  }

  const PathProblem& problem_;
  double epsilon_;
  double scale_;
  double rounds_ = 0;
  std::vector<double> sent_;    // per path
  std::vector<double> load_;    // per resource
  std::vector<double> length_;  // per resource
};

}  // namespace

FlowRates approximate_concurrent_flow(const PathProblem& problem, double gap, Progress* progress) {
  FlowRates result;
  result.of_path.assign(problem.num_paths(), 0);
  if (problem.num_paths() > 0) {
    Rounds first(problem, gap, 1 / unit_of_demand(problem));
    first.round();
    // Smaller steps only where larger ones end outside the gap: most instances need few of them.
    for (double epsilon = gap; epsilon > gap / 20; epsilon /= 2) {
      Rounds rounds(problem, epsilon, first.primal());
      double dual = std::numeric_limits<double>::infinity();
      const double most = 100 + 2 * std::log(static_cast<double>(problem.capacity.size())) / (epsilon * epsilon);
      begin(progress, static_cast<std::uint64_t>(most));
      for (int i = 1; i < most; ++i) {
        rounds.round();
        advance(progress);
        if (i % 8 != 0) continue;
        dual = std::min(dual, rounds.dual());
        if (dual <= (1 + gap) * rounds.primal()) break;
      }
      dual = std::min(dual, rounds.dual());
      if (rounds.primal() > result.bound_low) {
        result.bound_low = rounds.primal();
        result.of_path = rounds.rates();
      }
      result.bound_high = result.bound_high == 0 ? dual : std::min(result.bound_high, dual);
      if (result.bound_high <= (1 + gap) * result.bound_low) break;
    }
  }
  sum_paths(problem, result);
  return result;
}

}  // namespace espalier
