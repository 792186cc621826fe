// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/throughput/linear_program.h"

#include <fmt/format.h>

#include <ClpSimplex.hpp>
#include <CoinPackedVector.hpp>
#include <algorithm>
#include <span>

#include "core/base/try.h"
#include "core/throughput/concurrent_flow.h"

namespace espalier {
namespace {

constexpr double kImproves = 1e-7;   // a column has to be cheaper by this much
constexpr double kSaturated = 1e-6;  // a dual above this is no rounding error; one flow alone has at least 1 / flows
constexpr double kMayExceed = 1e-9;  // rows may be this much above their bounds
constexpr int kAlpha = 0;            // the first column
constexpr double kNewUnit = 1e-3;    // demands in units that are larger than this are near enough to 1

// The rows are flows 0 .. F-1, then resources; the columns alpha, then paths in the order in which they entered.
class Master {
 public:
  explicit Master(const PathProblem& problem)
      : problem_(problem),
        unit_(unit_of_demand(problem)),
        column_of_(problem.num_paths(), -1),
        never_used_(problem.num_paths(), 0) {
    lp_.setLogLevel(0);
    lp_.setPrimalTolerance(kMayExceed);
    lp_.resize(static_cast<int>(problem.num_flows() + problem.capacity.size()), 0);
    CoinPackedVector alpha;
    for (std::size_t f = 0; f < problem.num_flows(); ++f) {
      lp_.setRowLower(row(f), -COIN_DBL_MAX);
      lp_.setRowUpper(row(f), has_path(f) ? 0 : COIN_DBL_MAX);
      if (has_path(f)) alpha.insert(row(f), problem.demand[f] / unit_);
    }
    for (std::size_t e = 0; e < problem.capacity.size(); ++e) {
      lp_.setRowLower(resource_row(e), -COIN_DBL_MAX);
      lp_.setRowUpper(resource_row(e), problem.capacity[e]);
    }
    lp_.addColumn(alpha.getNumElements(), alpha.getIndices(), alpha.getElements(), 0, COIN_DBL_MAX, -1);
    for (std::size_t f = 0; f < problem.num_flows(); ++f)
      if (has_path(f)) enter(problem.first_path[f], f);
    if (problem.shares.empty()) enter_likely_paths();
  }

  [[nodiscard]] bool has_path(std::size_t f) const { return problem_.first_path[f] != problem_.first_path[f + 1]; }

  // To the optimum over all paths.
  Status solve() {
    for (;;) {
      lp_.primal(1);
      if (lp_.status() != 0) return no_solution();
      if (!enter_improving_paths()) return {};
    }
  }
  [[nodiscard]] double alpha() const { return lp_.primalColumnSolution()[kAlpha] / unit_; }
  [[nodiscard]] double dual(std::size_t f) const { return -lp_.dualRowSolution()[row(f)]; }
  [[nodiscard]] double rate(std::size_t path) const {
    return column_of_[path] < 0 ? 0 : std::max(0.0, lp_.primalColumnSolution()[column_of_[path]]);
  }

  // Paths that are in no optimal solution (complementary slackness).
  void find_never_used() {
    const double* duals = lp_.dualRowSolution();
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      for (std::size_t p = problem_.first_path[f]; p < problem_.first_path[f + 1]; ++p)
        if (rate(p) == 0 && gain(p, f, duals) < -kSaturated) never_used_[p] = 1;
  }
  [[nodiscard]] bool never_used(std::size_t path) const { return never_used_[path] != 0; }

  // Alpha in a unit that suits these flows, where those that were heavier have their rates: what is due to demands far
  // below the unit is lost in tolerances.
  void measure_by(std::span<const std::size_t> open) {
    double most = 0;
    for (const std::size_t f : open) most = std::max(most, problem_.demand[f]);
    if (open.empty() || most > kNewUnit * unit_) return;
    unit_ = most;
    for (const std::size_t f : open) lp_.modifyCoefficient(row(f), kAlpha, problem_.demand[f] / unit_);
  }
  // From now on the flow has `rate`, and alpha is about the others.
  void saturate(std::size_t f, double rate) {
    lp_.modifyCoefficient(row(f), kAlpha, 0);
    lp_.setRowUpper(row(f), -rate);
  }

