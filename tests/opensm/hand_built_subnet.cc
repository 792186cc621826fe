// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/opensm/hand_built_subnet.h"

#include <cstring>
#include <set>

namespace {

// Per multicast table and MLID, the ports that were set.
std::map<const osm_mcast_tbl_t*, std::map<std::uint16_t, std::set<std::uint8_t>>>& multicast_tables() {
  static std::map<const osm_mcast_tbl_t*, std::map<std::uint16_t, std::set<std::uint8_t>>> tables;
  return tables;
}

}  // namespace

// What the opensm program has, as its documentation describes it.
extern "C" {

osm_switch_t* osm_get_switch_by_guid(const osm_subn_t* subnet, ib_net64_t guid) {
  cl_map_item_t* const item = cl_qmap_get(&subnet->sw_guid_tbl, guid);
  return item == cl_qmap_end(&subnet->sw_guid_tbl) ? nullptr : reinterpret_cast<osm_switch_t*>(item);
}

osm_port_t* osm_get_port_by_guid(const osm_subn_t* subnet, ib_net64_t guid) {
  cl_map_item_t* const item = cl_qmap_get(&subnet->port_guid_tbl, guid);
  return item == cl_qmap_end(&subnet->port_guid_tbl) ? nullptr : reinterpret_cast<osm_port_t*>(item);
}

osm_port_t* osm_get_port_by_lid_ho(const osm_subn_t* subnet, uint16_t lid) {
  const auto& ports = subnet->port_lid_tbl;
  return lid < cl_ptr_vector_get_size(&ports) ? static_cast<osm_port_t*>(cl_ptr_vector_get(&ports, lid)) : nullptr;
}

// Nobody has a LID in the file.
int osm_db_guid2lid_get(osm_db_domain_t*, uint64_t, uint16_t*, uint16_t*) { return 1; }

boolean_t osm_link_is_healthy(const osm_physp_t* port) {
  return port->p_remote_physp == nullptr || (port->healthy != 0 && port->p_remote_physp->healthy != 0) ? TRUE : FALSE;
}

void osm_mcast_tbl_set(osm_mcast_tbl_t* table, uint16_t mlid, uint8_t port) {
  multicast_tables()[table][mlid].insert(port);
}

void osm_purge_mtree(osm_sm*, osm_mgrp_box_t* group) { group->root = nullptr; }

}  // extern "C"

