// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a full computation costs beside a copy of the tables that it makes: each step alone, the least of all
// iterations; on one thread its processor time (a busy machine changes little), on more the time on the wall.
//
//   tables_bench --benchmark_filter=ports_27648
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>

#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/engines.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/routing_problem.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

double now_ms(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// The least time of each step over all iterations.
struct Step {
  const char* name;
  double least = std::numeric_limits<double>::max();

  template <class Body>
  auto time(clockid_t clock, const Body& body) {
    const double start = now_ms(clock);
    auto result = body();
    least = std::min(least, now_ms(clock) - start);
    return result;
  }
};

void full_computation(benchmark::State& state, const char* spec) {
  const auto threads = static_cast<int>(state.range(0));
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  const Fabric fabric = *generate_pgft(*PgftSpec::parse(spec));
  Step copied{"memcpy_ms"}, ranked{"rank_ms"}, costs{"costs_ms"}, problem_step{"problem_ms"}, form{"form_ms"},
      rest{"detours_ms"}, routed{"route_ms"}, verified{"verify_ms"};
  tbb::task_arena(threads).execute([&] {
    const auto engine = make_engine("dmodc", {});
    for (auto _ : state) {
      const FatTree tree = *ranked.time(clock, [&] { return rank(fabric); });
      const Routing routing = *routed.time(clock, [&] { return (*engine).route(tree); });
      benchmark::DoNotOptimize(costs.time(clock, [&] { return UpDownCosts(tree); }));
      const RoutingProblem problem = problem_step.time(clock, [&] { return RoutingProblem(tree); });
      ForwardingTables tables = form.time(clock, [&] { return closed_form(problem); });
      benchmark::DoNotOptimize(rest.time(clock, [&] { return complete_tables(problem, {}, tables); }));
      const VerifyReport report = verified.time(clock, [&] { return verify(fabric, routing.tables); });
      if (!report.ok()) state.SkipWithError("unsound tables");
      const std::size_t bytes = tables.num_switches() * tables.width();
      const PortNum* const from = tables.row(SwitchId{0}).data();
      PortNum* const to = const_cast<PortNum*>(routing.tables.row(SwitchId{0}).data());  // pages that are there
      copied.time(CLOCK_THREAD_CPUTIME_ID, [&] { return std::memcpy(to, from, bytes); });
      benchmark::DoNotOptimize(*to);
      state.counters["MB"] = static_cast<double>(bytes) / 1e6;
    }
  });
  for (const Step& step : {copied, ranked, costs, problem_step, form, rest, routed, verified})
    state.counters[step.name] = step.least;
  state.counters["route_x"] = routed.least / copied.least;
  state.counters["verify_x"] = verified.least / copied.least;
  state.counters["route_ns_entry"] = routed.least / state.counters["MB"];
}

#define ESPALIER_TREE(name, spec) \
  BENCHMARK_CAPTURE(full_computation, name, spec)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->Iterations(5)
ESPALIER_TREE(ports_3456, "3;12,12,24;1,12,12;1,1,1");
ESPALIER_TREE(ports_8640, "3;24,12,30;1,24,3;1,1,1");
ESPALIER_TREE(ports_11664, "3;18,18,36;1,18,18;1,1,1");
ESPALIER_TREE(ports_27648, "3;24,24,48;1,24,24;1,1,1");
ESPALIER_TREE(ports_44928, "3;24,36,52;1,24,36;1,1,1");  // with its switches nearly all LIDs that there are

}  // namespace
}  // namespace espalier
