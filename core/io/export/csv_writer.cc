// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/csv_writer.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/io/export/each_link.h"

namespace espalier {
namespace {

std::string_view kind_word(const Endport& e) { return e.kind == EndportKind::kRouter ? "router" : "ca"; }

}  // namespace

std::string write_links_csv(const Fabric& fabric) {
  std::string text = "a_guid,a_port,a_description,b_kind,b_guid,b_port,b_description,rate,mbps\n";
  for_each_link(fabric, [&](SwitchId s, PortNum port, const Peer& peer) {
    const LinkRate rate = fabric.rate(s, port);
    text += fmt::format("0x{:016x},{},{},", index(fabric.at(s).guid), index(port), csv_cell(fabric.at(s).description));
    if (peer.is_switch()) {
      const Switch& there = fabric.at(peer.as_switch());
      text += fmt::format("switch,0x{:016x},{},{}", index(there.guid), index(peer.port), csv_cell(there.description));
    } else {
      const Endport& there = fabric.at(peer.as_endport());
      text += fmt::format("{},0x{:016x},{},{}", kind_word(there), index(there.port_guid), index(peer.port),
                          csv_cell(there.description));
    }
    text += fmt::format(",{},{}\n", rate.text(), rate.mbps());
  });
  return text;
}

std::string write_switches_csv(const Fabric& fabric) {
  std::string text = "guid,description,lid,ports,cabled_to_switches,cabled_to_end_ports\n";
  for (const SwitchId id : fabric.switches()) {
    const Switch& s = fabric.at(id);
    std::size_t to_switches = 0;
    std::size_t to_endports = 0;
    for (const PortNum p : fabric.ports(id)) {
      to_switches += fabric.peer(id, p).is_switch() ? 1 : 0;
      to_endports += fabric.peer(id, p).is_endport() ? 1 : 0;
    }
    text += fmt::format("0x{:016x},{},{},{},{},{}\n", index(s.guid), csv_cell(s.description), index(s.lid), s.num_ports,
                        to_switches, to_endports);
  }
  return text;
}

std::string write_endports_csv(const Fabric& fabric) {
  std::string text = "port_guid,node_guid,port,kind,description,lid,lmc,switch_guid,switch_port,switch_description\n";
  for (const EndportId id : fabric.endports()) {
    const Endport& e = fabric.at(id);
    text += fmt::format("0x{:016x},0x{:016x},{},{},{},{},{},", index(e.port_guid), index(e.node_guid), index(e.port),
                        kind_word(e), csv_cell(e.description), index(e.lid), e.lmc);
    if (e.leaf == kNoSwitch)
      text += ",,\n";
    else
      text += fmt::format("0x{:016x},{},{}\n", index(fabric.at(e.leaf).guid), index(e.leaf_port),
                          csv_cell(fabric.at(e.leaf).description));
  }
  return text;
}

}  // namespace espalier