 private:
  // With the reason, where weights are too far apart for Clp.
  [[nodiscard]] Status no_solution() const {
    constexpr double kFarApart = 1e9;
    const std::string text = fmt::format("the linear program has no solution (Clp status {})", lp_.status());
    const auto [least, most] = std::minmax_element(problem_.demand.begin(), problem_.demand.end());
    if (*most <= kFarApart * *least) return fail(text);
    return fail(fmt::format("{}: weights from {} to {} are too far apart", text, *least, *most),
                "leave out the lightest flows");
  }
  [[nodiscard]] static int row(std::size_t f) { return static_cast<int>(f); }
  [[nodiscard]] int resource_row(std::size_t e) const { return static_cast<int>(problem_.num_flows() + e); }

  [[nodiscard]] double share(std::size_t step) const { return problem_.shares.empty() ? 1 : problem_.shares[step]; }

  void enter(std::size_t path, std::size_t f) {
    rows_.assign(1, row(f));
    values_.assign(1, -1);
    for (std::size_t i = problem_.first_step[path]; i < problem_.first_step[path + 1]; ++i) {
      rows_.push_back(resource_row(problem_.steps[i]));
      values_.push_back(share(i));
    }
    column_of_[path] = lp_.numberColumns();
    lp_.addColumn(static_cast<int>(rows_.size()), rows_.data(), values_.data(), 0, COIN_DBL_MAX, 0);
  }

  // What an approximation sends part of a flow by is nearly all that the optimum needs.
  void enter_likely_paths() {
    constexpr double kGap = 0.1;
    constexpr double kPart = 0.01;
    const FlowRates rates = approximate_concurrent_flow(problem_, kGap);
    for (std::size_t f = 0; f < problem_.num_flows(); ++f)
      for (std::size_t p = problem_.first_path[f]; p < problem_.first_path[f + 1]; ++p)
        if (column_of_[p] < 0 && rates.of_path[p] > kPart * rates.of_flow[f]) enter(p, f);
  }

  // What the objective gains by a unit of the path's rate.
  [[nodiscard]] double gain(std::size_t path, std::size_t f, const double* duals) const {
    double gain = -duals[row(f)];
    for (std::size_t i = problem_.first_step[path]; i < problem_.first_step[path + 1]; ++i)
      gain += share(i) * duals[resource_row(problem_.steps[i])];
    return gain;
  }

  // Of each flow the path that gains most, if one does.
  bool enter_improving_paths() {
    const std::vector<double> duals(lp_.dualRowSolution(), lp_.dualRowSolution() + lp_.numberRows());
    bool entered = false;
    for (std::size_t f = 0; f < problem_.num_flows(); ++f) {
      double best = kImproves;
      std::size_t best_path = problem_.num_paths();
      for (std::size_t p = problem_.first_path[f]; p < problem_.first_path[f + 1]; ++p) {
        if (column_of_[p] >= 0) continue;
        if (const double g = gain(p, f, duals.data()); g > best) best = g, best_path = p;
      }
      if (best_path == problem_.num_paths()) continue;
      enter(best_path, f);
      entered = true;
    }
    return entered;
  }

