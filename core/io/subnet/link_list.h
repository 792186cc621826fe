// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From a list of links to a FabricBuilder: what the readers of formats with one link per line have in common.
// Nodes come into being when they are first spoken of.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/net/net_line.h"
#include "core/io/net/net_reader.h"

namespace espalier::io {

// What a line says about one end of its link.
struct LinkEnd {
  NodeKind kind = NodeKind::kSwitch;
  Guid node = kNoGuid;
  Guid port_guid = kNoGuid;    // of an end port
  PortNum port = kNoPort;      // 1 to 254
  std::uint8_t num_ports = 0;  // of the node; 0: the line does not say
  std::string_view name;       // of the node, for messages and as its description
  Lid lid = kNoLid;
  std::uint32_t odd_lid = 0;  // what the line says instead of a unicast LID; 0: it says none or a good one

  // As the line has it: 0 and 0xFFFF are none, and so is, with a warning, what is not a unicast LID.
  void set_lid(std::uint64_t number) {
    const bool good = number <= index(kMaxUnicastLid);
    lid = good ? id_at<Lid>(static_cast<std::size_t>(number)) : kNoLid;
    odd_lid = good || number == 0xFFFF ? 0 : static_cast<std::uint32_t>(number);
  }
};

// Whether each link has two lines, one for each end, or may have a single one.
enum class Ends { kBoth, kAny };

class LinkList {
 public:
  LinkList(const std::string& file_name, Ends ends) : file_name_(file_name), ends_(ends) {}

  // A port without a link. REQUIRES: the name's text lives until finish().
  void add(const LinkEnd& own, int line);
  void add(const LinkEnd& own, const LinkEnd& peer, LinkRate rate, int line);

  // Warnings and errors as those of read_net(): a link that only one end knows (kBoth), LIDs that differ, back to
  // back, cabled to itself; two lines for a port, ends that contradict each other, a port beyond those of its node.
  // What a node is called for the first time counts.
  [[nodiscard]] Result<ParsedNet> finish() &&;

 private:
  struct Node {
    NodeKind kind = NodeKind::kSwitch;
    Guid guid = kNoGuid;
    std::string_view name;
    std::uint8_t num_ports = 0;  // as said
    PortNum top_port{0};         // the highest spoken of
    int line = 0;                // of top_port
    Lid lid = kNoLid;            // of a switch
    FabricBuilder::SwitchHandle handle{};
  };
  struct Port {
    std::uint32_t node = 0;
    PortNum number = kNoPort;
    Guid guid = kNoGuid;
    Lid lid = kNoLid;
    std::int64_t own_line = -1;   // index into lines_
    std::int64_t peer_line = -1;  // index into lines_ of the first line that has it as the peer
    FabricBuilder::EndportHandle handle{};
  };
  struct Line {
    std::uint32_t own = 0;  // into ports_
    std::uint32_t peer = 0;
    bool cabled = false;
    LinkRate rate;
    int number = 0;
  };

  std::uint32_t port(const LinkEnd& end, int line);
  void note_lid(Lid& lid, const LinkEnd& end, int line);
  void warn(int line, std::string message) { warnings_.push_back({std::move(message), file_name_, line, {}}); }
  [[nodiscard]] std::string name(std::uint32_t port) const;
  [[nodiscard]] bool is_switch(std::uint32_t port) const;
  [[nodiscard]] Status check_lines() const;
  [[nodiscard]] Status check_ports() const;
  void add_nodes(FabricBuilder& builder);
  void connect(FabricBuilder& builder, const Line& line);

  const std::string& file_name_;
  Ends ends_;
  std::vector<Node> nodes_;
  std::vector<Port> ports_;
  std::vector<Line> lines_;
  std::map<std::pair<bool, Guid>, std::uint32_t> node_of_;              // (is a switch, GUID) -> nodes_
  std::map<std::pair<std::uint32_t, PortNum>, std::uint32_t> port_of_;  // (node, port) -> ports_
  std::vector<Error> warnings_;
};

}  // namespace espalier::io
