// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The 8 640-host tree, damaged and repaired, with draws that nobody tuned anything to.
//
// Usage: repair_campaign SPEC|FABRIC.net DRAWS LINKS,LINKS,... SWITCHES,SWITCHES,... [FIRST_SEED [ENGINE...]]
// Per damage and draw: milliseconds of one processor, the least of three runs; blocks that differ from the reference's;
// blocks that have to (unavoidable_blocks.h); the worst of every 16th shift; the median of 200 random permutations; and
// the same of tables that the engines make of the damaged fabric from scratch. Exit status 1 when tables are not sound,
// when a repair of the whole fabric is not the reference, or when the blocks are more than 1.02 (one fault) or 1.05
// times those that have to be.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "core/analysis/congestion/congestion.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/repair/repair.h"
#include "core/repair/survivors/survivors.h"
#include "core/tree/order/host_order.h"
#include "core/tree/rank.h"
#include "tests/repair/fabric_file.h"
#include "tests/repair/numbers.h"
#include "tests/repair/unavoidable_blocks.h"
#include "tests/support/fabrics.h"

namespace {

using namespace espalier;

Blocks changed(const PreparedReference& reference, const Fabric& now, const ForwardingTables& tables) {
  const Survivors alive = find_survivors(reference.fabric(), now);
  Blocks blocks;
  for (const SwitchId s : now.switches())
    for (std::size_t lid = 1; lid < tables.width(); ++lid)
      if (tables.at(s, id_at<Lid>(lid)) != reference.reference().tables.at(alive.before[s], id_at<Lid>(lid)))
        blocks.insert({index(alive.before[s]), lid / kLidsPerBlock});
  return blocks;
}

// Milliseconds of processor that this process has taken: others may use the machine meanwhile.
double cpu_ms() { return static_cast<double>(std::clock()) * 1000.0 / CLOCKS_PER_SEC; }

constexpr int kTimings = 3;  // of which the least counts: others use the caches meanwhile

struct Risks {
  double shift = 0;   // the worst of every 16th
  double random = 0;  // the median of 200 permutations
};

Risks risks(const Fabric& now, const FatTree& tree, const ForwardingTables& tables) {
  const HostRoutes routes(now, tables, hosts_in_order(tree, order_by_names(tree, descriptions(now))));
  return {shift_risk(routes, 16).max(), random_risk(routes, 200, 1).median()};
}

// Hosts numbered by name, as repair has them.
ForwardingTables tables_of(const FatTree& tree, const std::string& engine) {
  EngineOptions options;
  options.host_order = order_by_names(tree, descriptions(tree.fabric()));
  return make_engine(engine, options)->route(tree).value().tables;
}

// What the engine makes of the damaged fabric from scratch.
void print_fresh(const PreparedReference& reference, const Fabric& now, const FatTree& tree,
                 const std::string& engine) {
  const ForwardingTables tables = tables_of(tree, engine);
  const Risks found = risks(now, tree, tables);
  fmt::print("; fresh {}: {} blocks, shift {}, random {}", engine, changed(reference, now, tables).size(), found.shift,
             found.random);
}

bool judge(const PreparedReference& reference, const Damage& damage, const std::vector<std::string>& engines) {
  const Fabric now = degrade(reference.fabric(), damage).value();
  PatchedRepair repaired;
  double ms = 1e9;
  for (int i = 0; i < kTimings; ++i) {
    const double start = cpu_ms();
    repaired = tbb::task_arena(1).execute([&] { return patch(reference, now).value(); });
    ms = std::min(ms, cpu_ms() - start);
  }
  const ForwardingTables tables = repaired.tables.whole();
  const auto must = static_cast<double>(unavoidable_blocks(reference, now).size());
  const auto blocks = static_cast<double>(changed(reference, now, tables).size());
  const FatTree tree = rank(now).value();
  const Risks found = risks(now, tree, tables);
  const double most = damage.links + damage.switches == 1 ? 1.02 : 1.05;
  const bool good = verify(now, tables).ok() && blocks <= most * must;
  fmt::print("{} links, {} switches, draw {}: {:.1f} ms, {} blocks, {} must ({:.3f}), shift {}, random {}{}{}",
             damage.links, damage.switches, damage.seed, ms, blocks, must, blocks / must, found.shift, found.random,
             repaired.reach == RepairReach::kLocal ? "" : ", not local: " + repaired.warnings.back(),
             good ? "" : "  NOT GOOD");
  for (const std::string& engine : engines) print_fresh(reference, now, tree, engine);
  fmt::print("\n");
  std::fflush(stdout);
  return good;
}

// A tree, or what a file says.
Fabric fabric_of(const std::string& spec) { return spec.ends_with(".net") ? fabric_of_file(spec) : test::pgft(spec); }

}  // namespace

int main(int argc, char** argv) {
  const std::string spec = argc > 1 ? argv[1] : "3;24,12,30;1,24,3;1,1,1";
  const std::uint64_t draws = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const Fabric whole = fabric_of(spec);
  const FatTree tree = *rank(whole);
  const PreparedReference reference(make_reference("balanced", tree, tables_of(tree, "balanced")));
  bool good = patch(reference, whole).value().tables.whole() == reference.reference().tables;
  const std::vector<std::string> engines(argv + std::min(argc, 6), argv + argc);
  const std::uint64_t first = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 1001;
  for (std::uint64_t seed = first; seed < first + draws; ++seed) {
    for (const std::size_t links : test::numbers(argc > 3 ? argv[3] : "1,10,86,432"))
      good = judge(reference, {.links = links, .seed = seed}, engines) && good;
    for (const std::size_t switches : test::numbers(argc > 4 ? argv[4] : "1,8"))
      good = judge(reference, {.switches = switches, .seed = seed}, engines) && good;
  }
  return good ? 0 : 1;
}
