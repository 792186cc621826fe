// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/graphml_writer.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/io/export/each_link.h"
#include "core/io/node_description.h"

namespace espalier {
namespace {

std::string data(std::string_view key, std::string_view value) {
  return fmt::format("<data key=\"{}\">{}</data>", key, value);
}

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
    "         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
    "         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns\n"
    "                             http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n"
    "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
    "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
    "  <key id=\"guid\" for=\"node\" attr.name=\"guid\" attr.type=\"string\"/>\n"
    "  <key id=\"lid\" for=\"node\" attr.name=\"lid\" attr.type=\"int\"/>\n"
    "  <key id=\"level\" for=\"node\" attr.name=\"level\" attr.type=\"int\"/>\n"
    "  <key id=\"source_port\" for=\"edge\" attr.name=\"source_port\" attr.type=\"int\"/>\n"
    "  <key id=\"target_port\" for=\"edge\" attr.name=\"target_port\" attr.type=\"int\"/>\n"
    "  <key id=\"rate\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\"/>\n"
    "  <key id=\"mbps\" for=\"edge\" attr.name=\"mbps\" attr.type=\"int\"/>\n"
    "  <graph id=\"fabric\" edgedefault=\"undirected\">\n";

std::string node(std::string_view id, std::string_view kind, std::string_view description, Guid guid, Lid lid,
                 std::string_view more) {
  return fmt::format("    <node id=\"{}\">{}{}{}{}{}</node>\n", id, data("kind", kind),
                     data("label", markup_text(io::opensm_description(description))),
                     data("guid", fmt::format("0x{:016x}", index(guid))), data("lid", fmt::format("{}", index(lid))),
                     more);
}

}  // namespace

std::string write_graphml(const Fabric& fabric, const Annotations& known) {
  const auto switch_id = [&](SwitchId s) { return fmt::format("S{:016x}", index(fabric.at(s).guid)); };
  const auto endport_id = [&](EndportId e) { return fmt::format("H{:016x}", index(fabric.at(e).port_guid)); };
  std::string text(kHead);
  for (const SwitchId id : fabric.switches()) {
    const Switch& s = fabric.at(id);
    const std::string level =
        known.levels.empty() ? std::string() : data("level", fmt::format("{}", known.levels[index(id)]));
    text += node(switch_id(id), "switch", s.description, s.guid, s.lid, level);
  }
  for (const EndportId id : fabric.endports()) {
    const Endport& e = fabric.at(id);
    text +=
        node(endport_id(id), e.kind == EndportKind::kRouter ? "router" : "ca", e.description, e.port_guid, e.lid, {});
  }
  for_each_link(fabric, [&](SwitchId s, PortNum port, const Peer& peer) {
    const LinkRate rate = fabric.rate(s, port);
    text += fmt::format("    <edge source=\"{}\" target=\"{}\">{}{}{}{}</edge>\n", switch_id(s),
                        peer.is_switch() ? switch_id(peer.as_switch()) : endport_id(peer.as_endport()),
                        data("source_port", fmt::format("{}", index(port))),
                        data("target_port", fmt::format("{}", index(peer.port))), data("rate", rate.text()),
                        data("mbps", fmt::format("{}", rate.mbps())));
  });
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace espalier
