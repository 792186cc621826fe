// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Trees that lost 1 to 40 % of their links, or up to 40 % of the switches without hosts: nobody is routed from one root,
// and traffic between switches takes nothing away from hosts.
//
// Usage: heavy_damage DRAWS [FIRST_SEED [ENGINE [BALANCE_MS]]]
// So many draws of each kind on each of three trees, routed by dmodc or that engine. Exit status 1 when tables are not
// sound, or a draw is routed from one root; or when in more than 1 of 1 000 draws a figure of hosts (worst shift, median
// of random permutations), where all of them have up-down paths, is over 10 % above that of tables which leave switches
// without routes to each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/detours/complete_tables.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/tree/costs.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace {

using namespace espalier;

constexpr std::array kTrees{"3;6,4,6;1,6,4;1,1,1", "3;6,6,12;1,6,6;1,1,1", "3;12,6,8;1,12,6;1,1,1"};
constexpr double kTolerance = 1.1;
constexpr std::uint32_t kPermutations = 20;
constexpr unsigned kMostPercent = 40;

struct Counts {
  std::size_t draws = 0;
  std::size_t unsound = 0;
  std::size_t from_one_root = 0;
  std::size_t demoted = 0;
  std::size_t compared = 0;
  std::size_t hosts_lose = 0;
};

bool tells(const Routing& routing, std::string_view words) {
  return std::any_of(routing.warnings.begin(), routing.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

// Whether hosts lose more than the tolerance in any figure.
bool hosts_lose(const FatTree& tree, const Routing& routing, const char* engine, EngineOptions options) {
  options.switch_paths.how = SwitchPaths::kNone;
  const auto bare = make_engine(engine, options)->route(tree);
  const auto hosts = topological_order(tree, UpDownCosts(tree)).hosts;
  const HostRoutes now(tree.fabric(), routing.tables, hosts);
  const HostRoutes best(tree.fabric(), bare->tables, hosts);
  return shift_risk(now).max() > kTolerance * shift_risk(best).max() ||
         random_risk(now, kPermutations, 1).median() > kTolerance * random_risk(best, kPermutations, 1).median();
}

void judge(const Fabric& fabric, std::uint64_t seed, const char* engine, const EngineOptions& options, Counts& counts) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return;
  ++counts.draws;
  const auto routing = make_engine(engine, options)->route(*tree);
  const bool sound = routing && verify(fabric, routing->tables).ok();
  const bool from_one_root = routing && tells(*routing, "from the root");
  if (!sound || from_one_root) fmt::print("seed {}: {}\n", seed, sound ? "from one root" : "NOT SOUND");
  counts.unsound += sound ? 0 : 1;
  counts.from_one_root += from_one_root ? 1 : 0;
  if (!sound) return;
  counts.demoted += tells(*routing, "no transit") ? 1 : 0;
  if (count_unreached_hosts(RoutingProblem(*tree)) > 0) return;
  ++counts.compared;
  const bool lose = hosts_lose(*tree, *routing, engine, options);
  if (lose) fmt::print("seed {}: hosts lose\n", seed);
  counts.hosts_lose += lose ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t draws = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10;
  const std::uint64_t first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1001;
  const char* const engine = argc > 3 ? argv[3] : "dmodc";
  EngineOptions options;
  if (argc > 4) options.balance_ms = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));
  bool good = true;
  for (const char* const spec : kTrees) {
    const Fabric whole = test::pgft(spec);
    for (const bool of_links : {true, false}) {
      const std::size_t all = of_links ? most_damage(whole).links : most_damage(whole).switches;
      Counts counts;
      for (std::uint64_t seed = first; seed < first + draws; ++seed) {
        std::mt19937_64 random(seed);
        Damage damage;
        (of_links ? damage.links : damage.switches) = all * (1 + random() % kMostPercent) / 100;
        damage.seed = seed;
        judge(*degrade(whole, damage), seed, engine, options, counts);
      }
      fmt::print(
          "{}, {}, {}: {} draws, {} not sound, {} from one root, {} with switches without transit traffic; hosts lose "
          "in {} of {}\n",
          spec, engine, of_links ? "links" : "switches", counts.draws, counts.unsound, counts.from_one_root,
          counts.demoted, counts.hosts_lose, counts.compared);
      good = good && counts.unsound == 0 && counts.from_one_root == 0 && counts.hosts_lose * 1000 <= counts.compared;
    }
  }
  return good ? 0 : 1;
}
