// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/subnet_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "core/io/lft/opensm_order.h"
#include "core/io/node_description.h"
#include "core/io/scanner.h"
#include "core/io/subnet/link_list.h"
#include "core/io/subnet/speed_words.h"

namespace espalier {
namespace {

using io::LinkEnd;
using io::NodeKind;

constexpr std::uint64_t kMostPortsOfAdapter = 8;

// ---- reading ----

// Eats "KEY:HEX".
std::optional<std::uint64_t> field(io::Scanner& line, std::string_view key) {
  line.skip_blanks();
  if (!line.eat(key) || !line.eat(":")) return std::nullopt;
  return io::parse_hex(line.eat_word());
}

std::optional<NodeKind> eat_kind(io::Scanner& line) {
  line.skip_blanks();
  std::string_view word = line.eat_word();
  word = word.substr(0, word.find("-SM"));  // the end at which the SM runs
  if (word == "SW") return NodeKind::kSwitch;
  if (word == "CA") return NodeKind::kChannelAdapter;
  if (word == "Rt") return NodeKind::kRouter;
  return std::nullopt;
}

// A description may hold anything, so its end is the first "} LID:".
std::optional<std::string_view> eat_description(io::Scanner& line) {
  constexpr std::string_view kEnd = "} LID:";
  line.skip_blanks();
  if (!line.eat("{")) return std::nullopt;
  const std::string_view rest = line.rest();
  const std::size_t end = rest.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  line = io::Scanner(rest.substr(end + 1));
  return rest.substr(0, end);
}

// "{ CA Ports:01 ... PN:01 }"
Result<LinkEnd> parse_listed_end(io::Scanner& line) {
  const auto no = [](std::string_view what) {
    return fail(fmt::format("expected {}", what), "give opensm-subnet.lst as OpenSM wrote it");
  };
  LinkEnd end;
  line.skip_blanks();
  if (!line.eat("{")) return no("\"{\" and a node");
  const std::optional<NodeKind> kind = eat_kind(line);
  if (!kind) return no("CA, SW or Rt after \"{\"");
  end.kind = *kind;
  const auto num_ports = field(line, "Ports");
  if (!num_ports || *num_ports == 0 || *num_ports > 254) return no("Ports: and the number of ports, 1 to FE");
  end.num_ports = static_cast<std::uint8_t>(*num_ports);
  if (!field(line, "SystemGUID")) return no("SystemGUID:");
  const auto node = field(line, "NodeGUID");
  if (!node || *node == 0) return no("NodeGUID: and a GUID that is not 0");
  end.node = Guid{*node};
  const auto port_guid = field(line, "PortGUID");
  if (!port_guid || *port_guid == 0) return no("PortGUID: and a GUID that is not 0");
  end.port_guid = Guid{*port_guid};
  for (const std::string_view key : {"VenID", "DevID", "Rev"})
    if (!field(line, key)) return no(fmt::format("{}: and a number", key));
  const auto description = eat_description(line);
  if (!description) return no("the description of the node in braces");
  end.name = *description;
  const auto lid = field(line, "LID");
  if (!lid) return no("LID: and a LID");
  end.set_lid(*lid);
  const auto port = field(line, "PN");
  if (!port || *port == 0 || *port > 254) return no("PN: and a port number, 1 to FE");
  end.port = id_at<PortNum>(static_cast<std::size_t>(*port));
  line.skip_blanks();
  if (!line.eat("}")) return no("\"}\" after the port number");
  return end;
}

// "PHY=4x LOG=ACT SPD=10"; "??" where OpenSM does not know.
Result<LinkRate> parse_listed_rate(io::Scanner line) {
  line.skip_blanks();
  if (!line.eat("PHY=")) return fail("expected PHY= and the width", "the file is incomplete; dump it again");
  const std::string_view width = line.eat_word();
  line.skip_blanks();
  if (line.eat("LOG=")) (void)line.eat_word();
  line.skip_blanks();
  if (line.done()) return LinkRate{};  // old versions tell the width alone
  if (!line.eat("SPD=")) return fail("expected SPD= and the speed", "the file is incomplete; dump it again");
  return io::rate_of(width.substr(0, width.find('x')), io::speed_called(line.eat_word(), &io::SpeedWords::opensm));
}

struct ListedLink {
  LinkEnd own;
  LinkEnd peer;
  LinkRate rate;
  int line = 0;
};

// Old generators call every node a CA. No adapter has so many ports, and back to back they would be of no use.
void find_switches(std::vector<ListedLink>& links) {
  const auto is_switch = [](const LinkEnd& end) { return end.kind == NodeKind::kSwitch; };
  if (std::any_of(links.begin(), links.end(),
                  [&](const ListedLink& l) { return is_switch(l.own) || is_switch(l.peer); }))
    return;
  for (ListedLink& link : links)
    for (LinkEnd* const end : {&link.own, &link.peer})
      if (end->kind == NodeKind::kChannelAdapter && end->num_ports > kMostPortsOfAdapter) end->kind = NodeKind::kSwitch;
}

// ---- writing ----

class SubnetListWriter {
 public:
  explicit SubnetListWriter(const Fabric& fabric) : fabric_(fabric) {}

