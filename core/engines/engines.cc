// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/engines.h"

#include <algorithm>
#include <array>

#include "core/engines/closed_form.h"
#include "core/engines/dmodc.h"
#include "core/engines/dmodk.h"
#include "core/engines/ftree.h"
#include "core/engines/ftree2.h"
#include "core/engines/ftree_random.h"
#include "core/engines/pqft.h"
#include "core/engines/randsp.h"
#include "core/engines/up_down_engine.h"

namespace espalier {
namespace {

using Engine = std::unique_ptr<RoutingEngine>;

struct Entry {
  std::string_view name;
  Engine (*make)(std::string_view name, const EngineOptions& options);
};

Engine on_levels(std::string_view name, UpDownStep step) {
  return std::make_unique<UpDownEngine>(name, route_on_levels, std::move(step));
}
Engine breadth_first(std::string_view name, UpDownStep step) {
  return std::make_unique<UpDownEngine>(name, route_breadth_first, std::move(step));
}

UpDownStep seeded(decltype(randsp)* step, const EngineOptions& options) {
  return [step, seed = options.seed](const FatTree& tree, const UpDownCosts& costs, const NodeOrder& order) {
    return step(tree, costs, order, seed);
  };
}

constexpr std::array kEngines{
    Entry{"dmodc", [](auto, auto&) -> Engine { return std::make_unique<Dmodc>(); }},
    Entry{"dmodk", [](auto, auto&) -> Engine { return std::make_unique<Dmodk>(); }},
    Entry{"pqft", [](auto name, auto&) { return on_levels(name, pqft); }},
    Entry{"ftree", [](auto name, auto&) { return on_levels(name, ftree); }},
    Entry{"ftree2", [](auto name, auto&) { return on_levels(name, ftree2); }},
    Entry{"ftree-random", [](auto name, auto& options) { return on_levels(name, seeded(ftree_random, options)); }},
    Entry{"randsp", [](auto name, auto& options) { return on_levels(name, seeded(randsp, options)); }},
    Entry{"bfs-dmodc", [](auto name, auto&) { return breadth_first(name, closed_form); }},
    Entry{"bfs-ftree", [](auto name, auto&) { return breadth_first(name, ftree); }},
    Entry{"bfs-ftree2", [](auto name, auto&) { return breadth_first(name, ftree2); }},
    Entry{"bfs-ftree-random",
          [](auto name, auto& options) { return breadth_first(name, seeded(ftree_random, options)); }},
    Entry{"bfs-random", [](auto name, auto& options) { return breadth_first(name, seeded(randsp, options)); }},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kEngines.size()> names;
  std::transform(kEngines.begin(), kEngines.end(), names.begin(), [](const Entry& entry) { return entry.name; });
  return names;
}();

}  // namespace

std::span<const std::string_view> engine_names() { return kNames; }

std::unique_ptr<RoutingEngine> make_engine(std::string_view name, const EngineOptions& options) {
  const auto entry = std::find(kNames.begin(), kNames.end(), name);
  return entry == kNames.end() ? nullptr
                               : kEngines[static_cast<std::size_t>(entry - kNames.begin())].make(name, options);
}

}  // namespace espalier
