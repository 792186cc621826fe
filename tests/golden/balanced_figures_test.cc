// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Balanced on fabric files: against the best of OpenSM's engines on the real ones, where they are at hand
// (ESPALIER_FABRICS), and against dmodc on all others; and on trees of many levels against ftree2.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/analysis/congestion/congestion.h"
#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/io/fabric_reader.h"
#include "core/io/file.h"
#include "core/tree/costs.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/node_order.h"
#include "core/tree/rank.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

struct Figures {
  double worst_shift = 0;    // of all shifts
  double random_median = 0;  // of 200 random permutations
  double mean_shift = 0;
};

// The best of ftree, updn and minhop in OpenSM 3.3.23 on ibsim, each figure by itself.
const std::map<std::string, Figures> kBestStock = {{"ndr_dgx_542", {5, 5}},    {"avakas_281", {2, 4}},
                                                   {"tartu_144", {5, 6}},      {"psmn_x5_89", {6, 4}},
                                                   {"plafrim1_125", {27, 21}}, {"plafrim2_96", {4, 4}}};

// In the order of names: at most these, where the best of minhop and sssp in OpenSM 3.3.23, each figure by itself, are
// 4 and 3.05, 7 and 4.13, 6 and 4.42, 5 and 3.99, 4 and 3.46. On plafrim1 a link that all share decides.
const std::map<std::string, Figures> kByNames = {{"ndr_dgx_542", {3, 5, 2.8}},     {"avakas_281", {3, 4, 2.3}},
                                                 {"tartu_144", {5, 6, 3.8}},       {"psmn_x5_89", {4, 4, 3.3}},
                                                 {"plafrim1_125", {27, 21, 21.4}}, {"plafrim2_96", {3, 4, 2.5}}};

Figures figures(const std::string& engine, const FatTree& tree, const HostOrder& order = order_by_topology()) {
  EngineOptions options;
  options.host_order = order;
  const Result<Routing> routing = make_engine(engine, options)->route(tree);
  const HostRoutes routes(tree.fabric(), routing->tables, hosts_in_order(tree, order));
  const RiskDistribution shifts = shift_risk(routes);
  return {shifts.max(), random_risk(routes, 200, 1).median(), shifts.mean()};
}

Fabric read(const std::filesystem::path& file) {
  Result<ParsedNet> net = read_fabric(read_file(file).value(), file);
  EXPECT_TRUE(net) << file;
  EXPECT_TRUE(net->builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete)) << file;
  return *std::move(net->builder).build();
}

TEST(Balanced, IsAtLeastAsGoodAsTheBestEngineOnFabricFiles) {
  std::vector<std::filesystem::path> dirs{ESPALIER_TEST_FABRICS};
  if (const char* const given = std::getenv("ESPALIER_FABRICS")) dirs.emplace_back(given);
  std::size_t compared = 0;
  for (const auto& dir : dirs)
    for (const auto& file : std::filesystem::directory_iterator(dir)) {
      if (file.path().extension() != ".net") continue;
      const Fabric fabric = read(file.path());
      const Result<FatTree> tree = rank(fabric);
      ASSERT_TRUE(tree) << file.path();
      if (topological_order(*tree, UpDownCosts(*tree)).hosts.size() < 2) continue;
      const auto known = kBestStock.find(file.path().stem());
      const Figures best = known != kBestStock.end() ? known->second : figures("dmodc", *tree);
      const Figures own = figures("balanced", *tree);
      EXPECT_LE(own.worst_shift, best.worst_shift) << file.path();
      EXPECT_LE(own.random_median, best.random_median) << file.path();
      if (const auto by_name = kByNames.find(file.path().stem()); by_name != kByNames.end()) {
        const Figures named = figures("balanced", *tree, order_by_names(*tree, descriptions(fabric)));
        EXPECT_LE(named.worst_shift, by_name->second.worst_shift) << file.path();
        EXPECT_LE(named.mean_shift, by_name->second.mean_shift) << file.path();
        EXPECT_LE(named.random_median, by_name->second.random_median) << file.path();
      }
      ++compared;
    }
  EXPECT_GE(compared, 10U);
}

// Five levels, 1 024 hosts: the search had ended above the counters of ftree2 in random permutations, 6 and 5.
TEST(Balanced, IsNotAboveFtree2OnDamagedTreesOfFiveLevels) {
  const Fabric whole = test::generated("kary", "4,5");
  for (const std::uint64_t seed : {1001U, 1002U}) {
    const Fabric fabric = degrade(whole, {.links = 40, .seed = seed}).value();
    const FatTree tree = rank(fabric).value();
    const Figures own = figures("balanced", tree), other = figures("ftree2", tree);
    EXPECT_LT(own.worst_shift, other.worst_shift) << "seed " << seed;
    EXPECT_LT(own.mean_shift, other.mean_shift) << "seed " << seed;
    EXPECT_LE(own.random_median, other.random_median) << "seed " << seed;
  }
}

}  // namespace
}  // namespace espalier
