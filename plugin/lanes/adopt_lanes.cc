// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/adopt_lanes.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "plugin/multicast/group_levels.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

// OpenSM cuts SL2VL tables down to the lanes that a port had in operation at discovery, and only then raises these: until
// it sweeps again, all lanes share what there was. It is asked once: a port may refuse for good.
void sweep_again_for_lanes(const Log& log, std::string_view engine, unsigned there, PluginState& state) {
  const unsigned needed = state.lanes->lanes().num_vls();
  const bool asked = std::exchange(state.swept_for_lanes, there < needed);
  if (there >= needed) return;
  log.info(fmt::format("{}: {} needed, but links had {} in operation before this sweep{}", engine,
                       counted(needed, "virtual lane"), there,
                       asked ? "; that did not change" : ": OpenSM raises them, and is asked to sweep again"));
  if (!asked) state.next_sweep = std::chrono::steady_clock::now();
}

// "1, 5" for bits 1 and 5.
std::string levels_in(std::uint32_t sls) {
  std::vector<unsigned> levels;
  for (unsigned sl = 0; sl < kNumSls; ++sl)
    if ((sls >> sl & 1U) != 0) levels.push_back(sl);
  return fmt::format("{}", fmt::join(levels, ", "));
}

void log_levels_of_groups(const Log& log, std::string_view engine, const LevelsOfGroups& levels) {
  if (levels.left != 0)
    log.info(fmt::format(
        "{}: unicast leaves service level {} to the multicast groups of partitions, with the lanes of service "
        "level 0",
        engine, levels_in(levels.left)));
  if (levels.not_left != 0)
    log.info(
        fmt::format("{}: multicast groups with service level {} can close a credit loop with unicast traffic, which "
                    "needs all service levels; give their partitions service level 0",
                    engine, levels_in(levels.not_left)));
}

// To give back the memory of what was in use, megabytes on 10 000 hosts, takes as long as the rest of this.
template <class Old>
void leave(Old old, PluginState& state) {
  state.outdated.push_back(std::make_shared<Old>(std::move(old)));
}

}  // namespace

void adopt_lanes(osm_opensm& osm, const RoutingTask& task, const std::shared_ptr<const SoundRouting>& sound,
                 const LinkFigures& links, PluginState& state) {
  const Log log(osm);
  leave(std::exchange(state.lanes, std::nullopt), state);
  if (!sound->routing.lanes) {
    state.multicast.adopt(osm, task.fabric, task.tree, std::nullopt);
    return;
  }
  std::shared_ptr<const Lanes> lanes(sound, &*sound->routing.lanes);
  if (state.ahead && state.ahead->multicast && state.ahead->made(*sound))
    leave(std::exchange(state.multicast, std::move(*state.ahead->multicast)), state);
  log.info(fmt::format("{}: {}, {}", task.engine, counted(lanes->num_vls(), "virtual lane"),
                       counted(sound->num_sls, "service level")));
  const MulticastState::Adopted multicast = state.multicast.adopt(
      osm, task.fabric, task.tree, MulticastState::Unicast{sound->dependencies, lanes, task.options.max_vls});
  if (multicast.own_lane) {
    log.info(
        fmt::format("{}: multicast is alone on virtual lane {} and service level 0; unicast has service level {} "
                    "in place of 0",
                    task.engine, multicast.own_lane->vl, multicast.own_lane->unicast_sl));
    lanes = {multicast.own_lane, &multicast.own_lane->lanes};
  }
  if (!multicast.sound)
    log.info(
        fmt::format("{}: multicast traffic on service level 0 can close a credit loop with unicast traffic, and the "
                    "links have no virtual lane left for it; give them more, or use another engine",
                    task.engine));
  LevelsOfGroups levels = leave_to_groups(*lanes, levels_of_partitions(osm));
  log_levels_of_groups(log, task.engine, levels);
  if (levels.lanes) lanes = std::make_shared<const Lanes>(*std::move(levels.lanes));
  state.lanes.emplace(*task.fabric, std::move(lanes));
  sweep_again_for_lanes(log, task.engine, links.in_operation, state);
}

}  // namespace espalier
