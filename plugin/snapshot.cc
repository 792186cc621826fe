// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/snapshot.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

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

// Whether a link between these two carries packets.
bool is_up(const osm_physp_t& port, const osm_physp_t& remote) {
  if (osm_physp_is_valid(&remote) == 0 || remote.p_remote_physp != &port) return false;
  if (osm_link_is_healthy(&port) == 0) return false;
  const auto down = [](const osm_physp_t& p) { return osm_physp_get_port_state(&p) <= IB_LINK_DOWN; };
  return !down(port) && !down(remote);
}

// Ports are large and lie apart: most of a snapshot's time goes by waiting for them.
void prefetch(const osm_physp_t* port) {
  __builtin_prefetch(&port->port_info);
  __builtin_prefetch(&port->ext_port_info);
  __builtin_prefetch(&port->port_num);
}

class SnapshotTaker {
 public:
  explicit SnapshotTaker(const osm_opensm_t& osm)
      : osm_(osm), live_(osm.subn), owners_(live_.size()), port_objects_(live_.size()) {}

  Result<Fabric> take() && {
    const cl_qmap_t& ports = osm_.subn.port_guid_tbl;
    for (const cl_map_item_t* i = cl_qmap_head(&ports); i != cl_qmap_end(&ports); i = cl_qmap_next(i))
      add_endport(*reinterpret_cast<const osm_port_t*>(i));
    const cl_qmap_t& switches = osm_.subn.sw_guid_tbl;
    for (const cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i))
      add_switch(*reinterpret_cast<const osm_switch_t*>(i));
    for (std::size_t i = 0; i < switches_.size(); ++i) add_links(*switches_[i], id_at<SwitchHandle>(i));
    return std::move(builder_).build();
  }

 private:
  using SwitchHandle = FabricBuilder::SwitchHandle;
  using EndportHandle = FabricBuilder::EndportHandle;

  // Whose port it is.
  struct Owner {
    enum class Kind : std::uint8_t { kNone, kSwitch, kEndport };
    Kind kind = Kind::kNone;
    std::uint32_t handle = 0;
  };

  // LID and LMC of this port.
  std::pair<Lid, std::uint8_t> lids(const osm_port_t* port) const {
    if (port == nullptr) return {kNoLid, std::uint8_t{0}};
    const std::uint16_t base = cl_ntoh16(osm_port_get_base_lid(port));
    if (base == 0 || osm_get_port_by_lid_ho(&osm_.subn, base) != port) return {kNoLid, std::uint8_t{0}};
    return {Lid{base}, osm_port_get_lmc(port)};
  }

  void add_endport(const osm_port_t& port) {
    const osm_node_t& node = *port.p_node;
    const std::uint32_t number = live_.number(port.p_physp);
    if (number != LivePorts::kNone) port_objects_[number] = &port;
    if (osm_node_get_type(&node) == IB_NODE_TYPE_SWITCH || port.p_physp == nullptr) return;
    Endport e;
    e.node_guid = host_order(osm_node_get_node_guid(&node));
    e.port_guid = host_order(port.guid);
    e.description = description(node);
    e.port = PortNum{osm_physp_get_port_num(port.p_physp)};
    e.kind = osm_node_get_type(&node) == IB_NODE_TYPE_ROUTER ? EndportKind::kRouter : EndportKind::kChannelAdapter;
    std::tie(e.lid, e.lmc) = lids(&port);
    const EndportHandle handle = builder_.add_endport(std::move(e));
    if (number != LivePorts::kNone)
      owners_[number] = {Owner::Kind::kEndport, static_cast<std::uint32_t>(index(handle))};
  }

  void add_switch(const osm_switch_t& sw) {
    const osm_node_t& node = *sw.p_node;
    Switch s;
    s.guid = host_order(osm_node_get_node_guid(&node));
    s.description = description(node);
    s.num_ports = static_cast<std::uint8_t>(sw.num_ports - 1);  // OpenSM counts port 0
    s.port0 = ib_switch_info_is_enhanced_port0(&sw.switch_info) != 0 ? Port0Kind::kEnhanced : Port0Kind::kBase;
    s.lft_capacity = cl_ntoh16(sw.switch_info.lin_cap);
    const std::uint32_t port0 = live_.number(node.physp_table);
    std::tie(s.lid, s.lmc) = lids(port0 == LivePorts::kNone ? nullptr : port_objects_[port0]);
    const SwitchHandle handle = builder_.add_switch(std::move(s));
    switches_.push_back(&sw);
    if (port0 == LivePorts::kNone) return;
    std::fill_n(owners_.begin() + port0, node.physp_tbl_size,
                Owner{Owner::Kind::kSwitch, static_cast<std::uint32_t>(index(handle))});
  }

  void add_links(const osm_switch_t& sw, SwitchHandle handle) {
    const osm_physp_t* const table = sw.p_node->physp_table;
    const std::uint32_t size = std::min<std::uint32_t>(sw.num_ports, sw.p_node->physp_tbl_size);
    remotes_.clear();
    for (std::uint32_t p = 1; p < size; ++p) {
      if (p + kAhead < size) prefetch(table + p + kAhead);
      if (osm_physp_is_valid(table + p) == 0) continue;
      const osm_physp_t* const remote = osm_physp_get_remote(table + p);
      const std::uint32_t number = live_.number(remote);
      if (number == LivePorts::kNone) continue;
      const Owner owner = owners_[number];
      // A link between two switches is seen from both; the side with the lower handle adds it.
      if (owner.kind == Owner::Kind::kNone || (owner.kind == Owner::Kind::kSwitch && owner.handle <= index(handle)))
        continue;
      prefetch(remote);
      remotes_.push_back({id_at<PortNum>(p), remote, owner});
    }
    for (const auto& [p, remote, owner] : remotes_) {
      const osm_physp_t& port = table[index(p)];
      if (!is_up(port, *remote)) continue;
      const LinkRate rate{width(port.port_info), speed(port)};
      if (owner.kind == Owner::Kind::kSwitch)
        builder_.connect(handle, p, SwitchHandle{owner.handle}, PortNum{remote->port_num}, rate);
      else
        builder_.connect(handle, p, EndportHandle{owner.handle}, rate);
    }
  }

  static constexpr std::uint32_t kAhead = 4;  // ports
  struct Remote {
    PortNum port;  // on this side
    const osm_physp_t* remote;
    Owner owner;
  };

  const osm_opensm_t& osm_;
  LivePorts live_;
  FabricBuilder builder_;
  std::vector<const osm_switch_t*> switches_;    // by handle
  std::vector<Owner> owners_;                    // by number of port
  std::vector<const osm_port_t*> port_objects_;  // by number of port
  std::vector<Remote> remotes_;                  // of one switch
};

}  // namespace

Result<Fabric> take_snapshot(const osm_opensm& osm) { return SnapshotTaker(osm).take(); }

}  // namespace espalier
