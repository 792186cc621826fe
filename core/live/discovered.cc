// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/discovered.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/io/node_description.h"

namespace espalier::live {
namespace {

constexpr unsigned kLinkUp = 5;                // PortPhysicalState
constexpr unsigned kExtendedSpeeds = 1 << 14;  // CapabilityMask: LinkSpeedExtActive has a meaning
constexpr unsigned kFdr10 = 1;                 // of Mellanox's own port record

// libibmad reads fields through pointers that are not const, and changes nothing.
unsigned field(const std::uint8_t (&record)[IB_SMP_DATA_SIZE], MAD_FIELDS which) {
  return mad_get_field(const_cast<std::uint8_t*>(record), 0, which);
}

// A state of 0 is none: the record was never filled.
bool answered(const ibnd_port_t& port) { return field(port.info, IB_PORT_PHYS_STATE_F) != 0; }

LinkRate rate_of(const ibnd_port_t& port) {
  // A switch tells its capabilities at port 0.
  const ibnd_port_t* teller = port.node->type == IB_NODE_SWITCH ? port.node->ports[0] : &port;
  const bool has_extended = teller != nullptr && (field(teller->info, IB_PORT_CAPMASK_F) & kExtendedSpeeds) != 0;
  return {LinkRate::width_of(field(port.info, IB_PORT_LINK_WIDTH_ACTIVE_F)),
          LinkRate::speed_of(field(port.info, IB_PORT_LINK_SPEED_ACTIVE_F),
                             (field(port.ext_info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) & kFdr10) != 0,
                             has_extended ? field(port.info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F) : 0)};
}

Lid lid_of(std::uint16_t value) { return value > index(kMaxUnicastLid) ? kNoLid : Lid{value}; }

std::string description(const ibnd_node_t& node) { return io::clean_description(node.nodedesc); }

std::string label(const ibnd_node_t& node) {
  return fmt::format("0x{:016x} ({})", node.guid, printable(description(node)));
}

DirectedRoute route_to(const ibnd_node_t& node) {
  const ib_dr_path_t& path = node.path_portid.drpath;
  DirectedRoute route;
  route.hops = static_cast<std::uint8_t>(path.cnt);
  std::copy(std::begin(path.p), std::end(path.p), route.ports.begin());
  return route;
}

class Translator {
 public:
  explicit Translator(const ibnd_fabric_t& discovered) : discovered_(discovered) {}

  Result<LiveSubnet> translate() && {
    for (const ibnd_node_t* node = discovered_.nodes; node != nullptr; node = node->next)
      node->type == IB_NODE_SWITCH ? add_switch(*node) : add_endports(*node);
    for (const auto& [node, handle] : switches_) add_links(*node, handle);
    ESPALIER_TRY(Fabric fabric, std::move(builder_).build());
    return finish(std::move(fabric));
  }

 private:
  using SwitchHandle = FabricBuilder::SwitchHandle;
  using EndportHandle = FabricBuilder::EndportHandle;

  void add_switch(const ibnd_node_t& node) {
    Switch s;
    s.guid = Guid{node.guid};
    s.description = description(node);
    s.num_ports = static_cast<std::uint8_t>(std::min(node.numports, 254));
    s.port0 = node.smaenhsp0 != 0 ? Port0Kind::kEnhanced : Port0Kind::kBase;
    s.lid = lid_of(node.smalid);
    s.lmc = node.smaenhsp0 != 0 ? node.smalmc : std::uint8_t{0};
    if (const unsigned capacity = field(node.switchinfo, IB_SW_LINEAR_FDB_CAP_F); capacity > 0)
      s.lft_capacity = capacity;
    else
      subnet_warnings_.push_back(fmt::format("switch {} does not report the size of its table", label(node)));
    if (node.ports[0] == nullptr)
      subnet_warnings_.push_back(fmt::format("switch {} does not report its LID and links", label(node)));
    switches_.emplace_back(&node, builder_.add_switch(std::move(s)));
    handles_.emplace(&node, switches_.back().second);
  }

