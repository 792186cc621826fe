// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Throughput limits of M. Garcia et al., ICPP 2013, section II, in rates of a host, on tables of our engines. Shortest
// paths have them exactly: 2h^2 hosts of a group share one link under ADVG (the paper prints 2h^2 + 1), h hosts of a
// router one under ADVL.
#include <gtest/gtest.h>

#include <memory>

#include "core/analysis/congestion/spread_load.h"
#include "core/dragonfly/detect.h"
#include "core/engines/dragonfly/route_dragonfly.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/dragonfly.h"

namespace espalier {
namespace {

// Balanced and of the largest size: p = h, a = 2h, g = 2h^2 + 1.
Fabric balanced_dragonfly(unsigned h, std::uint8_t lmc) {
  DragonflySpec spec;
  spec.hosts = h;
  spec.routers = 2 * h;
  spec.globals = h;
  spec.groups = 2 * h * h + 1;
  FabricBuilder builder(generate_dragonfly(spec).value());
  EXPECT_TRUE(builder.assign_lids(lmc, FabricBuilder::Numbering::kRenumber).has_value());
  return std::move(builder).build().value();
}

struct Measured {
  Fabric fabric;
  Dragonfly shape;
  HostRoutes routes;

  Measured(Fabric made, PathSet paths, LidUse use)
      : fabric(std::move(made)),
        shape(detect_dragonfly(fabric).value()),
        routes(fabric, route_dragonfly(shape, {paths, 8}).value().tables, hosts(), std::move(use)) {}

  [[nodiscard]] std::vector<EndportId> hosts() const {
    std::vector<EndportId> all;
    for (const EndportId e : fabric.endports()) all.push_back(e);
    return all;
  }
  // All hosts of place i to all of place i + n, where places are groups or the routers of a group.
  [[nodiscard]] double throughput(const std::vector<std::vector<std::uint32_t>>& places, std::size_t n) const {
    std::vector<SpreadFlow> flows;
    for (std::size_t i = 0; i < places.size(); ++i) flows.push_back({places[i], places[(i + n) % places.size()]});
    return 1 / spread_load(routes, flows).worst();
  }
  [[nodiscard]] double advg(std::size_t n) const {
    std::vector<std::vector<std::uint32_t>> groups(shape.num_groups());
    for (const EndportId e : fabric.endports())
      groups[shape.group(fabric.at(e).leaf)].push_back(static_cast<std::uint32_t>(index(e)));
    return throughput(groups, n);
  }
  // Of the first group; all are alike.
  [[nodiscard]] double advl(std::size_t n) const {
    std::vector<std::vector<std::uint32_t>> routers(shape.routers(0).size());
    for (const EndportId e : fabric.endports())
      if (shape.group(fabric.at(e).leaf) == 0)
        routers[shape.router(fabric.at(e).leaf)].push_back(static_cast<std::uint32_t>(index(e)));
    return throughput(routers, n);
  }
};

TEST(DragonflyLimits, OfShortestWaysAreThePapers) {
  const Measured h4(balanced_dragonfly(4, 0), PathSet::kMinimal, {});
  EXPECT_DOUBLE_EQ(h4.advg(1), 1.0 / 32);
  EXPECT_DOUBLE_EQ(h4.advg(4), 1.0 / 32);
  EXPECT_DOUBLE_EQ(h4.advl(1), 1.0 / 4);
  EXPECT_NEAR(1 / h4.advg(1), 32, 1e-9);
}

// The paper's Valiant spreads over all other groups; seven offsets deal them round. Offset 0 is the shortest path.
TEST(DragonflyLimits, OfGroupsOnTheWayComeNearThoseOfValiant) {
  Fabric fabric = balanced_dragonfly(4, 3);
  LidChoiceList over_groups;
  for (std::uint8_t offset = 1; offset < 8; ++offset) over_groups.push_back({offset, 1});
  auto choices = std::make_shared<const LidChoices>(same_for_all(fabric.num_endports(), over_groups));
  const Measured h4(std::move(fabric), PathSet::kNonminimal,
                    {.kind = LidUse::Kind::kChoices, .choices = std::move(choices)});
  EXPECT_GE(h4.advg(1), 0.9 * 0.484);
  // Without local detours 0.1937, with them up to 0.484.
  EXPECT_GE(h4.advg(4), 0.1937 * 1.15);
  EXPECT_GE(h4.advl(1), 0.33);  // without: 0.25
}

}  // namespace
}  // namespace espalier
