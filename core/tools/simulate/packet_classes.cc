// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier simulate --packets --classify`: what TPR would make of known flows, without simulating anything. The slow loop
// of a site that knows its traffic: which LID offsets to use, the minimal one or those that go by way of other groups.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/export/json_text.h"
#include "core/packets/traffic_classes.h"
#include "core/tools/simulate/simulate_packets.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;
using packets::Extent;
using packets::TrafficClass;
using packets::Treatment;

constexpr std::array<const char*, 3> kImpacts = {"benign", "mixed", "adversarial"};

std::string words_for(const Treatment& treatment) {
  switch (treatment.kind) {
    case Treatment::Kind::kMinimal:
      return "minimal";
    case Treatment::Kind::kMinimalIfCalm:
      return "minimal, or UGAL(64)";
    case Treatment::Kind::kValiant:
      return "Valiant";
    default:
      return fmt::format("UGAL({:.0f})", treatment.offset);
  }
}

// For switches that cannot adapt: among the LIDs of a destination, of which the first is routed minimally.
const char* advice_for(const Treatment& treatment) {
  switch (treatment.kind) {
    case Treatment::Kind::kMinimal:
    case Treatment::Kind::kMinimalIfCalm:
      return "offset 0";
    case Treatment::Kind::kValiant:
      return "offsets from 1 on";
    default:
      return treatment.offset > 0 ? "mostly offset 0" : "mostly offsets from 1 on";
  }
}

Json cells_of(const std::vector<TrafficClass>& classes) {
  struct Cell {
    std::size_t pairs = 0;
    double load = 0;
    Treatment treatment;
  };
  std::array<Cell, 18> cells;
  double all = 0;
  for (const TrafficClass& c : classes) {
    const auto local = static_cast<std::size_t>(local_class(c.extent, c.impacts.local));
    const auto global = static_cast<std::size_t>(global_class(c.extent, c.impacts.global));
    Cell& cell = cells[(c.extent == Extent::kWithinGroup ? 0 : 9) + 3 * global + local];
    ++cell.pairs;
    cell.load += c.load;
    cell.treatment = treatment(c.extent, c.impacts);
    all += c.load;
  }
  Json json = Json::array();
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].pairs > 0)
      json.push_back({{"extent", i < 9 ? "within groups" : "between groups"},
                      {"local", kImpacts[i % 3]},
                      {"global", kImpacts[i % 9 / 3]},
                      {"treatment", words_for(cells[i].treatment)},
                      {"advice", advice_for(cells[i].treatment)},
                      {"pairs", cells[i].pairs},
                      {"share", cells[i].load / all}});
  return json;
}

Json pairs_of(const Fabric& fabric, const packets::Dragonfly& dragonfly, const std::vector<TrafficClass>& classes) {
  const auto name = [&](packets::Router r) { return fabric.at(SwitchId{r}).description; };
  Json json = Json::array();
  for (const TrafficClass& c : classes) {
    const bool within = c.extent == Extent::kWithinGroup;
    const packets::Router to = dragonfly.router(within ? dragonfly.group(c.router) : c.to, within ? c.to : 0);
    json.push_back({{"router", name(c.router)},
                    {within ? "to_router" : "to_group_of", name(to)},
                    {"load", c.load},
                    {"through", c.impacts.global},
                    {"treatment", words_for(treatment(c.extent, c.impacts))}});
  }
  return json;
}

}  // namespace

void print_classes(const Fabric& fabric, const packets::Network& network, const packets::Dragonfly& dragonfly,
                   const std::vector<packets::FlowLoad>& flows, const PacketRun& run) {
  const std::vector<TrafficClass> classes = packets::classify(network, dragonfly, flows);
  const Json cells = cells_of(classes);
  if (run.json)
    return fmt::print(
        "{}\n",
        json_text(Json{{"flows", flows.size()}, {"cells", cells}, {"pairs", pairs_of(fabric, dragonfly, classes)}}));
  fmt::print("{:<15} {:<12} {:<12} {:>6} {:>6}  {:<21} {}\n", "", "of its own", "of others", "pairs", "share", "TPR",
             "LIDs, if switches do not adapt");
  for (const Json& cell : cells)
    fmt::print("{:<15} {:<12} {:<12} {:>6} {:>5.1f}%  {:<21} {}\n", cell["extent"].get<std::string>(),
               cell["local"].get<std::string>(), cell["global"].get<std::string>(), cell["pairs"].get<std::size_t>(),
               100 * cell["share"].get<double>(), cell["treatment"].get<std::string>(),
               cell["advice"].get<std::string>());
}

}  // namespace espalier::tools