  // libibnetdisc knows the ports that it came in by.
  void add_endports(const ibnd_node_t& node) {
    for (int p = 1; p <= node.numports; ++p) {
      const ibnd_port_t* port = node.ports[p];
      if (port == nullptr) continue;
      Endport e;
      e.node_guid = Guid{node.guid};
      e.port_guid = Guid{port->guid};
      e.description = description(node);
      e.port = id_at<PortNum>(static_cast<std::size_t>(p));
      e.kind = node.type == IB_NODE_ROUTER ? EndportKind::kRouter : EndportKind::kChannelAdapter;
      e.lid = lid_of(port->base_lid);
      e.lmc = port->lmc;
      if (!answered(*port))
        subnet_warnings_.push_back(fmt::format("{} port {} does not report its LID", label(node), p));
      endports_.emplace(port, builder_.add_endport(std::move(e)));
    }
  }

  void add_links(const ibnd_node_t& node, SwitchHandle handle) {
    const std::size_t num_ports = builder_.at(handle).num_ports;
    for (std::size_t p = 1; p <= num_ports; ++p) {
      const ibnd_port_t* port = node.ports[p];
      if (port == nullptr) {
        silent_.emplace_back(Guid{node.guid}, id_at<PortNum>(p));
        if (node.ports[0] != nullptr)
          subnet_warnings_.push_back(fmt::format("switch {} does not report its port {}", label(node), p));
      } else if (port->remoteport != nullptr) {
        add_link(*port, handle);
      } else if (field(port->info, IB_PORT_PHYS_STATE_F) == kLinkUp) {
        silent_.emplace_back(Guid{node.guid}, id_at<PortNum>(p));
        subnet_warnings_.push_back(fmt::format("the node at port {} of switch {} does not answer", p, label(node)));
      }
    }
  }

  // A link between two switches is seen from both; the lower handle, or port, adds it.
  void add_link(const ibnd_port_t& port, SwitchHandle handle) {
    const ibnd_port_t& remote = *port.remoteport;
    const PortNum from = id_at<PortNum>(static_cast<std::size_t>(port.portnum));
    const ibnd_port_t& teller = answered(port) ? port : remote;
    const LinkRate rate = rate_of(teller);
    if (const auto end = endports_.find(&remote); end != endports_.end())
      return builder_.connect(handle, from, end->second, rate);
    const auto other = handles_.find(remote.node);
    if (other == handles_.end() || std::pair(other->second, remote.portnum) <= std::pair(handle, port.portnum)) return;
    builder_.connect(handle, from, other->second, id_at<PortNum>(static_cast<std::size_t>(remote.portnum)), rate);
  }

  // Ids are known now.
  LiveSubnet finish(Fabric fabric) {
    IdVector<SwitchId, TableAddress> tables(fabric.num_switches());
    for (const auto& [node, handle] : switches_) {
      TableAddress& address = tables[fabric.find_switch(Guid{node->guid})];
      address.route = route_to(*node);
      if (field(node->switchinfo, IB_SW_LINEAR_FDB_CAP_F) > 0)
        address.top = static_cast<std::uint16_t>(field(node->switchinfo, IB_SW_LINEAR_FDB_TOP_F));
    }
    std::vector<SilentPort> silent;
    for (const auto& [guid, port] : silent_) silent.push_back({fabric.find_switch(guid), port});
    std::sort(subnet_warnings_.begin(), subnet_warnings_.end());
    return {std::move(fabric), std::move(tables), std::move(silent), std::move(subnet_warnings_)};
  }

  const ibnd_fabric_t& discovered_;
  FabricBuilder builder_;
  std::vector<std::pair<const ibnd_node_t*, SwitchHandle>> switches_;
  std::unordered_map<const ibnd_node_t*, SwitchHandle> handles_;
  std::unordered_map<const ibnd_port_t*, EndportHandle> endports_;
  std::vector<std::pair<Guid, PortNum>> silent_;
  std::vector<std::string> subnet_warnings_;
};

}  // namespace

Result<LiveSubnet> subnet_of(const ibnd_fabric_t& discovered) { return Translator(discovered).translate(); }

}  // namespace espalier::live
