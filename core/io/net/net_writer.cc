// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "core/io/node_description.h"

namespace espalier {
namespace {

using io::clean_description;

std::string rate_word(LinkRate rate) { return rate.width == 0 ? std::string() : " " + rate.text(); }

char prefix(const Endport& e) { return e.kind == EndportKind::kRouter ? 'R' : 'H'; }

class NetWriter {
 public:
  explicit NetWriter(const Fabric& fabric) : fabric_(fabric) {}

  std::string write() {
    for (const SwitchId s : fabric_.switches()) write_switch(s);
    for (std::size_t first = 0; first < fabric_.num_endports();) first = write_node(first);
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void write_switch(SwitchId id) {
    const Switch& s = fabric_.at(id);
    put("switchguid=0x{0:x}({0:x})\n", index(s.guid));
    put("Switch\t{} \"S-{:016x}\"\t\t# \"{}\" {} port 0 lid {} lmc {}\n", s.num_ports, index(s.guid),
        clean_description(s.description), s.port0 == Port0Kind::kEnhanced ? "enhanced" : "base", index(s.lid), s.lmc);
    for (const PortNum port : fabric_.ports(id)) {
      const Peer& peer = fabric_.peer(id, port);
      const std::string rate = rate_word(fabric_.rate(id, port));
      if (peer.is_switch()) {
        const Switch& there = fabric_.at(peer.as_switch());
        put("[{}]\t\"S-{:016x}\"[{}]\t\t# \"{}\" lid {}{}\n", index(port), index(there.guid), index(peer.port),
            clean_description(there.description), index(there.lid), rate);
      } else if (peer.is_endport()) {
        const Endport& there = fabric_.at(peer.as_endport());
        put("[{}]\t\"{}-{:016x}\"[{}]({:x}) \t\t# \"{}\" lid {}{}\n", index(port), prefix(there),
            index(there.node_guid), index(there.port), index(there.port_guid), clean_description(there.description),
            index(there.lid), rate);
      }
    }
    put("\n");
  }

  // The block of the node that end port `first` belongs to; returns the first end port of the next node.
  std::size_t write_node(std::size_t first) {
    const auto at = [&](std::size_t i) -> const Endport& { return fabric_.at(id_at<EndportId>(i)); };
    const Endport& node = at(first);
    std::size_t end = first + 1;
    while (end < fabric_.num_endports() && at(end).node_guid == node.node_guid) ++end;

    const bool router = node.kind == EndportKind::kRouter;
    put("{}=0x{:x}\n", router ? "rtguid" : "caguid", index(node.node_guid));
    put("{}\t{} \"{}-{:016x}\"\t\t# \"{}\"", router ? "Rt" : "Ca", index(at(end - 1).port), prefix(node),
        index(node.node_guid), clean_description(node.description));
    for (std::size_t i = first; i < end; ++i)
      if (at(i).leaf == kNoSwitch)
        put(" uncabled [{}]({:x}) lid {} lmc {}", index(at(i).port), index(at(i).port_guid), index(at(i).lid),
            at(i).lmc);
    put("\n");
    for (std::size_t i = first; i < end; ++i)
      if (at(i).leaf != kNoSwitch) write_endport(at(i));
    put("\n");
    return end;
  }

  void write_endport(const Endport& e) {
    const Switch& leaf = fabric_.at(e.leaf);
    put("[{}]({:x}) \t\"S-{:016x}\"[{}]\t\t# lid {} lmc {} \"{}\" lid {}{}\n", index(e.port), index(e.port_guid),
        index(leaf.guid), index(e.leaf_port), index(e.lid), e.lmc, clean_description(leaf.description), index(leaf.lid),
        rate_word(fabric_.rate(e.leaf, e.leaf_port)));
  }

  const Fabric& fabric_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string write_net(const Fabric& fabric) { return NetWriter(fabric).write(); }

}  // namespace espalier
