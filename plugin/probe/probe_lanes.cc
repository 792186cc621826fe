// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/probe/probe_lanes.h"

#include <array>
#include <map>
#include <vector>

#include "plugin/opensm.h"

namespace espalier {
namespace {

using Vls = std::array<std::uint8_t, 16>;

// " 0*5 1 2*3".
template <class Get>
void add_runs(std::string& text, std::size_t count, Get get) {
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && get(end) == get(i)) ++end;
    text += " " + std::to_string(get(i)) + "*" + std::to_string(end - i);
    i = end;
  }
  text += '\n';
}

// A class of sources for each port with LIDs, a class of destinations for each LID.
void add_levels(std::string& text, osm_opensm_t& osm) {
  const osm_routing_engine_t& engine = *osm.routing_engine_used;
  std::uint16_t top = osm.subn.max_ucast_lid_ho;  // what switches' tables have room for
  while (top > 0 && osm_get_port_by_lid_ho(&osm.subn, top) == nullptr) --top;
  std::vector<const osm_port_t*> owner(top + 1U, nullptr);
  std::vector<const osm_port_t*> sources;
  for (std::uint16_t lid = 1; lid <= top; ++lid) {
    owner[lid] = osm_get_port_by_lid_ho(&osm.subn, lid);
    if (owner[lid] != nullptr && owner[lid] != owner[lid - 1]) sources.push_back(owner[lid]);
  }
  text += "levels " + std::to_string(sources.size() + 1) + " " + std::to_string(top + 1) + "\nsl 0: 0*" +
          std::to_string(top + 1) + "\n";
  for (std::uint16_t lid = 1; lid <= top; ++lid)
    text += "destination " + std::to_string(lid) + ": " + std::to_string(lid) + "\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const ib_net16_t from = osm_port_get_base_lid(sources[i]);
    text += "source " + number + ":";
    for (std::uint16_t lid = 1; lid <= top; ++lid)
      if (owner[lid] == sources[i]) text += " " + std::to_string(lid);
    text += "\nsl " + number + ":";
    std::vector<unsigned> sls(top + 1U, 0);
    for (std::uint16_t lid = 1; lid <= top; ++lid)
      if (owner[lid] != nullptr && owner[lid] != sources[i])
        sls[lid] = engine.path_sl(engine.context, 0, from, cl_hton16(lid)) & 15U;
    add_runs(text, sls.size(), [&](std::size_t lid) { return sls[lid]; });
  }
}

// Of a switch: [in][out].
std::vector<Vls> tables_of(const osm_switch_t& s) {
  const std::size_t ports = s.num_ports;
  std::vector<Vls> tables(ports * ports, Vls{});
  for (std::size_t out = 1; out < ports; ++out) {
    const osm_physp_t* port = osm_node_get_physp_ptr(s.p_node, static_cast<std::uint32_t>(out));
    if (port == nullptr) continue;
    for (std::size_t in = 0; in < ports; ++in) {
      const ib_slvl_table_t* table = osm_physp_get_slvl_tbl(port, static_cast<std::uint8_t>(in));
      if (table == nullptr) continue;
      for (std::uint8_t sl = 0; sl < 16; ++sl) tables[in * ports + out][sl] = ib_slvl_table_get(table, sl);
    }
  }
  return tables;
}

void add_maps(std::string& text, osm_opensm_t& osm) {
  std::map<std::vector<Vls>, std::size_t> known;
  std::string switches;
  cl_qmap_t* all = &osm.subn.sw_guid_tbl;
  for (cl_map_item_t* item = cl_qmap_head(all); item != cl_qmap_end(all); item = cl_qmap_next(item)) {
    const osm_switch_t& s = *reinterpret_cast<osm_switch_t*>(item);
    const std::size_t ports = s.num_ports;
    const auto [at, is_new] = known.try_emplace(tables_of(s), known.size());
    std::array<char, 32> guid{};
    std::snprintf(guid.data(), guid.size(), "0x%016" PRIx64, cl_ntoh64(osm_node_get_node_guid(s.p_node)));
    switches += std::string("switch ") + guid.data() + ": " + std::to_string(at->second);
    add_runs(switches, ports, [](std::size_t port) { return port; });
    if (!is_new) continue;
    const std::string number = std::to_string(at->second);
    text += "map " + number + ": " + std::to_string(ports) + "\n";
    for (std::size_t in = 0; in < ports; ++in)
      for (std::size_t out = 0; out < ports; ++out) {
        const Vls& vls = at->first[in * ports + out];
        if (vls == Vls{}) continue;
        text += "vl " + number + " " + std::to_string(in) + " " + std::to_string(out) + ":";
        add_runs(text, vls.size(), [&](std::size_t sl) { return unsigned{vls[sl]}; });
      }
  }
  text += switches;
}

}  // namespace

std::string lanes_text(osm_opensm& osm) {
  std::string text;
  if (osm.subn.opt.qos == 0 || osm.routing_engine_used == nullptr || osm.routing_engine_used->path_sl == nullptr)
    return text;
  add_levels(text, osm);
  add_maps(text, osm);
  return text;
}

}  // namespace espalier
