// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/export/dot_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <vector>

#include "core/io/node_description.h"

namespace espalier {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class DotWriter {
 public:
  DotWriter(const Fabric& fabric, const Annotations& known) : fabric_(fabric), known_(known) {}

  std::string write() {
    const bool routed = known_.tables != nullptr;
    put("{} fabric {{\n", routed ? "digraph" : "graph");
    put("  graph [rankdir=BT, ranksep=2];\n  node [shape=box];\n");
    for (const SwitchId s : fabric_.switches())
      put("  {} [label={}, lid={}];\n", name(s), quoted(io::opensm_description(fabric_.at(s).description)),
          index(fabric_.at(s).lid));
    for (const EndportId e : fabric_.endports())
      put("  {} [label={}, lid={}, shape=ellipse];\n", name(e),
          quoted(io::opensm_description(fabric_.at(e).description)), index(fabric_.at(e).lid));
    write_rows();
    for (const SwitchId s : fabric_.switches()) {
      if (routed)
        write_channels(s);
      else
        write_links(s);
    }
    put("}}\n");
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string name(SwitchId s) const { return fmt::format("\"S{:016x}\"", index(fabric_.at(s).guid)); }
  std::string bare_name(EndportId e) const {
    const Endport& endport = fabric_.at(e);
    return fmt::format("{}{:016x}", endport.kind == EndportKind::kRouter ? 'R' : 'H', index(endport.port_guid));
  }
  std::string name(EndportId e) const { return '"' + bare_name(e) + '"'; }
  std::string name(const Peer& peer) const {
    return peer.is_switch() ? name(peer.as_switch()) : name(peer.as_endport());
  }

  void write_rows() {
    std::map<std::uint8_t, std::vector<SwitchId>> rows;
    if (known_.levels.size() == fabric_.num_switches())
      for (const SwitchId s : fabric_.switches()) rows[known_.levels[index(s)]].push_back(s);
    for (const auto& [level, switches] : rows) {
      put("  {{ rank=same;");
      for (const SwitchId s : switches) put(" {};", name(s));
      put(" }}\n");
    }
  }

  // Each link once: between switches from the lower one, so that dot draws it upwards.
  void write_links(SwitchId s) {
    for_ports(s, [&](PortNum port, const Peer& peer) {
      const auto height = [&](SwitchId t) {
        return std::pair(known_.levels.size() == fabric_.num_switches() ? known_.levels[index(t)] : 0, index(t));
      };
      const auto rate = fabric_.rate(s, port).text();
      if (peer.is_endport())
        put("  {} -- {} [headlabel={}, label={}];\n", name(peer), name(s), index(port), quoted(rate));
      else if (std::pair(height(s), port) < std::pair(height(peer.as_switch()), peer.port))
        put("  {} -- {} [taillabel={}, headlabel={}, label={}];\n", name(s), name(peer), index(port), index(peer.port),
            quoted(rate));
    });
  }

  void write_channels(SwitchId s) {
    std::vector<std::string> leads_to(std::size_t{fabric_.at(s).num_ports} + 1);
    for (const EndportId e : fabric_.endports()) {
      const Lid lid = fabric_.at(e).lid;
      if (lid == kNoLid || index(lid) >= known_.tables->width()) continue;
      const std::size_t port = index(known_.tables->at(s, lid));
      if (port >= leads_to.size()) continue;
      leads_to[port] += (leads_to[port].empty() ? "" : ",") + bare_name(e);
    }
    for_ports(s, [&](PortNum port, const Peer& peer) {
      put("  {} -> {} [key=\"port {}\", comment=\"{}\"];\n", name(s), name(peer), index(port), leads_to[index(port)]);
      if (peer.is_endport())
        put("  {} -> {} [key=\"port {}\", comment=\"*\"];\n", name(peer), name(s), index(peer.port));
    });
  }

  template <class Visit>
  void for_ports(SwitchId s, Visit visit) const {
    for (const PortNum p : fabric_.ports(s)) {
      const Peer& peer = fabric_.peer(s, p);
      if (peer.kind != Peer::Kind::kNone) visit(p, peer);
    }
  }

  const Fabric& fabric_;
  const Annotations& known_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string write_dot(const Fabric& fabric, const Annotations& known) { return DotWriter(fabric, known).write(); }

}  // namespace espalier
