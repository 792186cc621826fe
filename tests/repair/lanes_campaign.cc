// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics that are no trees, on few lanes and on many, damaged and repaired.
//
// Usage: lanes_campaign KIND SPEC VLS,VLS,... LINKS,LINKS,... [DRAWS [FIRST_SEED [ENGINE [LMC]]]]
// Per number of lanes, damage and draw: milliseconds of one processor, the least of three runs, of a repair and of the engine
// (`layers` unless told) from scratch; entries that differ from the reference's, and those on a lost link, which have to;
// paths between switches with another service level than before; how far the repair had to go; and the flows of all hosts to
// all on the fullest channel, as a share of what the engine from scratch leaves there. Then a summary of all draws: in how
// many of them everything was routed anew, and means. Exit status 1 when anything is not sound.
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

// On so many lanes at most.
struct Subject {
  std::string engine;
  unsigned vls;

  // By engine `layers` where damage leaves no groups.
  [[nodiscard]] Routing routed(const FatTree& tree) const {
    EngineOptions options;
    options.max_vls = vls;
    if (auto routing = make_engine(engine, options)->route(tree)) return *std::move(routing);
    return make_engine("layers", options)->route(tree).value();
  }
};

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

// Of one draw; of several: their sums, and the most milliseconds.
struct Outcome {
  std::size_t draws = 0, anew = 0, entries = 0, must = 0, levels = 0, unsound = 0;
  double ms = 0, most_ms = 0, fresh_ms = 0, fullest = 0;

  Outcome& operator+=(const Outcome& other) {
    draws += other.draws, anew += other.anew, unsound += other.unsound;
    entries += other.entries, must += other.must, levels += other.levels;
    ms += other.ms, fresh_ms += other.fresh_ms, fullest += other.fullest;
    most_ms = std::max(most_ms, other.most_ms);
    return *this;
  }
};

void summarize(unsigned vls, std::size_t links, const Outcome& sum) {
  const double n = static_cast<double>(sum.draws);
  const auto mean = [n](std::size_t value) { return static_cast<double>(value) / n; };
  fmt::print(
      "{} lanes, {} links, all {} draws: {} all anew; means: {:.2f} ms (most {:.1f}, anew {:.0f}), {:.0f} entries, "
      "{:.0f} "
      "must, {:.0f} levels, fullest {:.3f}\n",
      vls, links, sum.draws, sum.anew, sum.ms / n, sum.most_ms, sum.fresh_ms / n, mean(sum.entries), mean(sum.must),
      mean(sum.levels), sum.fullest / n);
}

Outcome judge(const RepairableReference& prepared, const Subject& subject, const Damage& damage) {
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
  const Routing fresh = tbb::task_arena(1).execute([&] { return subject.routed(tree); });
  Outcome one{.draws = 1, .entries = repaired.entries, .ms = ms, .most_ms = ms, .fresh_ms = cpu_ms() - start};
  one.anew = repaired.reach == RepairReach::kLocal ? 0 : 1;
  one.unsound = verify(now, tables, repaired.lanes).ok() && repaired.lanes->num_vls() <= subject.vls ? 0 : 1;
  one.must = lost_entries(prepared.reference(), now);
  one.levels = new_levels(prepared.reference(), now, *repaired.lanes);
  one.fullest = static_cast<double>(fullest(now, tree, tables)) / static_cast<double>(fullest(now, tree, fresh.tables));
  fmt::print(
      "{} lanes, {} links, draw {}: {:.1f} ms (anew {:.0f}), {} entries, {} must, {} levels{}, fullest {:.3f}{}\n",
      subject.vls, damage.links, damage.seed, ms, one.fresh_ms, one.entries, one.must, one.levels,
      one.anew == 0 ? "" : ", all anew", one.fullest, one.unsound == 0 ? "" : "  NOT SOUND");
  std::fflush(stdout);
  return one;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::uint64_t draws = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 1;
  const std::uint64_t first = argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 1;
  const std::string engine = argc > 7 ? argv[7] : "layers";
  const auto lmc = static_cast<std::uint8_t>(argc > 8 ? std::strtoul(argv[8], nullptr, 10) : 0);
  const Fabric whole = test::generated(argv[1], argv[2], lmc, 1001);
  const FatTree tree = rank(whole).value();
  bool good = true;
  for (const std::size_t vls : test::numbers(argv[3])) {
    const Subject subject{engine, static_cast<unsigned>(vls)};
    Routing routing = subject.routed(tree);
    const double start = cpu_ms();
    const auto prepared = prepare(
        make_reference(engine, tree, std::move(routing.tables), {}, routing.lanes ? *routing.lanes : one_lane(whole)));
    fmt::print("{} lanes: prepared in {:.0f} ms\n", vls, cpu_ms() - start);
    for (const std::size_t links : test::numbers(argv[4])) {
      Outcome sum;
      for (std::uint64_t seed = first; seed < first + draws; ++seed)
        sum += judge(*prepared, subject, {.links = links, .seed = seed});
      summarize(subject.vls, links, sum);
      good = good && sum.unsound == 0;
    }
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
