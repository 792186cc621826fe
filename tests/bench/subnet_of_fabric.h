// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's objects for a fabric, with links and switches that go and come back, for measurements without ibsim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/fabric/fabric.h"
#include "tests/opensm/hand_built_subnet.h"

namespace espalier::test {

class SubnetOfFabric : public HandBuiltSubnet {
 public:
  SubnetOfFabric(const Fabric& fabric, std::uint8_t lmc)
      : HandBuiltSubnet(static_cast<unsigned>(index(fabric.top_lid()))), fabric_(fabric) {
    osm_opensm_t& o = osm();
    o.subn.p_osm = &o;
    o.sm.p_subn = &o.subn;
    o.sm.p_log = &o.log;
    o.sm.p_lock = &o.lock;
    o.sa.p_subn = &o.subn;
    o.sa.p_log = &o.log;
    o.sa.sm = &o.sm;
    o.sm.ucast_mgr.p_subn = &o.subn;
    o.sm.ucast_mgr.sm = &o.sm;
    o.subn.max_ucast_lid_ho = static_cast<std::uint16_t>(index(fabric.top_lid()));
    o.subn.opt.qos = TRUE;
    o.subn.opt.lmc = lmc;
    o.log.level = OSM_LOG_ERROR | OSM_LOG_INFO;
    const auto room = static_cast<std::uint16_t>((index(fabric.top_lid()) / 64 + 1) * 64);
    for (const SwitchId s : fabric.switches()) {
      const Switch& sw = fabric.at(s);
      switches_.push_back(&add_switch(index(sw.guid), sw.description.c_str(), sw.num_ports,
                                      static_cast<std::uint16_t>(index(sw.lid)), room));
    }
    for (const EndportId e : fabric.endports()) {
      const Endport& port = fabric.at(e);
      osm_node_t& node =
          add_adapter(index(port.node_guid), port.description.c_str(), static_cast<std::uint16_t>(index(port.lid)));
      connect(*switches_[index(port.leaf)]->p_node, static_cast<unsigned>(index(port.leaf_port)), node, 1);
      give_lids(port);
    }
    for (const SwitchId s : fabric.switches())
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) link(s, id_at<PortNum>(p));
    o.subn.sm_port_guid = cl_hton64(index(fabric.at(EndportId{0}).port_guid));
  }

  void link(SwitchId s, PortNum port) {
    const Peer& peer = fabric_.peer(s, port);
    if (!peer.is_switch()) return;
    this->port(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port))).port_info.vl_cap = kEightLanes << 4;
    connect(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port)), *switches_[peer.id]->p_node,
            static_cast<unsigned>(index(peer.port)));
  }
  void unlink(SwitchId s, PortNum port) {
    osm_physp_t& here = this->port(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port)));
    if (here.p_remote_physp == nullptr) return;  // with the other end
    here.p_remote_physp->p_remote_physp = nullptr;
    here.p_remote_physp = nullptr;
  }

  // What OpenSM does when a switch is switched off: nobody discovers it, nor its hosts.
  void take_away(SwitchId s) {
    for (const PortNum p : fabric_.ports(s))
      if (fabric_.peer(s, p).is_switch()) unlink(s, p);
    for_each_object(s, [](cl_qmap_t& map, ib_net64_t guid, cl_map_item_t&) { cl_qmap_remove(&map, guid); });
  }
  // And on again.
  void bring_back(SwitchId s) {
    for_each_object(s, [](cl_qmap_t& map, ib_net64_t guid, cl_map_item_t& item) { cl_qmap_insert(&map, guid, &item); });
    for (const PortNum p : fabric_.ports(s)) link(s, p);
  }

  [[nodiscard]] const Fabric& fabric() const { return fabric_; }

  // What OpenSM does before an engine runs, and when all blocks have been acknowledged.
  void clear_new_tables() {
    for (osm_switch_t* sw : switches_) std::memset(sw->new_lft, OSM_NO_PATH, sw->lft_size);
  }
  void acknowledge() {
    for (osm_switch_t* sw : switches_) {
      std::memcpy(sw->lft, sw->new_lft, sw->lft_size);
      sw->need_update = 0;
    }
  }

 private:
  static constexpr std::uint8_t kEightLanes = 4;  // VLCap

  // As many as its LMC says.
  void give_lids(const Endport& port) {
    osm_port_t& object = port_by_guid(index(port.port_guid));
    ib_port_info_set_lmc(&object.p_physp->port_info, port.lmc);
    for (const Lid lid : lids_of(port)) osm().subn.port_lid_tbl.p_ptr_array[index(lid)] = &object;
  }

  // Of a switch and its hosts, in the maps of ports, nodes and switches.
  template <class Visit>
  void for_each_object(SwitchId s, Visit&& visit) {
    osm_subn_t& subnet = osm().subn;
    const auto visit_node = [&](osm_port_t& port) {
      visit(subnet.port_guid_tbl, port.guid, port.map_item);
      visit(subnet.node_guid_tbl, port.p_node->node_info.node_guid, port.p_node->map_item);
    };
    for (const PortNum p : fabric_.ports(s))
      if (const Peer& peer = fabric_.peer(s, p); peer.is_endport())
        visit_node(port_by_guid(index(fabric_.at(peer.as_endport()).port_guid)));
    visit_node(port_by_guid(index(fabric_.at(s).guid)));
    visit(subnet.sw_guid_tbl, cl_hton64(index(fabric_.at(s).guid)), switches_[index(s)]->map_item);
  }

  const Fabric& fabric_;
  std::vector<osm_switch_t*> switches_;
};

}  // namespace espalier::test
