// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Balanced on fabric files: against the best of OpenSM's engines on the real ones, where they are at hand
// (ESPALIER_FABRICS), and against dmodc on all others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/analysis/congestion/congestion.h"
#include "core/engines/engines.h"
#include "core/io/fabric_reader.h"
#include "core/io/file.h"
#include "core/tree/costs.h"
#include "core/tree/node_order.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

struct Figures {
  double worst_shift = 0;    // of all shifts
  double random_median = 0;  // of 200 random permutations
};

// The best of ftree, updn and minhop in OpenSM 3.3.23 on ibsim, each figure by itself.
const std::map<std::string, Figures> kBestStock = {{"ndr_dgx_542", {5, 5}},    {"avakas_281", {2, 4}},
                                                   {"tartu_144", {5, 6}},      {"psmn_x5_89", {6, 4}},
                                                   {"plafrim1_125", {27, 21}}, {"plafrim2_96", {4, 4}}};

Figures figures(const std::string& engine, const FatTree& tree) {
  const Result<Routing> routing = make_engine(engine, EngineOptions())->route(tree);
  const HostRoutes routes(tree.fabric(), routing->tables, topological_order(tree, UpDownCosts(tree)).hosts);
  return {shift_risk(routes).max(), random_risk(routes, 200, 1).median()};
}

TEST(Balanced, IsAtLeastAsGoodAsTheBestEngineOnFabricFiles) {
  std::vector<std::filesystem::path> dirs{ESPALIER_TEST_FABRICS};
  if (const char* const given = std::getenv("ESPALIER_FABRICS")) dirs.emplace_back(given);
  std::size_t compared = 0;
  for (const auto& dir : dirs)
    for (const auto& file : std::filesystem::directory_iterator(dir)) {
      if (file.path().extension() != ".net") continue;
      Result<ParsedNet> net = read_fabric(read_file(file.path()).value(), file.path());
      ASSERT_TRUE(net) << file.path();
      ASSERT_TRUE(net->builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete)) << file.path();
      const Fabric fabric = *std::move(net->builder).build();
      const Result<FatTree> tree = rank(fabric);
      ASSERT_TRUE(tree) << file.path();
      if (topological_order(*tree, UpDownCosts(*tree)).hosts.size() < 2) continue;
      const auto known = kBestStock.find(file.path().stem());
      const Figures best = known != kBestStock.end() ? known->second : figures("dmodc", *tree);
      const Figures own = figures("balanced", *tree);
      EXPECT_LE(own.worst_shift, best.worst_shift) << file.path();
      EXPECT_LE(own.random_median, best.random_median) << file.path();
      ++compared;
    }
  EXPECT_GE(compared, 10U);
}

}  // namespace
}  // namespace espalier
