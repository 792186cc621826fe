// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/snapshot.h"

#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/fabric/fabric_builder.h"
#include "plugin/live_ports.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

Guid host_order(ib_net64_t guid) { return Guid{cl_ntoh64(guid)}; }

std::string description(const osm_node_t& node) { return node.print_desc != nullptr ? node.print_desc : ""; }

std::uint8_t width(const ib_port_info_t& info) {
  switch (info.link_width_active) {
    case IB_LINK_WIDTH_ACTIVE_1X:
      return 1;
    case IB_LINK_WIDTH_ACTIVE_2X:
      return 2;
    case IB_LINK_WIDTH_ACTIVE_4X:
      return 4;
    case IB_LINK_WIDTH_ACTIVE_8X:
      return 8;
    case IB_LINK_WIDTH_ACTIVE_12X:
      return 12;
    default:
      return 0;
  }
}

constexpr unsigned kExtended100Gbps = 8;  // OpenSM 3.3.23 has no name for NDR

// Three generations of fields: speed, Mellanox's FDR10 in a record of its own, extended speed. The newest one counts.
LinkSpeed speed(const osm_physp_t& port) {
  switch (ib_port_info_get_link_speed_ext_active(&port.port_info)) {
    case IB_LINK_SPEED_EXT_ACTIVE_14:
      return LinkSpeed::kFdr;
    case IB_LINK_SPEED_EXT_ACTIVE_25:
      return LinkSpeed::kEdr;
    case IB_LINK_SPEED_EXT_ACTIVE_50:
      return LinkSpeed::kHdr;
    case kExtended100Gbps:
      return LinkSpeed::kNdr;
    default:
      break;
  }
  if ((port.ext_port_info.link_speed_active & FDR10) != 0) return LinkSpeed::kFdr10;
  switch (ib_port_info_get_link_speed_active(&port.port_info)) {
    case IB_LINK_SPEED_ACTIVE_2_5:
      return LinkSpeed::kSdr;
    case IB_LINK_SPEED_ACTIVE_5:
      return LinkSpeed::kDdr;
    case IB_LINK_SPEED_ACTIVE_10:
      return LinkSpeed::kQdr;
    default:
      return LinkSpeed::kUnknown;
  }
}

// The port at the other end of a link that carries packets, or null.
const osm_physp_t* remote_of(const osm_physp_t& port, const LivePorts& live) {
  const osm_physp_t* remote = osm_physp_get_remote(&port);
  if (!live.has(remote) || osm_physp_is_valid(remote) == 0 || remote->p_remote_physp != &port) return nullptr;
  if (osm_link_is_healthy(&port) == 0) return nullptr;
  const auto down = [](const osm_physp_t& p) { return osm_physp_get_port_state(&p) <= IB_LINK_DOWN; };
  return down(port) || down(*remote) ? nullptr : remote;
}

class SnapshotTaker {
 public:
  explicit SnapshotTaker(const osm_opensm_t& osm) : osm_(osm), live_(osm.subn) {}

  Result<Fabric> take() && {
    const cl_qmap_t& ports = osm_.subn.port_guid_tbl;
    for (const cl_map_item_t* i = cl_qmap_head(&ports); i != cl_qmap_end(&ports); i = cl_qmap_next(i))
      add_endport(*reinterpret_cast<const osm_port_t*>(i));
    const cl_qmap_t& switches = osm_.subn.sw_guid_tbl;
    for (const cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i))
      add_switch(*reinterpret_cast<const osm_switch_t*>(i));
    for (const auto& [sw, handle] : switches_) add_links(*sw, handle);
    return std::move(builder_).build();
  }

 private:
  using SwitchHandle = FabricBuilder::SwitchHandle;
  using EndportHandle = FabricBuilder::EndportHandle;

  // LID and LMC of the port with this GUID.
  std::pair<Lid, std::uint8_t> lids(const osm_port_t* port) const {
    if (port == nullptr) return {kNoLid, std::uint8_t{0}};
    const std::uint16_t base = cl_ntoh16(osm_port_get_base_lid(port));
    if (base == 0 || osm_get_port_by_lid_ho(&osm_.subn, base) != port) return {kNoLid, std::uint8_t{0}};
    return {Lid{base}, osm_port_get_lmc(port)};
  }

  void add_endport(const osm_port_t& port) {
    const osm_node_t& node = *port.p_node;
    if (osm_node_get_type(&node) == IB_NODE_TYPE_SWITCH || port.p_physp == nullptr) return;
    Endport e;
    e.node_guid = host_order(osm_node_get_node_guid(&node));
    e.port_guid = host_order(port.guid);
    e.description = description(node);
    e.port = PortNum{osm_physp_get_port_num(port.p_physp)};
    e.kind = osm_node_get_type(&node) == IB_NODE_TYPE_ROUTER ? EndportKind::kRouter : EndportKind::kChannelAdapter;
    std::tie(e.lid, e.lmc) = lids(&port);
    endports_.emplace(port.p_physp, builder_.add_endport(std::move(e)));
  }

  void add_switch(const osm_switch_t& sw) {
    const osm_node_t& node = *sw.p_node;
    Switch s;
    s.guid = host_order(osm_node_get_node_guid(&node));
    s.description = description(node);
    s.num_ports = static_cast<std::uint8_t>(sw.num_ports - 1);  // OpenSM counts port 0
    s.port0 = ib_switch_info_is_enhanced_port0(&sw.switch_info) != 0 ? Port0Kind::kEnhanced : Port0Kind::kBase;
    s.lft_capacity = cl_ntoh16(sw.switch_info.lin_cap);
    const osm_physp_t& port0 = node.physp_table[0];
    std::tie(s.lid, s.lmc) = lids(osm_get_port_by_guid(&osm_.subn, osm_physp_get_port_guid(&port0)));
    switches_.emplace(&sw, builder_.add_switch(std::move(s)));
  }

  void add_links(const osm_switch_t& sw, SwitchHandle handle) {
    for (std::uint32_t p = 1; p < sw.num_ports && p < sw.p_node->physp_tbl_size; ++p) {
      const osm_physp_t& port = sw.p_node->physp_table[p];
      const osm_physp_t* remote = osm_physp_is_valid(&port) != 0 ? remote_of(port, live_) : nullptr;
      if (remote == nullptr) continue;
      const LinkRate rate{width(port.port_info), speed(port)};
      if (const osm_switch_t* other = remote->p_node->sw; other != nullptr) {
        // A link between two switches is seen from both; the side with the lower handle adds it.
        const auto found = switches_.find(other);
        if (found == switches_.end() || found->second <= handle) continue;
        builder_.connect(handle, id_at<PortNum>(p), found->second, PortNum{remote->port_num}, rate);
      } else if (const auto found = endports_.find(remote); found != endports_.end()) {
        builder_.connect(handle, id_at<PortNum>(p), found->second, rate);
      }
    }
  }

  const osm_opensm_t& osm_;
  LivePorts live_;
  FabricBuilder builder_;
  std::unordered_map<const osm_switch_t*, SwitchHandle> switches_;
  std::unordered_map<const osm_physp_t*, EndportHandle> endports_;
};

}  // namespace

Result<Fabric> take_snapshot(const osm_opensm& osm) { return SnapshotTaker(osm).take(); }

}  // namespace espalier