  std::string write() {
    // Nodes of both kinds in one order, as (key, line): OpenSM's map of nodes does not tell them apart.
    struct Entry {
      std::uint64_t key;
      PortNum port;
      std::string line;
    };
    std::vector<Entry> entries;
    for (const SwitchId s : fabric_.switches())
      for (const PortNum port : fabric_.ports(s)) {
        const Peer& peer = fabric_.peer(s, port);
        if (peer.kind == Peer::Kind::kNone) continue;
        const std::string there = peer.is_switch() ? end(peer.as_switch(), peer.port) : end(peer.as_endport());
        entries.push_back({io::opensm_key(fabric_.at(s).guid), port,
                           fmt::format("{} {} {}", end(s, port), there, rate(fabric_.rate(s, port)))});
      }
    for (const EndportId e : fabric_.endports()) {
      const Endport& endport = fabric_.at(e);
      if (endport.leaf == kNoSwitch) continue;
      entries.push_back({io::opensm_key(endport.node_guid), endport.port,
                         fmt::format("{} {} {}", end(e), end(endport.leaf, endport.leaf_port),
                                     rate(fabric_.rate(endport.leaf, endport.leaf_port)))});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tuple(a.key, a.port, std::string_view(a.line)) < std::tuple(b.key, b.port, std::string_view(b.line));
    });
    std::string text;
    for (const Entry& entry : entries) text += entry.line + '\n';
    return text;
  }

 private:
  // What OpenSM says of one end of a link.
  struct End {
    std::string_view kind;
    std::size_t num_ports;
    Guid node_guid;
    Guid port_guid;
    std::string_view description;
    Lid lid;
    PortNum port;
  };
  static std::string text(const End& end) {
    std::string clean = io::opensm_description(end.description);
    std::replace(clean.begin(), clean.end(), '{', '(');
    std::replace(clean.begin(), clean.end(), '}', ')');
    return fmt::format(
        "{{ {} Ports:{:02X} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} VenID:000000 DevID:0000 Rev:00000000 "
        "{{{}}} LID:{:04X} PN:{:02X} }}",
        end.kind, end.num_ports, index(end.node_guid), index(end.node_guid), index(end.port_guid), clean,
        index(end.lid), index(end.port));
  }

  std::string end(SwitchId id, PortNum port) const {
    const Switch& s = fabric_.at(id);
    return text({"SW", s.num_ports, s.guid, s.guid, s.description, s.lid, port});
  }

  // A CA has at least as many ports as its highest end port says.
  std::string end(EndportId id) const {
    const Endport& e = fabric_.at(id);
    std::size_t last = index(id);
    while (last + 1 < fabric_.num_endports() && fabric_.at(id_at<EndportId>(last + 1)).node_guid == e.node_guid) ++last;
    const std::size_t num_ports = index(fabric_.at(id_at<EndportId>(last)).port);
    return text({e.kind == EndportKind::kRouter ? "Rt" : "CA", num_ports, e.node_guid, e.port_guid, e.description,
                 e.lid, e.port});
  }

  static std::string rate(LinkRate rate) {
    std::string_view speed = "??";
    for (const io::SpeedWords& known : io::kSpeedWords)
      if (known.speed == rate.speed) speed = known.opensm;
    return fmt::format("PHY={} LOG=ACT SPD={}", rate.width == 0 ? "??" : fmt::format("{}x", rate.width), speed);
  }

  const Fabric& fabric_;
};

}  // namespace

bool is_subnet_list_line(std::string_view text) {
  io::Scanner line(text);
  if (!line.eat("{")) return false;
  return eat_kind(line).has_value() && line.rest().substr(0, 7) == " Ports:";
}

Result<ParsedNet> read_subnet_list(std::string_view text, const std::string& file_name) {
  std::vector<ListedLink> listed;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    if (next->empty() || next->front() == '#') continue;
    const auto located = [&](const Error& error) {
      return fail_at(file_name, lines.number(), error.message, error.advice);
    };
    io::Scanner line(*next);
    const Result<LinkEnd> own = parse_listed_end(line);
    if (!own) return located(own.error());
    const Result<LinkEnd> peer = parse_listed_end(line);
    if (!peer) return located(peer.error());
    const Result<LinkRate> rate = parse_listed_rate(line);
    if (!rate) return located(rate.error());
    listed.push_back({*own, *peer, *rate, lines.number()});
  }
  if (listed.empty()) return fail_at(file_name, 0, "it contains no cable", "give opensm-subnet.lst as OpenSM wrote it");
  find_switches(listed);
  io::LinkList links(file_name, io::Ends::kBoth);
  for (const ListedLink& link : listed) links.add(link.own, link.peer, link.rate, link.line);
  return std::move(links).finish();
}

std::string write_subnet_list(const Fabric& fabric) { return SubnetListWriter(fabric).write(); }

}  // namespace espalier
