// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/lane_search.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "core/dragonfly/detect.h"
#include "core/engines/dragonfly/dragonfly_routes.h"
#include "core/fabric/faults.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using test::with_lmc;

// By definition: from hop to hop, SL by SL.
class SlowLanes {
 public:
  SlowLanes(const Dragonfly& dragonfly, const ForwardingTables& tables, const SlPlan& plan, unsigned max_vls)
      : dragonfly_(dragonfly), tables_(tables), plan_(plan), max_vls_(max_vls) {}

  // The first SL with which all steps ascend; nothing: none. A path of one hop has no step, and SL 0.
  [[nodiscard]] std::optional<std::uint8_t> first_sl(SwitchId s, Lid lid, std::uint8_t preferred) const {
    if (hops(s, lid, 0).size() < 2) return std::uint8_t{0};
    if (ascends_all(s, lid, preferred)) return preferred;
    for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
      if (ascends_all(s, lid, sl)) return sl;
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::vector<LaneHop> hops(SwitchId s, Lid lid, std::uint8_t sl) const {
    const Fabric& fabric = dragonfly_.fabric();
    std::vector<LaneHop> hops;
    for (PortClass in = PortClass::kTerminal;;) {
      const PortNum port = tables_.at(s, lid);
      if (port == kNoPort || port == kManagementPort || !fabric.peer(s, port).is_switch()) return hops;
      const PortClass out = dragonfly_.port_class(s, port);
      const SwitchId to = fabric.peer(s, port).as_switch();
      hops.push_back({s, to, out, plan_.vl(turn_at(dragonfly_, s, in, out), sl)});
      in = out;
      s = to;
    }
  }
  [[nodiscard]] bool ascends_all(SwitchId s, Lid lid, std::uint8_t sl) const {
    if (plan_.vls_of(sl) == 0 || plan_.vls_of(sl) > max_vls_) return false;
    const std::vector<LaneHop> path = hops(s, lid, sl);
    for (std::size_t i = 1; i < path.size(); ++i)
      if (!ascends(dragonfly_, path[i - 1], path[i])) return false;
    return true;
  }

  const Dragonfly& dragonfly_;
  const ForwardingTables& tables_;
  const SlPlan& plan_;
  unsigned max_vls_;
};

// Any, by group of the source and by some classes of destinations.
ServiceLevels drawn_levels(const Dragonfly& dragonfly, std::mt19937& random) {
  const Fabric& fabric = dragonfly.fabric();
  constexpr std::uint32_t kClasses = 3;
  ServiceLevels levels(fabric.top_lid(), dragonfly.num_groups(), kClasses);
  for (std::size_t lid = 1; lid <= index(fabric.top_lid()); ++lid)
    levels.set_destination_class(id_at<Lid>(lid),
                                 random() % 8 == 0 ? static_cast<std::uint32_t>(random() % kClasses) : 0);
  for (std::uint32_t group = 0; group < dragonfly.num_groups(); ++group)
    for (std::uint32_t c = 0; c < kClasses; ++c) levels.set(group, c, static_cast<std::uint8_t>(random() % 6));
  return levels;
}

// Returns how many paths have no SL by definition.
std::uint64_t expect_first_sls(const Fabric& fabric, unsigned max_vls, const ServiceLevels* preferred) {
  const Dragonfly dragonfly = detect_dragonfly(fabric).value();
  const GroupPaths paths(dragonfly);
  const auto routes = choose_routes(dragonfly, PathSet::kMinimal, nullptr);
  const ForwardingTables tables = fill_tables(dragonfly, paths, routes, nullptr);
  SlPlan plan = shortest_plan();
  add_spare_sls(plan, dragonfly.num_groups(), max_vls);
  const LaneSearch found = search_lanes(dragonfly, tables, plan, preferred, max_vls).value();
  const SlowLanes slow(dragonfly, tables, plan, max_vls);
  std::uint64_t irregular = 0;
  for (const SwitchId s : fabric.switches())
    for (std::size_t i = 1; i <= index(fabric.top_lid()); ++i) {
      const Lid lid = id_at<Lid>(i);
      if (fabric.destination_switch(lid) == kNoSwitch) continue;
      const std::uint8_t first = preferred == nullptr
                                     ? std::uint8_t{0}
                                     : preferred->of_classes(dragonfly.group(s), preferred->destination_class(lid));
      const auto sl = slow.first_sl(s, lid, first);
      if (!sl) {
        ++irregular;
        continue;
      }
      EXPECT_EQ(found.levels.at(fabric.at(s).lid, lid), *sl) << fabric.label(s) << " to LID " << i;
    }
  EXPECT_EQ(found.num_irregular, irregular);
  return irregular;
}

TEST(LaneSearch, TakesTheFirstSlWithWhichAPathAscends) {
  std::mt19937 random(2028);
  std::uint64_t irregular = 0;
  for (const char* spec : {"2,4,2,9", "3,4,2,7", "1,6,1,5"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const unsigned max_vls : {4U, 8U}) {
        const Fabric whole = test::generated("dragonfly", spec);
        const Fabric fabric = with_lmc(degrade(whole, {.links = seed, .seed = seed}).value(), seed % 2 == 0 ? 1 : 0);
        irregular += expect_first_sls(fabric, max_vls, nullptr);
        const ServiceLevels preferred = drawn_levels(detect_dragonfly(fabric).value(), random);
        irregular += expect_first_sls(fabric, max_vls, &preferred);
      }
  EXPECT_GT(irregular, 0U) << "damage that costs no lanes";
}

}  // namespace
}  // namespace espalier
