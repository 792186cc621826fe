// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics that are no trees, on few lanes and on many, damaged and repaired.
//
// Usage: lanes_campaign KIND SPEC VLS,VLS,... LINKS,LINKS,... [DRAWS [FIRST_SEED]]
// Per number of lanes, damage and draw: milliseconds of one processor, the least of three runs, of a repair and of engine
// `layers` from scratch; entries that differ from the reference's, and those on a lost link, which have to; paths between
// switches with another service level than before; how far the repair had to go; and the flows of all hosts to all on the
// fullest channel, as a share of what the engine from scratch leaves there. Exit status 1 when anything is not sound.
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/soundness/verify.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/repair/repairable_reference.h"
#include "core/tree/order/host_order.h"
#include "core/tree/rank.h"
#include "tests/repair/numbers.h"
#include "tests/support/fabrics.h"

namespace {

using namespace espalier;

double cpu_ms() { return static_cast<double>(std::clock()) * 1000.0 / CLOCKS_PER_SEC; }

Routing routed(const FatTree& tree, unsigned vls) {
  EngineOptions options;
  options.max_vls = vls;
  return make_engine("layers", options)->route(tree).value();
}

std::uint64_t fullest(const Fabric& fabric, const FatTree& tree, const ForwardingTables& tables) {
  const HostRoutes routes(fabric, TableRows(tables), hosts_in_order(tree, order_by_names(tree, descriptions(fabric))));
  return channel_loads(routes, {}, 0).max();
}

// On a lost link.
std::size_t lost_entries(const Reference& reference, const Fabric& now) {
  std::size_t count = 0;
  for (const SwitchId s : now.switches())
    for (std::size_t lid = 1; lid < reference.tables.width(); ++lid) {
      const SwitchId t = now.destination_switch(id_at<Lid>(lid));
      if (t == kNoSwitch || t == s) continue;
      count += now.peer(s, reference.tables.at(s, id_at<Lid>(lid))).is_switch() ? 0 : 1;
    }
  return count;
}

std::size_t new_levels(const Reference& reference, const Fabric& now, const Lanes& lanes) {
  std::size_t count = 0;
  for (const SwitchId s : now.switches())
    for (std::size_t lid = 1; lid < reference.tables.width(); ++lid)
      if (const SwitchId t = now.destination_switch(id_at<Lid>(lid)); t != kNoSwitch && t != s)
        count +=
            lanes.sl(now.at(s).lid, id_at<Lid>(lid)) != reference.lanes->sl(now.at(s).lid, id_at<Lid>(lid)) ? 1 : 0;
  return count;
}

bool judge(const RepairableReference& prepared, unsigned vls, const Damage& damage) {
  const Fabric now = degrade(prepared.reference().fabric, damage).value();
  PatchedRepair repaired;
  double ms = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = cpu_ms();
    repaired = tbb::task_arena(1).execute([&] { return prepared.patch(now, {}).value(); });
    ms = std::min(ms, cpu_ms() - start);
  }
  const ForwardingTables tables = repaired.tables.whole();
  const FatTree tree = rank(now).value();
  const double start = cpu_ms();
  const Routing fresh = tbb::task_arena(1).execute([&] { return routed(tree, vls); });
  const double fresh_ms = cpu_ms() - start;
  const bool good = verify(now, tables, repaired.lanes).ok() && repaired.lanes->num_vls() <= vls;
  fmt::print(
      "{} lanes, {} links, draw {}: {:.1f} ms (layers {:.0f}), {} entries, {} must, {} levels{}, fullest {:.3f}{}\n",
      vls, damage.links, damage.seed, ms, fresh_ms, repaired.entries, lost_entries(prepared.reference(), now),
      new_levels(prepared.reference(), now, *repaired.lanes), repaired.reach == RepairReach::kLocal ? "" : ", all anew",
      static_cast<double>(fullest(now, tree, tables)) / static_cast<double>(fullest(now, tree, fresh.tables)),
      good ? "" : "  NOT SOUND");
  std::fflush(stdout);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::uint64_t draws = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 1;
  const std::uint64_t first = argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 1;
  const Fabric whole = test::generated(argv[1], argv[2], 0, 1001);
  const FatTree tree = rank(whole).value();
  bool good = true;
  for (const std::size_t vls : test::numbers(argv[3])) {
    Routing routing = routed(tree, static_cast<unsigned>(vls));
    const double start = cpu_ms();
    const auto prepared = prepare(make_reference("layers", tree, std::move(routing.tables), {},
                                                 routing.lanes ? *routing.lanes : one_lane(whole)));
    fmt::print("{} lanes: prepared in {:.0f} ms\n", vls, cpu_ms() - start);
    for (const std::size_t links : test::numbers(argv[4]))
      for (std::uint64_t seed = first; seed < first + draws; ++seed)
        good = judge(*prepared, static_cast<unsigned>(vls), {.links = links, .seed = seed}) && good;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
