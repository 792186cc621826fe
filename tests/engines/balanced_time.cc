// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How long `balanced` takes beyond the closed forms that it starts from, against its balance_ms.
//
// Usage: balanced_time [large]
// Processor time, which other programs stretch by taking caches and memory away. So it is compared with a piece of the
// same work that is measured right before and after: counting loads, of which the budget says how long it should take.
// Exit status 1 when a run takes more than 1.2 times its budget and 15 ms, on a processor as fast as the budget assumes; twice
// the budget with an LMC.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <vector>

#include "core/engines/balanced/balanced.h"
#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/shift_loads.h"
#include "core/engines/balanced/parameters.h"
#include "core/engines/balanced/step_costs.h"
#include "core/engines/modulo/closed_form.h"
#include "core/fabric/faults.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace {

using namespace espalier;

constexpr double kTolerance = 1.2;
constexpr double kGrace = 15;  // milliseconds: page faults of the first run, ticks of the clock
constexpr std::size_t kPhases = 60;

struct Case {
  std::string_view spec;
  std::size_t links;
  std::size_t switches;
  std::uint8_t lmc = 0;
};
constexpr std::array kSmall{Case{"2;18,36;1,18;1,1", 30, 0},     Case{"3;6,6,12;1,6,6;1,1,1", 20, 0},
                            Case{"3;12,4,6;1,12,4;1,1,1", 0, 0}, Case{"3;6,6,12;1,6,6;1,1,1", 0, 8},
                            Case{"2;18,36;1,18;1,1", 20, 0, 1},  Case{"2;18,36;1,18;1,1", 20, 0, 6}};
constexpr std::array kLarge{Case{"3;12,12,24;1,12,12;1,1,1", 200, 0}, Case{"3;24,12,30;1,24,3;1,1,1", 0, 0},
                            Case{"3;24,12,30;1,24,3;1,1,1", 86, 0},   Case{"3;24,12,30;1,24,3;1,1,1", 2160, 0},
                            Case{"3;24,12,30;1,24,3;1,1,1", 0, 64},   Case{"3;24,12,30;1,24,3;1,1,1", 0, 256},
                            Case{"3;24,36,10;1,24,9;1,1,1", 200, 0}};

double processor_ms() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class Work>
double time_of(const Work& work) {
  const double before = processor_ms();
  work();
  return processor_ms() - before;
}

// How many times as long as it should the counting of loads takes right now; at least 1.
class Slowness {
 public:
  explicit Slowness(const RoutingProblem& problem)
      : problem_(problem), channels_(problem.tree), columns_(problem, channels_, closed_form(problem)) {}

  [[nodiscard]] double operator()() const {
    const Phases phases(problem_.fabric, problem_.order, {}, kPhases);
    const double expected =
        static_cast<double>(StepCosts(problem_, channels_, {}).counting(phases.size())) / kBalanced.additions_per_ms;
    double taken = 0;
    int times = 0;
    for (; taken < 20; ++times)
      taken += time_of([&] {
        ShiftLoads loads(problem_, channels_, phases, kLongestPath);
        loads.count_all(columns_);
        (void)loads.summary();
      });
    return std::max(1.0, taken / times / expected);
  }

 private:
  static constexpr Hops kLongestPath = 8;
  const RoutingProblem& problem_;
  TreeChannels channels_;
  HostColumns columns_;
};

bool holds(const Case& drawn, const std::vector<std::uint32_t>& budgets) {
  const Fabric whole = test::pgft(drawn.spec, drawn.lmc);
  const Fabric fabric = *degrade(whole, {.links = drawn.links, .switches = drawn.switches, .seed = 1001});
  const FatTree tree = *rank(fabric);
  const RoutingProblem problem(tree);
  const Slowness slowness(problem);
  const auto run = [&](std::uint32_t milliseconds) {
    return time_of([&] { (void)balanced(problem, BalancedOptions{.milliseconds = milliseconds}); });
  };
  bool good = true;
  for (const std::uint32_t budget : budgets) {
    const double slow = slowness();
    const double start = run(0);
    const double taken = run(budget) - start;
    const double factor = (slow + slowness()) / 2;
    // Other LID offsets have a budget of their own.
    const std::uint32_t allowed = drawn.lmc > 0 ? 2 * budget : budget;
    const bool is_good = taken <= factor * (kTolerance * allowed + kGrace);
    fmt::print(
        "{}, {} links and {} switches gone, LMC {}, {} ms: {:.0f} ms beyond the start of {:.0f}, {:.2f} times the "
        "budget "
        "on a processor {:.1f} times as slow{}\n",
        drawn.spec, drawn.links, drawn.switches, drawn.lmc, budget, taken, start, taken / allowed / factor, factor,
        is_good ? "" : "  TOO LONG");
    good = is_good && good;
  }
  return good;
}

}  // namespace

int main(int argc, char**) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  bool good = true;
  for (const Case& drawn : kSmall) good = holds(drawn, {20, 100, 400}) && good;
  if (argc > 1)
    for (const Case& drawn : kLarge) good = holds(drawn, {100, 600, 3000}) && good;
  return good ? 0 : 1;
}
