// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What pairs of switches without an up-down path cost on top of all other routes (Bogdanski 2012, Table IV). One
// thread, its processor time, the least of all iterations: a busy machine changes little.
#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

#include "core/engines/engines.h"
#include "core/fabric/generators/directors.h"
#include "core/fabric/generators/pgft.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

double thread_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void measure(benchmark::State& state, const Fabric& fabric, const std::string& engine) {
  tbb::task_arena(1).execute([&] {
    const FatTree tree = *rank(fabric);
    const auto route_ms = [&](SwitchPaths how) {
      EngineOptions options;
      options.switch_paths.how = how;
      const double start = thread_ms();
      benchmark::DoNotOptimize(make_engine(engine, options)->route(tree));
      return thread_ms() - start;
    };
    double hosts = std::numeric_limits<double>::max();
    double all = hosts;
    for (auto _ : state) {
      hosts = std::min(hosts, route_ms(SwitchPaths::kNone));
      all = std::min(all, route_ms(SwitchPaths::kSubtree));
    }
    state.counters["hosts_ms"] = hosts;
    state.counters["on_top_ms"] = all - hosts;
    state.counters["on_top_percent"] = (all - hosts) * 100 / hosts;
  });
}

void of_directors(benchmark::State& state, const char* spec) {
  measure(state, *generate_directors(*DirectorsSpec::from(*parse_number_lists(spec))), "dmodc");
}
void of_pgft(benchmark::State& state, const char* spec) {
  measure(state, *generate_pgft(*PgftSpec::parse(spec)), "dmodc");
}

BENCHMARK_CAPTURE(of_pgft, ports_3456, "3;12,12,24;1,12,12;1,1,1")->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(of_directors, juropa, "432,12,12;8,36;12,2")->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(of_directors, ranger, "384,12,12;2,24,3")->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace
}  // namespace espalier
