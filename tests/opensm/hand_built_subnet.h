// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// An osm_subn_t built by hand, for tests of what the plugin reads from OpenSM and writes to it. The maps are OpenSM's
// own (libosmcomp); the few functions of the opensm program that the plugin calls stand in hand_built_subnet.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "plugin/opensm.h"

namespace espalier::test {

class HandBuiltSubnet {
 public:
  explicit HandBuiltSubnet(unsigned top_lid = 255);
  HandBuiltSubnet(const HandBuiltSubnet&) = delete;
  HandBuiltSubnet& operator=(const HandBuiltSubnet&) = delete;
  ~HandBuiltSubnet();

  // Node GUID = port GUID = `guid`. `lid` 0: none. The tables have room for LIDs below `lft_size`, OpenSM's are empty.
  osm_switch_t& add_switch(std::uint64_t guid, const char* description, unsigned num_ports, std::uint16_t lid,
                           std::uint16_t lft_size = 64);
  // A CA or router with `num_ports` ports, whose port p has the GUID `guid` + p and the LID lid + p - 1.
  osm_node_t& add_adapter(std::uint64_t guid, const char* description, std::uint16_t lid, unsigned num_ports = 1,
                          std::uint8_t type = IB_NODE_TYPE_CA);
  // Plugs a 4x QDR cable between two ports, up at both ends.
  void connect(osm_node_t& a, unsigned port_a, osm_node_t& b, unsigned port_b);

  // SL2VL tables for all pairs of the switch's ports, everything on VL 0.
  void add_sl2vl_tables(osm_switch_t& sw);
  static void set_vl(osm_switch_t& sw, unsigned in, unsigned out, unsigned sl, unsigned vl);

  osm_opensm_t& osm() { return *osm_; }
  static osm_physp_t& port(osm_node_t& node, unsigned number) { return node.physp_table[number]; }
  osm_port_t& port_by_guid(std::uint64_t guid) { return *ports_.at(guid); }

  // What the plugin asked OpenSM to do: (switch, MLID) -> ports.
  [[nodiscard]] std::vector<std::uint8_t> multicast_ports(const osm_switch_t& sw, std::uint16_t mlid) const;
  // A group with these ports as members.
  osm_mgrp_box_t& add_group(std::uint16_t mlid, const std::vector<osm_port_t*>& members);

 private:
  // A vector of null pointers that frees nothing: its memory is ours.
  void fill_with_null(cl_ptr_vector_t& pointers, std::size_t size);
  osm_node_t& add_node(std::uint64_t guid, const char* description, std::uint8_t type, unsigned table_size);
  void add_port(osm_node_t& node, osm_physp_t& physical, std::uint64_t guid, std::uint16_t lid);

  struct Free {
    void operator()(void* memory) const { ::free(memory); }
  };
  template <class T>
  T* zeroed(std::size_t bytes = sizeof(T)) {
    memory_.emplace_back(::calloc(1, bytes));
    return static_cast<T*>(memory_.back().get());
  }

  // As OpenSM has it from malloc(); the plugin may put another one in its place.
  struct NewTable {
    const osm_switch_t* sw;
    std::uint8_t* first;
  };

  std::vector<std::unique_ptr<void, Free>> memory_;
  std::vector<NewTable> new_tables_;
  osm_opensm_t* osm_;
  std::map<std::uint64_t, osm_port_t*> ports_;
};

}  // namespace espalier::test
