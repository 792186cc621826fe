// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Repair where the tables of the reference need all lanes that there are: every lane is so full of dependencies that a lost
// route often finds no path of its own.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/fabric/faults.h"
#include "core/repair/lanes/escape_tree.h"
#include "core/repair/repairable_reference.h"
#include "tests/repair/routed.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"
#include "tests/support/without.h"

namespace espalier {
namespace {

using test::complaint;
using test::reference_on_lanes;

struct TightCase {
  std::string kind, spec;
  unsigned vls;

  [[nodiscard]] Fabric fabric() const { return test::generated(kind, spec, 0, 1001); }
  [[nodiscard]] std::string name() const { return kind + " " + spec + " on " + std::to_string(vls); }
};

const std::vector<TightCase>& tight_cases() {
  static const std::vector<TightCase> all{
      {"torus", "5,5,2", 1}, {"torus", "5,5,2", 2}, {"jellyfish", "30,3,2", 1}, {"jellyfish", "30,3,2", 2},
      {"gdbg", "40,2,2", 2}, {"kautz", "3,3,2", 2}, {"torus", "6,6,1", 2},      {"torus", "4,4,4,1", 2}};
  return all;
}

void expect_local(const RepairableReference& reference, const Fabric& now, const std::string& what) {
  const auto repaired = reference.patch(now, {});
  ASSERT_TRUE(repaired) << what << ": " << repaired.error().text();
  EXPECT_EQ(complaint(verify(now, repaired->tables.whole(), repaired->lanes)), "") << what;
  EXPECT_EQ(repaired->reach, RepairReach::kLocal) << what;
}

TEST(TightLanes, every_single_link_is_repaired_locally) {
  for (const TightCase& c : tight_cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_on_lanes(whole, "layers", c.vls));
    for (const SwitchId s : whole.switches())
      for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p)
        if (const Peer& peer = whole.peer(s, id_at<PortNum>(p)); peer.is_switch() && index(s) < peer.id)
          expect_local(*reference, without_link(whole, s, id_at<PortNum>(p)),
                       c.name() + ", " + whole.label(s) + " port " + std::to_string(p));
  }
}

TEST(TightLanes, many_faults_are_repaired_locally) {
  for (const TightCase& c : tight_cases()) {
    const Fabric whole = c.fabric();
    const auto reference = prepare(reference_on_lanes(whole, "layers", c.vls));
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Fabric some = degrade(whole, {.links = 2 + seed % 7, .endports = seed % 3, .seed = seed}).value();
      const SwitchId gone = id_at<SwitchId>(seed % some.num_switches());
      expect_local(*reference, seed % 2 == 0 ? without_switch(some, gone) : some,
                   c.name() + ", seed " + std::to_string(seed));
    }
  }
}

// A repair of a fabric on two lanes that has got as far as to look for a tree.
struct Begun {
  explicit Begun(const Damage& damage, const TightCase& c = {"jellyfish", "30,3,2", 2}, const char* engine = "layers")
      : whole(c.fabric()),
        now(degrade(whole, damage).value()),
        prepared(reference_on_lanes(whole, engine, c.vls)),
        alive(find_survivors(prepared.fabric(), now)),
        routing(prepared, alive, now) {}

  // Of any root and level: one that reaches all, or the one that reaches most.
  [[nodiscard]] EscapeTree best_tree() {
    std::pair<std::size_t, std::pair<SwitchId, std::uint8_t>> best{0, {SwitchId{0}, std::uint8_t{0}}};
    for (const std::uint8_t sl : routing.levels_in_use())
      for (const SwitchId root : now.switches()) {
        const EscapeTree tree(routing, root, sl);
        if (tree.num_members() > best.first) best = {tree.num_members(), {root, sl}};
        routing.take_back(0);
      }
    return {routing, best.second.first, best.second.second};
  }

  Fabric whole, now;
  PreparedLanes prepared;
  Survivors alive;
  LaneRouting routing;
};

// The path from `from` to `t` along the tree, of what comes in at `from` by this port: what is wrong with it.
std::string complaint(Begun& begun, const EscapeTree& tree, SwitchId from, PortNum in, SwitchId t) {
  const Fabric& now = begun.now;
  const std::vector<PortNum> toward = tree.toward(t);
  std::pair<ChannelId, std::uint8_t> before;
  SwitchId s = from;
  for (std::size_t hops = 0; s != t; ++hops) {
    const PortNum port = toward[index(s)];
    if (port == kNoPort || hops == now.num_switches()) return now.label(from) + " does not reach " + now.label(t);
    const std::pair next(now.channel(s, port), begun.routing.lanes().vl(s, in, port, tree.sl()));
    if (hops > 0 && !begun.routing.admit_step(before.first, before.second, next.first, next.second))
      return "a turn at " + now.label(s) + " is not allowed";
    before = next;
    in = now.peer(s, port).port;
    s = now.peer(s, port).as_switch();
  }
  return "";
}

// That it leads from everywhere to everywhere, by steps that are allowed already.
std::string complaint(Begun& begun, const EscapeTree& tree) {
  const std::size_t added = begun.routing.num_added();
  for (const SwitchId t : begun.now.switches())
    for (const SwitchId from : begun.now.switches())
      for (const LaneSource& source : begun.routing.lanes().sources(from))
        if (const std::string what = complaint(begun, tree, from, source.in, t); !what.empty()) return what;
  return begun.routing.num_added() == added ? "" : "turns were not allowed yet";
}

TEST(EscapeTree, leads_from_everywhere_to_everywhere) {
  Begun begun({.links = 1, .seed = 1});
  const EscapeTree tree = begun.best_tree();
  ASSERT_TRUE(tree.is_whole());
  EXPECT_EQ(complaint(begun, tree), "");
}

// On dragonflies the lane depends on the port by which a packet has come, too.
TEST(EscapeTree, leads_from_everywhere_to_everywhere_on_all_its_lanes) {
  std::size_t whole = 0;
  for (const char* engine : {"dragonfly", "dragonfly-rlm"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Begun begun({.links = 20, .seed = seed}, {"dragonfly", "2,4,2,9", 3}, engine);
      const EscapeTree tree = begun.best_tree();
      if (!tree.is_whole()) continue;
      EXPECT_EQ(complaint(begun, tree), "") << seed;
      ++whole;
    }
  EXPECT_GT(whole, 35U);
}

TEST(EscapeTree, has_others_make_way) {
  std::size_t count = 0;
  for (std::uint64_t seed = 101; seed <= 140; ++seed) {
    Begun begun({.links = 8, .seed = seed});
    begun.routing.forget_lost_routes();
    EscapeTree tree = begun.best_tree();
    if (tree.is_whole()) continue;
    ASSERT_TRUE(tree.make_way()) << seed;
    EXPECT_TRUE(tree.is_whole()) << seed;
    EXPECT_EQ(complaint(begun, tree), "") << seed;
    ++count;
  }
  EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace espalier