  const PathProblem& problem_;
  double unit_;  // of demands in the program
  ClpSimplex lp_;
  std::vector<int> column_of_;            // per path; -1: not there yet
  std::vector<std::uint8_t> never_used_;  // per path, as far as known
  std::vector<int> rows_;
  std::vector<double> values_;
};

FlowRates rates_of(const PathProblem& problem, const Master& master, double least) {
  FlowRates rates;
  rates.bound_low = rates.bound_high = least;
  for (std::size_t p = 0; p < problem.num_paths(); ++p) rates.of_path.push_back(master.rate(p));
  sum_paths(problem, rates);
  for (std::size_t p = 0; p < problem.num_paths(); ++p)
    rates.never_used.push_back(rates.of_path[p] == 0 && master.never_used(p) ? 1 : 0);
  return rates;
}

// A solution may give a flow more than it is due where nobody else wants it.
void scale_down(const PathProblem& problem, const std::vector<double>& due, FlowRates& rates) {
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    if (rates.of_flow[f] <= due[f]) continue;
    for (std::size_t p = problem.first_path[f]; p < problem.first_path[f + 1]; ++p)
      rates.of_path[p] *= due[f] / rates.of_flow[f];
    rates.of_flow[f] = due[f];
  }
}

// Nor may tolerances keep from a flow what it is due: all of it, where its demand is far below the heaviest.
void scale_up(const PathProblem& problem, const std::vector<double>& due, FlowRates& rates) {
  constexpr double kRounding = 1e-6;  // as a share: so little no flow misses, but it might be more than a resource has
  for (std::size_t f = 0; f < problem.num_flows(); ++f) {
    const auto first = rates.of_path.begin() + problem.first_path[f];
    const auto last = rates.of_path.begin() + problem.first_path[f + 1];
    if (first == last || rates.of_flow[f] >= (1 - kRounding) * due[f]) continue;
    *std::max_element(first, last) += due[f] - rates.of_flow[f];
    rates.of_flow[f] = due[f];
  }
}

}  // namespace

Result<FlowRates> maximum_concurrent_flow(const PathProblem& problem, Progress* progress) {
  begin(progress, 1);
  if (problem.num_paths() == 0) return FlowRates{{}, std::vector<double>(problem.num_flows())};
  Master master(problem);
  ESPALIER_TRY_STATUS(master.solve());
  master.find_never_used();
  advance(progress);
  FlowRates rates = rates_of(problem, master, master.alpha());
  std::vector<double> due = problem.demand;
  for (double& d : due) d *= master.alpha();
  scale_down(problem, due, rates);
  scale_up(problem, due, rates);
  return rates;
}

Result<FlowRates> max_min_fair_rates(const PathProblem& problem, Progress* progress) {
  begin(progress, problem.num_flows());
  if (problem.num_paths() == 0) return FlowRates{{}, std::vector<double>(problem.num_flows())};
  Master master(problem);
  std::vector<double> due(problem.num_flows(), 0);
  std::vector<std::size_t> open;
  for (std::size_t f = 0; f < problem.num_flows(); ++f)
    if (master.has_path(f)) open.push_back(f);
  // What saturated flows are due is a sum of rounding errors, and may be a little more than there is.
  const auto solve = [&] {
    Status solved = master.solve();
    for (double slack = 1e-7; !solved && slack < 1e-4; slack *= 10) {
      for (std::size_t f = 0; f < due.size(); ++f)
        if (due[f] > 0) master.saturate(f, due[f] * (1 - slack));
      solved = master.solve();
    }
    return solved;
  };
  double least = -1;
  while (!open.empty()) {
    ESPALIER_TRY_STATUS(solve());
    master.find_never_used();
    if (least < 0) least = master.alpha();
    const double most = master.dual(*std::max_element(
        open.begin(), open.end(), [&](std::size_t a, std::size_t b) { return master.dual(a) < master.dual(b); }));
    std::vector<std::size_t> still_open, saturated;
    for (const std::size_t f : open)
      (master.dual(f) >= std::min(kSaturated, most) ? saturated : still_open).push_back(f);
    for (const std::size_t f : saturated) due[f] = master.alpha() * problem.demand[f];
    for (const std::size_t f : saturated) master.saturate(f, due[f] * (1 - 1e-9));
    advance(progress, saturated.size());
    open = std::move(still_open);
    master.measure_by(open);
  }
  ESPALIER_TRY_STATUS(solve());
  FlowRates rates = rates_of(problem, master, least);
  scale_down(problem, due, rates);
  return rates;
}

}  // namespace espalier
