// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/json_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/export/each_link.h"
#include "core/io/export/json_text.h"

namespace espalier {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(Guid guid) { return fmt::format("0x{:016x}", index(guid)); }

class JsonWriter {
 public:
  JsonWriter(const Fabric& fabric, const Annotations& known) : fabric_(fabric), known_(known) {}

  // The whole would be gigabytes as a nlohmann document, hence list by list and line by line.
  std::string write() {
    text_ = "{\"format\": \"espalier-fabric\", \"version\": 1";
    begin("switches");
    for (const SwitchId s : fabric_.switches()) add(switch_object(s));
    begin("end_ports");
    for (const EndportId e : fabric_.endports()) add(endport_object(e));
    begin("links");
    for_each_link(fabric_, [&](SwitchId s, PortNum port, const Peer& peer) {
      if (peer.is_switch()) add(link_object(s, port, peer));
    });
    if (known_.tables != nullptr) {
      begin("tables");
      for (const SwitchId s : fabric_.switches()) add(table_object(s));
    }
    return text_ + "]}\n";
  }

 private:
  void begin(std::string_view list) {
    text_ += fmt::format("{},\n\"{}\": [", in_list_ ? "]" : "", list);
    in_list_ = true;
    first_ = true;
  }

  void add(const Json& object) {
    text_ += first_ ? "\n" : ",\n";
    text_ += json_text(object);
    first_ = false;
  }

  Json switch_object(SwitchId id) const {
    const Switch& s = fabric_.at(id);
    Json object = {{"guid", hex(s.guid)},  {"description", s.description},
                   {"lid", index(s.lid)},  {"lmc", s.lmc},
                   {"ports", s.num_ports}, {"enhanced_port0", s.port0 == Port0Kind::kEnhanced}};
    if (!known_.levels.empty()) object["level"] = known_.levels[index(id)];
    return object;
  }

  Json endport_object(EndportId id) const {
    const Endport& e = fabric_.at(id);
    Json object = {{"port_guid", hex(e.port_guid)},
                   {"node_guid", hex(e.node_guid)},
                   {"port", index(e.port)},
                   {"kind", e.kind == EndportKind::kRouter ? "router" : "ca"},
                   {"description", e.description},
                   {"lid", index(e.lid)},
                   {"lmc", e.lmc},
                   {"switch", nullptr},
                   {"switch_port", nullptr},
                   {"rate", ""}};
    if (e.leaf != kNoSwitch) {
      object["switch"] = hex(fabric_.at(e.leaf).guid);
      object["switch_port"] = index(e.leaf_port);
      object["rate"] = fabric_.rate(e.leaf, e.leaf_port).text();
    }
    return object;
  }

  Json link_object(SwitchId s, PortNum port, const Peer& peer) const {
    return {{"a", hex(fabric_.at(s).guid)},
            {"a_port", index(port)},
            {"b", hex(fabric_.at(peer.as_switch()).guid)},
            {"b_port", index(peer.port)},
            {"rate", fabric_.rate(s, port).text()}};
  }

  Json table_object(SwitchId s) const {
    Json ports = Json::array();
    for (const PortNum port : known_.tables->row(s))
      ports.push_back(port == kNoPort ? Json(nullptr) : Json(index(port)));
    return {{"switch", hex(fabric_.at(s).guid)}, {"ports", std::move(ports)}};
  }

  const Fabric& fabric_;
  const Annotations& known_;
  std::string text_;
  bool in_list_ = false;
  bool first_ = true;
};

}  // namespace

std::string write_json(const Fabric& fabric, const Annotations& known) { return JsonWriter(fabric, known).write(); }

}  // namespace espalier