namespace espalier::test {
namespace {

constexpr std::uint8_t kQdr = IB_LINK_SPEED_ACTIVE_10;

}  // namespace

HandBuiltSubnet::HandBuiltSubnet(unsigned top_lid) : osm_(zeroed<osm_opensm_t>()) {
  multicast_tables().clear();
  osm_subn_t& subnet = osm_->subn;
  for (cl_qmap_t* map : {&subnet.node_guid_tbl, &subnet.port_guid_tbl, &subnet.sw_guid_tbl, &subnet.prtn_pkey_tbl})
    cl_qmap_init(map);
  cl_fmap_init(&subnet.mgrp_mgid_tbl, [](const void* a, const void* b) { return std::memcmp(a, b, sizeof(ib_gid_t)); });
  fill_with_null(subnet.port_lid_tbl, top_lid + 1);
}

void HandBuiltSubnet::fill_with_null(cl_ptr_vector_t& pointers, std::size_t size) {
  pointers.p_ptr_array = static_cast<const void**>(static_cast<void*>(zeroed<void*>(size * sizeof(void*))));
  pointers.size = size;
  pointers.capacity = size;
  pointers.state = CL_INITIALIZED;
}

osm_node_t& HandBuiltSubnet::add_node(std::uint64_t guid, const char* description, std::uint8_t type,
                                      unsigned table_size) {
  auto& node = *zeroed<osm_node_t>(sizeof(osm_node_t) + (table_size - 1) * sizeof(osm_physp_t));
  node.node_info.node_type = type;
  node.node_info.node_guid = cl_hton64(guid);
  node.physp_tbl_size = table_size;
  if (description != nullptr) {
    node.print_desc = zeroed<char>(std::strlen(description) + 1);
    std::strcpy(node.print_desc, description);
  }
  for (unsigned p = 0; p < table_size; ++p) {
    osm_physp_t& physical = node.physp_table[p];
    physical.port_num = static_cast<std::uint8_t>(p);
    physical.p_node = &node;
    physical.healthy = TRUE;
    physical.port_info.state_info1 = IB_LINK_ACTIVE;
  }
  cl_qmap_insert(&osm_->subn.node_guid_tbl, node.node_info.node_guid, &node.map_item);
  return node;
}

void HandBuiltSubnet::add_port(osm_node_t& node, osm_physp_t& physical, std::uint64_t guid, std::uint16_t lid) {
  auto& port = *zeroed<osm_port_t>();
  port.p_node = &node;
  port.p_physp = &physical;
  port.guid = cl_hton64(guid);
  physical.port_guid = port.guid;
  port.lid = physical.port_info.base_lid = cl_hton16(lid);
  cl_qmap_insert(&osm_->subn.port_guid_tbl, port.guid, &port.map_item);
  if (lid != 0) osm_->subn.port_lid_tbl.p_ptr_array[lid] = &port;
  ports_[guid] = &port;
}

HandBuiltSubnet::~HandBuiltSubnet() {
  for (const NewTable& table : new_tables_) std::free(table.sw->new_lft == nullptr ? table.first : table.sw->new_lft);
}

osm_switch_t& HandBuiltSubnet::add_switch(std::uint64_t guid, const char* description, unsigned num_ports,
                                          std::uint16_t lid, std::uint16_t lft_size) {
  osm_node_t& node = add_node(guid, description, IB_NODE_TYPE_SWITCH, num_ports + 1);
  auto& sw = *zeroed<osm_switch_t>();
  node.sw = &sw;
  sw.p_node = &node;
  sw.num_ports = static_cast<std::uint8_t>(num_ports + 1);  // OpenSM counts port 0
  sw.switch_info.lin_cap = cl_hton16(lft_size);
  sw.switch_info.mcast_cap = cl_hton16(16);
  sw.lft_size = lft_size;
  sw.max_lid_ho = static_cast<std::uint16_t>(lft_size - 1);
  sw.lft = zeroed<std::uint8_t>(lft_size);
  sw.new_lft = static_cast<std::uint8_t*>(std::malloc(lft_size));
  new_tables_.push_back({&sw, sw.new_lft});
  for (std::uint8_t* table : {sw.lft, sw.new_lft}) std::memset(table, OSM_NO_PATH, lft_size);
  for (unsigned p = 1; p <= num_ports; ++p) port(node, p).port_guid = cl_hton64(guid);
  add_port(node, port(node, 0), guid, lid);
  cl_qmap_insert(&osm_->subn.sw_guid_tbl, node.node_info.node_guid, &sw.map_item);
  return sw;
}

osm_node_t& HandBuiltSubnet::add_adapter(std::uint64_t guid, const char* description, std::uint16_t lid,
                                         unsigned num_ports, std::uint8_t type) {
  osm_node_t& node = add_node(guid, description, type, num_ports + 1);
  for (unsigned p = 1; p <= num_ports; ++p)
    add_port(node, port(node, p), guid + p, static_cast<std::uint16_t>(lid == 0 ? 0 : lid + p - 1));
  return node;
}

void HandBuiltSubnet::connect(osm_node_t& a, unsigned port_a, osm_node_t& b, unsigned port_b) {
  port(a, port_a).p_remote_physp = &port(b, port_b);
  port(b, port_b).p_remote_physp = &port(a, port_a);
  for (osm_physp_t* end : {&port(a, port_a), &port(b, port_b)}) {
    end->port_info.link_width_active = IB_LINK_WIDTH_ACTIVE_4X;
    end->port_info.link_speed = kQdr << 4;  // active, enabled
  }
}

void HandBuiltSubnet::add_sl2vl_tables(osm_switch_t& sw) {
  for (unsigned out = 0; out < sw.num_ports; ++out) {
    cl_ptr_vector_t& by_in_port = port(*sw.p_node, out).slvl_by_port;
    fill_with_null(by_in_port, sw.num_ports);
    for (unsigned in = 0; in < sw.num_ports; ++in) by_in_port.p_ptr_array[in] = zeroed<ib_slvl_table_t>();
  }
}

void HandBuiltSubnet::set_vl(osm_switch_t& sw, unsigned in, unsigned out, unsigned sl, unsigned vl) {
  ib_slvl_table_set(osm_physp_get_slvl_tbl(&port(*sw.p_node, out), static_cast<std::uint8_t>(in)),
                    static_cast<std::uint8_t>(sl), static_cast<std::uint8_t>(vl));
}

std::vector<std::uint8_t> HandBuiltSubnet::multicast_ports(const osm_switch_t& sw, std::uint16_t mlid) const {
  const std::set<std::uint8_t>& ports = multicast_tables()[&sw.mcast_tbl][mlid];
  return {ports.begin(), ports.end()};
}

osm_mgrp_box_t& HandBuiltSubnet::add_group(std::uint16_t mlid, const std::vector<osm_port_t*>& members) {
  auto& box = *zeroed<osm_mgrp_box_t>();
  auto& group = *zeroed<osm_mgrp_t>();
  box.mlid = mlid;
  cl_qlist_init(&box.mgrp_list);
  cl_qmap_init(&group.mcm_port_tbl);
  for (osm_port_t* member : members) {
    auto& entry = *zeroed<osm_mcm_port_t>();
    entry.port = member;
    entry.mgrp = &group;
    cl_qmap_insert(&group.mcm_port_tbl, member->guid, &entry.map_item);
  }
  cl_qlist_insert_tail(&box.mgrp_list, &group.list_item);
  return box;
}

}  // namespace espalier::test
