// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Flows, the paths that each may use, and the capacity of what paths run over: what all throughput models are asked
// (Faizian 2018, 2.3 and 5.3). A resource is one direction of a link, or the link of a host.
//
// paper      here
// F          flows, d_f their demands
// P_sd       first_path[f] .. first_path[f + 1] - 1
// C_e        capacity[e]
// x^p_sd     the rate of a path
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace espalier {

struct PathProblem {
  std::vector<double> capacity;              // per resource, above 0
  std::vector<double> demand;                // per flow, above 0: rates are compared as rate / demand
  std::vector<std::uint32_t> first_path{0};  // per flow, and the end
  std::vector<std::uint32_t> first_step{0};  // per path, and the end
  std::vector<std::uint32_t> steps;          // resources, none twice in one path
  std::vector<double> shares{};              // per step, what of the path's rate crosses it; empty: all of it
  std::vector<std::uint8_t> offsets{};       // per path of tables: the lowest LID offset that takes it; else empty
  std::vector<std::uint32_t> heads{};        // per resource from switch to switch, the first ones: the switch it leads
                                             // to; empty: nobody asked
  std::vector<std::uint32_t> detours{};      // per path: 0 for a minimal one, else its weight among the flow's detours:
                                             // the third switches that it leads over; empty: nobody asked
  bool left_some_out = false;                // of equally long paths: PathFinder::left_some_out()

  [[nodiscard]] std::size_t num_flows() const { return demand.size(); }
  [[nodiscard]] std::size_t num_paths() const { return first_step.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> resources(std::size_t path) const {
    return {steps.data() + first_step[path], steps.data() + first_step[path + 1]};
  }

  // A flow is what is added until end_flow().
  void add_step(std::uint32_t resource) { steps.push_back(resource); }
  void end_path() { first_step.push_back(static_cast<std::uint32_t>(steps.size())); }
  void end_flow(double its_demand = 1) {
    demand.push_back(its_demand);
    first_path.push_back(static_cast<std::uint32_t>(num_paths()));
  }
};

// The same flows, but all detours of a flow are one path, which is each of them by its weight: SDN-model of Faizian
// 2018, 5.2.3, where SDN-optimal has a rate for each path. It comes last of its flow's paths; minimal ones stay.
// REQUIRES: problem.detours is filled, problem.shares empty.
[[nodiscard]] PathProblem with_tied_detours(const PathProblem& problem);
// Rates of the paths of `problem` from those of the tied one.
[[nodiscard]] std::vector<double> untied_rates(const PathProblem& problem, const PathProblem& tied,
                                               std::span<const double> rates);

// Rates in the unit of the capacities.
struct FlowRates {
  std::vector<double> of_path;
  std::vector<double> of_flow;  // 0 for a flow without a path

  // The bracket of the least rate / demand that any division can give all flows with a path at once.
  double bound_low = 0;
  double bound_high = 0;

  std::vector<std::uint8_t> never_used{};  // per path: in no solution is its rate above 0; empty: nobody knows
};

// What the fullest resource would carry, in its capacity, if all flows sent their demand along their first paths; 1 where
// none has a path. Demands in this unit can be had at once, whatever they are given in: bytes, or shares of a link. So
// tolerances of solvers mean the same for all.
[[nodiscard]] double unit_of_demand(const PathProblem& problem);

// Jain's index of fairness (Jain, Chiu and Hawe 1984): 1 when all have the same, 1/n when one has everything.
[[nodiscard]] double jain_index(std::span<const double> rates);

// of_flow from of_path.
void sum_paths(const PathProblem& problem, FlowRates& rates);

}  // namespace espalier
