// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/active_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier {

ActiveLanes::ActiveLanes(const Fabric& fabric, std::shared_ptr<const Lanes> lanes) : lanes_(std::move(lanes)) {
  for (const SwitchId s : fabric.switches()) {
    guids_.push_back(fabric.at(s).guid);
    num_ports_.push_back(fabric.at(s).num_ports);
  }
}

std::uint8_t ActiveLanes::sl(std::uint16_t from, std::uint16_t to) const { return lanes_->sl(Lid{from}, Lid{to}); }

std::optional<VlsBySl> ActiveLanes::vls(Guid node, std::uint8_t in, std::uint8_t out) const {
  const auto at = std::lower_bound(guids_.begin(), guids_.end(), node);
  if (at == guids_.end() || *at != node) return std::nullopt;
  const auto s = static_cast<std::size_t>(at - guids_.begin());
  if (in > num_ports_[s] || out > num_ports_[s]) return std::nullopt;
  return lanes_->maps().vls(id_at<SwitchId>(s), PortNum{in}, PortNum{out});
}

Status check_switch_sl(std::string_view engine, const std::optional<unsigned>& switch_sl) {
  if (switch_sl && *switch_sl != 0)
    return fail(fmt::format("switch_sl {} conflicts with the service levels of {}", *switch_sl, engine),
                "remove switch_sl from espalier.conf");
  return {};
}

Status check_lanes_possible(const OpensmOptions& opensm, std::string_view engine,
                            const std::optional<unsigned>& switch_sl) {
  if (!opensm.qos)
    return fail(fmt::format("{} needs virtual lanes, which OpenSM sets up only with QoS enabled", engine),
                "set qos TRUE in opensm.conf");
  return check_switch_sl(engine, switch_sl);
}

}  // namespace espalier
