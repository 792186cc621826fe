// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Fabrics of every generator, whole, modified and damaged: rank() finds the levels by which they were built, and every
// engine routes them soundly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>

#include "core/analysis/routes/hops.h"
#include "core/analysis/soundness/verify.h"
#include "core/base/parallel.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/modifiers.h"
#include "core/tree/rank.h"
#include "tests/support/engines.h"
#include "tests/support/fabrics.h"
#include "tests/support/soundness.h"

namespace espalier {
namespace {

using test::generated;

struct Named {
  std::string name;
  Fabric fabric;
};

std::vector<Named> small_fabrics() {
  const std::vector<std::pair<std::string_view, std::string_view>> specs{{"xgft", "3;4,4,6;1,2,2"},
                                                                         {"gft", "3;4;2"},
                                                                         {"gft", "4;2;2"},
                                                                         {"kary", "2,3"},
                                                                         {"kary", "4,3"},
                                                                         {"kary", "2,5"},
                                                                         {"mport", "4,3"},
                                                                         {"mport", "8,3"},
                                                                         {"mport", "36,1"},
                                                                         {"leiserson", "2,3"},
                                                                         {"leiserson", "3,3"},
                                                                         {"rlft", "2;4;1,2"},
                                                                         {"rlft", "3;4;1,2,4"},
                                                                         {"qft", "3;4,2,4;1,2,2;1,2,1"},
                                                                         {"qft", "3;3,2,6;1,2,3;1,3,1"},
                                                                         {"qft", "4;2,2,2,4;1,2,2,2;1,1,2,1"},
                                                                         {"megafly", "5;2,2,2;2"},
                                                                         {"megafly", "3;2,3,2;4"},
                                                                         {"megafly", "9;1,2,4;2"},
                                                                         {"megafly", "1;2,3,2;1"},
                                                                         {"directors", "20,2,4;2,12"},
                                                                         {"directors", "11,3,2;1,8"},
                                                                         {"directors", "8,2,2;1,4,3"},
                                                                         {"directors", "6,2,2;1,6;2,1"},
                                                                         {"directors", "12,2,4;4,8;1,2"}};
  std::vector<Named> fabrics;
  for (const auto& [kind, spec] : specs) fabrics.push_back({fmt::format("{} {}", kind, spec), generated(kind, spec)});
  return fabrics;
}

// GUIDs of made-up switches hold the level by which they were built, counted from 1.
std::size_t built_at(const Switch& s) { return ((index(s.guid) >> 24) & 0xFF) - 1; }

// What verify() says against the tables of the engines; empty: nothing. Some may decline.
std::string complaint(const Fabric& fabric) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return tree.error().text();
  for (const std::string_view engine : engine_names()) {
    const Result<Routing> routing = make_engine(engine)->route(*tree);
    if (!routing && test::may_decline(engine)) continue;
    if (!routing) return fmt::format("{}: {}", engine, routing.error().text());
    const std::string wrong = test::complaint(verify(fabric, routing->tables, routing->lanes));
    if (!wrong.empty()) return fmt::format("{}: {}", engine, wrong);
  }
  return "";
}

std::string wrong_level(const Fabric& fabric) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return tree.error().text();
  for (const SwitchId s : fabric.switches())
    if (index(tree->level(s)) != built_at(fabric.at(s)))
      return fmt::format("{} is ranked {}", fabric.label(s), index(tree->level(s)));
  return "";
}

TEST(EveryGeneratedFabric, has_the_levels_by_which_it_was_built) {
  for (const auto& [name, fabric] : small_fabrics()) EXPECT_EQ(wrong_level(fabric), "") << name;
}

TEST(EveryGeneratedFabric, keeps_its_levels_with_aggregation_nodes_and_slow_links) {
  for (const auto& [name, fabric] : small_fabrics()) {
    const Modifiers modifiers{.aggregation_nodes = Modifiers::AggregationNodes::kOnEverySwitch, .slow_links = 3};
    EXPECT_EQ(wrong_level(modify(fabric, modifiers).value()), "") << name;
  }
}

