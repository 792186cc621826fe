// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Undamaged random PGFTs and XGFTs whose leaves have any number of hosts, from none to all places: balanced against the
// best of the other engines for trees, each figure by itself.
//
// Usage: uneven_campaign DRAWS [FIRST_SEED [FOLDER]]
// With FOLDER: writes the fabrics there, as uneven.SEED.net, and does nothing else (scripts/as_built.py has them routed by
// the real OpenSM as well). Without:
// Prints each draw in which balanced is above the best in the worst shift or in the median of random permutations, with
// the engine that is better, then how many those are. Exit status 1 when tables are not sound, when the worst shift of
// any draw is above the best, or the median in more than 1 of 20.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/pgft.h"
#include "core/io/net/net_writer.h"
#include "core/tree/costs.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"

namespace {

using namespace espalier;

constexpr std::array kOthers{"dmodc", "dmodk", "gxmodk", "weighted", "pqft", "vpgft", "ftree", "sftree", "ftree2"};
constexpr std::uint64_t kMostHosts = 240;
constexpr std::uint64_t kMostSwitches = 90;
constexpr std::uint32_t kRandomDraws = 500;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  // Two or three levels; every second one with parallel links somewhere.
  [[nodiscard]] PgftSpec spec() {
    for (;;) {
      PgftSpec spec{number(2, 3), {number(2, 10)}, {1}, {1}};
      const bool is_xgft = number(0, 1) == 0;
      for (unsigned level = 2; level <= spec.h; ++level) {
        spec.m.push_back(number(2, 8));
        spec.w.push_back(number(1, 6));
        spec.p.push_back(is_xgft ? 1 : number(1, 3));
      }
      std::uint64_t switches = 0;
      for (unsigned level = 1; level <= spec.h; ++level) switches += spec.num_switches(level);
      if (spec.num_hosts() >= 6 && spec.num_hosts() <= kMostHosts && switches <= kMostSwitches) return spec;
    }
  }

  // Every leaf keeps from none to all of its hosts.
  [[nodiscard]] Fabric uneven(const Fabric& full) {
    Removal removal;
    IdVector<SwitchId, unsigned> keeps(full.num_switches(), 0);
    IdVector<SwitchId, unsigned> hosts(full.num_switches(), 0);
    for (const EndportId e : full.endports()) ++hosts[full.at(e).leaf];
    for (const SwitchId s : full.switches()) keeps[s] = number(0, hosts[s]);
    for (const EndportId e : full.endports())
      if (hosts[full.at(e).leaf]-- > keeps[full.at(e).leaf]) removal.endports.push_back(e);
    return without(full, removal);
  }

 private:
  [[nodiscard]] unsigned number(unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random_() % (most - least + 1));  // The same on every platform.
  }
  std::mt19937_64 random_;
};

struct Figures {
  double worst_shift = 0;
  double random_median = 0;
};

// What is better than balanced in a draw.
struct Outcome {
  std::string of_shifts;
  std::string of_random;
  bool is_sound = true;
};

Figures figures(const FatTree& tree, const std::vector<EndportId>& hosts, const ForwardingTables& tables) {
  const HostRoutes routes(tree.fabric(), tables, hosts);
  return {shift_risk(routes).max(), random_risk(routes, kRandomDraws, 1).median()};
}

struct Case {
  PgftSpec spec;
  Fabric fabric;
};

Case draw_case(std::uint64_t seed) {
  Draw draw(seed);
  const PgftSpec spec = draw.spec();
  return {spec, draw.uneven(*generate_pgft(spec))};
}

// Hosts in the order of topology; none where there are too few to compare anything.
std::vector<EndportId> hosts_to_judge(const FatTree& tree) {
  std::vector<EndportId> hosts = topological_order(tree, UpDownCosts(tree)).hosts;
  if (hosts.size() < 3) hosts.clear();
  return hosts;
}

// False where the file cannot be written.
bool write_case(std::uint64_t seed, const std::filesystem::path& folder) {
  const Case drawn = draw_case(seed);
  const Result<FatTree> tree = rank(drawn.fabric);
  if (!tree || hosts_to_judge(*tree).empty()) return true;
  std::ofstream file(folder / fmt::format("uneven.{}.net", seed));
  file << write_net(drawn.fabric);
  return static_cast<bool>(file.flush());
}

Outcome judge(std::uint64_t seed) {
  const auto [spec, fabric] = draw_case(seed);
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return {};
  const std::vector<EndportId> hosts = hosts_to_judge(*tree);
  if (hosts.empty()) return {};
  const auto routing = make_engine("balanced", EngineOptions())->route(*tree);
  const Figures own = figures(*tree, hosts, routing->tables);
  Outcome outcome;
  outcome.is_sound = verify(fabric, routing->tables).ok();
  for (const char* const name : kOthers) {
    const auto other = make_engine(name, EngineOptions())->route(*tree);
    if (!other) continue;
    const Figures theirs = figures(*tree, hosts, other->tables);
    if (theirs.worst_shift < own.worst_shift)
      outcome.of_shifts += fmt::format(" {} {} of {}", name, theirs.worst_shift, own.worst_shift);
    if (theirs.random_median < own.random_median)
      outcome.of_random += fmt::format(" {} {} of {}", name, theirs.random_median, own.random_median);
  }
  if (!outcome.is_sound || !outcome.of_shifts.empty() || !outcome.of_random.empty())
    fmt::print("{}  {}, {} hosts: shifts:{}; random:{}{}\n", seed, spec.text(), hosts.size(), outcome.of_shifts,
               outcome.of_random, outcome.is_sound ? "" : "  NOT SOUND");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t draws = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  const std::uint64_t first = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1001;
  if (argc > 3) {
    for (std::uint64_t seed = first; seed < first + draws; ++seed)
      if (!write_case(seed, argv[3])) return 1;
    return 0;
  }
  std::size_t shifts = 0;
  std::size_t random = 0;
  bool sound = true;
  for (std::uint64_t seed = first; seed < first + draws; ++seed) {
    const Outcome outcome = judge(seed);
    shifts += outcome.of_shifts.empty() ? 0 : 1;
    random += outcome.of_random.empty() ? 0 : 1;
    sound = sound && outcome.is_sound;
  }
  fmt::print("{} draws: balanced above the best in the worst shift in {}, in the random median in {}\n", draws, shifts,
             random);
  return sound && shifts == 0 && random * 20 <= draws ? 0 : 1;
}
