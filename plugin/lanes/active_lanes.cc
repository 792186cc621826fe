// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/active_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plugin/opensm.h"
#include "plugin/subnet/live_ports.h"

namespace espalier {
namespace {

// VLCap and OperationalVLs: 1 = VL 0, 2 = VL 0-1, 3 = VL 0-3, 4 = VL 0-7, 5 = VL 0-14.
constexpr std::array<unsigned, 6> kLanes{1, 1, 2, 4, 8, 15};

unsigned lanes_of(unsigned code) { return kLanes[std::min<std::size_t>(code, kLanes.size() - 1)]; }

// The fewest that a port of a link between switches has, by this field of its PortInfo.
unsigned least_lanes(const osm_opensm& osm, std::uint8_t (*code_of)(const ib_port_info_t*)) {
  unsigned least = kLanes.back();
  const LivePorts live(osm.subn);
  const cl_qmap_t& switches = osm.subn.sw_guid_tbl;
  for (const cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i)) {
    const osm_switch_t& sw = *reinterpret_cast<const osm_switch_t*>(i);
    for (std::uint32_t p = 1; p < sw.num_ports && p < sw.p_node->physp_tbl_size; ++p) {
      const osm_physp_t& port = sw.p_node->physp_table[p];
      if (osm_physp_is_valid(&port) == 0 || !live.has(port.p_remote_physp)) continue;
      if (port.p_remote_physp->p_node->sw == nullptr || osm_physp_get_port_state(&port) <= IB_LINK_DOWN) continue;
      least = std::min(least, lanes_of(code_of(&port.port_info)));
    }
  }
  return least;
}

}  // namespace

ActiveLanes::ActiveLanes(const Fabric& fabric, Lanes lanes) : lanes_(std::move(lanes)) {
  for (const SwitchId s : fabric.switches()) {
    guids_.push_back(fabric.at(s).guid);
    num_ports_.push_back(fabric.at(s).num_ports);
  }
}

std::uint8_t ActiveLanes::sl(std::uint16_t from, std::uint16_t to) const { return lanes_.sl(Lid{from}, Lid{to}); }

std::optional<VlsBySl> ActiveLanes::vls(Guid node, std::uint8_t in, std::uint8_t out) const {
  const auto at = std::lower_bound(guids_.begin(), guids_.end(), node);
  if (at == guids_.end() || *at != node) return std::nullopt;
  const auto s = static_cast<std::size_t>(at - guids_.begin());
  if (in > num_ports_[s] || out > num_ports_[s]) return std::nullopt;
  return lanes_.maps().vls(id_at<SwitchId>(s), PortNum{in}, PortNum{out});
}

unsigned lanes_of_links(const osm_opensm& osm) {
  const unsigned all = osm.subn.opt.max_op_vls > 0 ? lanes_of(osm.subn.opt.max_op_vls) : kLanes.back();
  return std::min(all, least_lanes(osm, ib_port_info_get_vl_cap));
}

unsigned lanes_in_operation(const osm_opensm& osm) { return least_lanes(osm, ib_port_info_get_op_vls); }

Status check_lanes_possible(const osm_opensm& osm, std::string_view engine, const std::optional<unsigned>& switch_sl) {
  if (osm.subn.opt.qos == 0)
    return fail(fmt::format("{} needs virtual lanes, which OpenSM sets up only with QoS enabled", engine),
                "set qos TRUE in opensm.conf");
  if (switch_sl && *switch_sl != 0)
    return fail(fmt::format("switch_sl {} conflicts with the service levels of {}", *switch_sl, engine),
                "remove switch_sl from espalier.conf");
  return {};
}

}  // namespace espalier