// Large enough that a host on a spine cannot be taken for a leaf's: with two hosts on a leaf nobody could tell. Where
// rank() prefers other levels to those of the construction (two service hosts below one director: a spine taken for a
// leaf saves the pair of them a detour), the tables have to be sound all the same.
TEST(EveryGeneratedFabric, of_some_size_keeps_its_levels_under_the_oddities_of_real_ones) {
  const std::vector<std::pair<std::string_view, std::string_view>> specs{{"xgft", "3;4,4,6;1,2,2"},
                                                                         {"kary", "4,3"},
                                                                         {"mport", "8,3"},
                                                                         {"rlft", "2;18;1,2"},
                                                                         {"qft", "3;4,4,4;1,4,2;1,2,1"},
                                                                         {"megafly", "17;4,4,4;4"},
                                                                         {"directors", "39,27,9;1,36"}};
  for (const auto& [kind, spec] : specs) {
    const bool is_pgft = kind != "megafly" && kind != "directors" && kind != "qft";
    Modifiers modifiers{.aggregation_nodes = Modifiers::AggregationNodes::kOnEverySwitch,
                        .missing_hosts = 3,
                        .service_hosts = is_pgft ? 2U : 0U,
                        .slow_links = 3,
                        .leaf_links = is_pgft ? 1U : 0U,
                        .seed = 1};
    EXPECT_EQ(wrong_level(modify(generated(kind, spec), modifiers).value()), "") << kind << " " << spec;
    modifiers.service_hosts = 2;
    modifiers.leaf_links = 1;
    EXPECT_EQ(complaint(modify(generated(kind, spec), modifiers).value()), "") << kind << " " << spec;
  }
}

TEST(EveryGeneratedFabric, is_regular_but_for_what_it_is_named_after) {
  for (const auto& [name, fabric] : small_fabrics()) {
    const FatTree tree = rank(fabric).value();
    for (const Irregularity& irregularity : tree.irregularities())
      EXPECT_EQ(irregularity.kind, Irregularity::Kind::kSameLevelLink) << name << ": " << irregularity.text;
  }
}

TEST(EveryGeneratedFabric, is_routed_soundly_whole_modified_and_damaged) {
  std::mutex mutex;
  std::string complaints;
  const auto judge = [&](const Fabric& fabric, const std::string& what) {
    const std::string said = complaint(fabric);
    const std::lock_guard lock(mutex);
    if (!said.empty()) complaints += fmt::format("{}: {}\n", what, said);
  };
  const std::vector<Named> fabrics = small_fabrics();
  parallel_for(fabrics.size(), [&](std::size_t number) {
    const Named& named = fabrics[number];
    judge(named.fabric, named.name);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Modifiers modifiers;
      modifiers.seed = seed;
      if (seed % 2 == 0) modifiers.aggregation_nodes = Modifiers::AggregationNodes::kOnEverySwitch;
      modifiers.missing_hosts = seed % 6;
      modifiers.service_hosts = modify(named.fabric, {.service_hosts = 1}) ? seed % 5 : 0;
      modifiers.slow_links = seed;
      modifiers.leaf_links = modify(named.fabric, {.leaf_links = 2}) ? seed % 3 : 0;
      const Result<Fabric> odd = modify(named.fabric, modifiers);
      if (!odd) throw std::runtime_error(named.name + ": " + odd.error().text());
      judge(*odd, fmt::format("{} modified with seed {}", named.name, seed));
      const Damage damage{.links = odd->num_switch_links() / 5, .seed = seed};
      judge(degrade(*odd, damage).value(), fmt::format("{} modified and damaged with seed {}", named.name, seed));
    }
  });
  EXPECT_EQ(complaints, "");
}

// Gliksberg, 5.2.2: 1 036 hosts below 648-port directors, no congestion risk above 3 for shift permutations, so three
// hosts to an uplink. How many leaves there were is not published; 39 leaves with 27 hosts, 17 of them missing, fit.
TEST(DirectorFabric, of_1036_hosts_is_routed_soundly) {
  const Fabric fabric = modify(generated("directors", "39,27,9;1,36"), {.missing_hosts = 17}).value();
  EXPECT_EQ(fabric.num_endports(), 1036U);
  EXPECT_EQ(wrong_level(fabric), "");
  EXPECT_EQ(complaint(fabric), "");
}

// Gliksberg, 2.3.3: nu = (2 * 3 + 4 * 4 + 6 * 24) / 31 = 5.35 and (2 * 3 + 4 * 12 + 6 * 16) / 31 = 4.84.
TEST(Figure22, has_its_effective_diameters) {
  const auto nu = [](std::string_view kind) {
    const Fabric fabric = generated(kind, "3;4,2,4;1,2,2;1,2,1");
    std::vector<EndportId> hosts;
    for (const EndportId e : fabric.endports()) hosts.push_back(e);
    const FatTree tree = rank(fabric).value();
    const Routing routing = make_engine("dmodc")->route(tree).value();
    return count_hops(fabric, routing.tables, hosts).mean();
  };
  EXPECT_NEAR(nu("pgft"), 166.0 / 31, 1e-9);
  EXPECT_NEAR(nu("qft"), 150.0 / 31, 1e-9);
}

}  // namespace
}  // namespace espalier
