// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Random damage to FT(2;20,18), from one link to half of all: phases against the bound, and time.
//
// Usage: schedule_campaign DRAWS LIDS [LEAVES SERVERS SPINES MOST_FAILED]
// Exit status 1 when an exchange is wrong, more than 1 % of the draws miss the bound, or one misses it by more than 2
// %.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "core/schedule/exchanges/exchange_plan.h"
#include "core/schedule/leaf_spine/phase_bound.h"
#include "tests/schedule/random_damage.h"

int main(int argc, char** argv) {
  using namespace espalier;
  const auto argument = [&](int i, unsigned long otherwise) {
    return argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
  };
  const std::size_t draws = argument(1, 1000);
  const auto lids = static_cast<std::uint32_t>(argument(2, 4));
  const std::size_t leaves = argument(3, 18);
  const auto servers = static_cast<std::uint32_t>(argument(4, 20));
  const std::size_t spines = argument(5, 20);
  const std::size_t most_failed = argument(6, leaves * spines / 2);
  std::vector<double> ms;
  std::size_t at_bound = 0;
  std::size_t apart = 0;
  std::size_t detoured = 0;
  double worst = 0;
  double sum = 0;
  bool good = true;
  for (std::size_t seed = 0; seed < draws; ++seed) {
    const LeafSpine tree = test::damaged_tree(leaves, servers, spines, 1 + seed * most_failed / draws, seed);
    const std::optional<std::uint32_t> hub = test::hub_of(tree);
    const auto start = std::clock();
    const auto plan = plan_exchange(tree, lids, hub);
    ms.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    const std::string fault =
        plan ? test::fault_of(tree, plan->slots, plan->phases, plan->detours, hub.value_or(0)) : "no plan";
    apart += !test::all_pairs_joined(tree) && (!plan || plan->detours.empty());
    detoured += plan && !plan->detours.empty();
    if (!fault.empty()) {
      fmt::print("seed {}: {}\n", seed, fault);
      good = false;
      continue;
    }
    const std::uint32_t bound = phase_bound(tree).phases();
    const double excess = static_cast<double>(plan->phases) / bound - 1;
    at_bound += plan->phases == bound;
    worst = std::max(worst, excess);
    sum += excess;
  }
  std::sort(ms.begin(), ms.end());
  fmt::print(
      "{} draws, {} LIDs: {} at the bound, on average {:.3f} %, at most {:.2f} % above; {} with detours, {} with pairs "
      "left out; "
      "ms of processor time: median {:.1f}, maximum {:.1f}\n",
      draws, lids, at_bound, 100 * sum / static_cast<double>(draws), 100 * worst, detoured, apart, ms[ms.size() / 2],
      ms.back());
  at_bound -= std::min(at_bound, apart);  // their pairs have phases of their own
  return good && at_bound * 100 >= draws * 99 && worst <= 0.02 ? 0 : 1;
}
