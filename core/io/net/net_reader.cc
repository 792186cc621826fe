// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/net/net_nodes.h"
#include "core/io/node_description.h"

namespace espalier {
namespace {

using io::NetNodes;
using io::PortEntry;
using io::PortKey;

// The third step: from nodes and what each says about its links to a builder. One member function for each stage of
// run(). An end port comes into being when it is first spoken of.
class NetJoiner {
 public:
  NetJoiner(NetNodes nodes, const std::string& file_name, PortGuids port_guids)
      : nodes_(std::move(nodes)), file_name_(file_name), port_guids_(port_guids) {
    parsed_.warnings = std::move(nodes_.net.warnings);
  }

  Result<ParsedNet> run() {
    add_switches();
    ESPALIER_TRY_STATUS(add_uncabled());
    for (std::size_t i = 0; i < nodes_.net.ports.size(); ++i) ESPALIER_TRY_STATUS(add_link(i));
    note_own_words();
    note_words_about_peers();
    warn_of_equal_port_guids();
    return std::move(parsed_);
  }

 private:
  auto error(int line, std::string message, std::string advice = {}) const {
    return fail_at(file_name_, line, std::move(message), std::move(advice));
  }
  void warn(int line, std::string message) { parsed_.warnings.push_back({std::move(message), file_name_, line, {}}); }
  std::string name(PortKey key) const { return nodes_.name(key); }
  bool is_switch(std::uint32_t block) const { return nodes_.is_switch(block); }

  std::string description(std::uint32_t block) const {
    const io::HeaderLine& header = nodes_.net.blocks[block].header;
    return io::clean_description(header.description.empty() ? header.id : header.description);
  }

  void add_switches() {
    switches_.resize(nodes_.net.blocks.size());
    for (std::uint32_t b = 0; b < nodes_.net.blocks.size(); ++b) {
      if (!is_switch(b)) continue;
      const io::HeaderLine& header = nodes_.net.blocks[b].header;
      Switch s;
      s.guid = nodes_.guids[b];
      s.description = description(b);
      s.num_ports = header.num_ports;
      s.port0 = header.port0;
      s.lid = header.lid.lid;
      warn_of_odd_lid(fmt::format("\"{}\"", header.id), header.lid, nodes_.net.blocks[b].line);
      s.lmc = header.lid.lmc;
      switches_[b] = parsed_.builder.add_switch(std::move(s));
    }
  }

  FabricBuilder::EndportHandle endport(PortKey key) {
    const auto at = endports_.find(key);
    if (at != endports_.end()) return at->second;
    Endport e;
    e.node_guid = nodes_.guids[key.block];
    e.port_guid = Guid{index(e.node_guid) + index(key.port)};
    e.description = description(key.block);
    e.port = key.port;
    if (nodes_.net.blocks[key.block].header.kind == io::NodeKind::kRouter) e.kind = EndportKind::kRouter;
    return endports_.emplace(key, parsed_.builder.add_endport(std::move(e))).first->second;
  }

  void set_port_guid(PortKey key, Guid written) {
    if (port_guids_ == PortGuids::kAsWritten && written != kNoGuid)
      parsed_.builder.at(endport(key)).port_guid = written;
  }

  // One warning for each number: it stands in every line that speaks of the node.
  void warn_of_odd_lid(const std::string& who, io::LidNote note, int line) {
    if (note.odd == 0 || std::find(odd_lids_.begin(), odd_lids_.end(), note.odd) != odd_lids_.end()) return;
    odd_lids_.push_back(note.odd);
    warn(line, fmt::format("{} has {} for a LID, which is none (1 to {}); it is taken to have none", who, note.odd,
                           index(kMaxUnicastLid)));
  }

  // Notes what a line says about the LID of a node; the first to speak is believed.
  void note_lid(PortKey key, io::LidNote note, int line) {
    warn_of_odd_lid(name(key), note, line);
    if (note.lid == kNoLid) return;
    const bool to_switch = is_switch(key.block);
    Lid& lid = to_switch ? parsed_.builder.at(switches_[key.block]).lid : parsed_.builder.at(endport(key)).lid;
    if (lid == kNoLid) {
      lid = note.lid;
      if (!to_switch) parsed_.builder.at(endport(key)).lmc = note.lmc;
    } else if (lid != note.lid) {
      warn(line, fmt::format("{} has LID {} here, but {} elsewhere; using {}", name(key), index(note.lid), index(lid),
                             index(lid)));
    }
  }

  // End ports that are listed without a link: in the header (net_writer.h), or as a line without peer but with a LID.
  Status add_uncabled() {
    for (std::uint32_t b = 0; b < nodes_.net.blocks.size(); ++b) {
      const io::NodeBlock& block = nodes_.net.blocks[b];
      for (const io::UncabledPort& uncabled : block.header.uncabled) {
        const PortKey key{b, uncabled.port};
        if (index(key.port) > block.header.num_ports)
          return error(block.line,
                       fmt::format("{} is beyond the node's {}", name(key), counted(block.header.num_ports, "port")));
        if (nodes_.entry_of.contains(key) || endports_.contains(key))
          return error(block.line, fmt::format("{} is listed as uncabled, but cabled elsewhere", name(key)));
        endport(key);
        note_lid(key, uncabled.lid, block.line);
        set_port_guid(key, uncabled.guid);
      }
    }
    for (std::size_t i = 0; i < nodes_.net.ports.size(); ++i) {
      const PortEntry& entry = nodes_.net.ports[i];
      if (nodes_.has_peer(i) || is_switch(entry.block) || entry.port.lid.lid == kNoLid) continue;
      note_lid(nodes_.peers[i], entry.port.lid, entry.line);
      set_port_guid(nodes_.peers[i], entry.port.guid);
    }
    return {};
  }

  // The link that line `i` speaks of, unless the line of its other end has added it before.
  Status add_link(std::size_t i) {
    if (!nodes_.has_peer(i)) return {};
    const PortEntry& entry = nodes_.net.ports[i];
    const PortKey own{entry.block, entry.port.port};
    const PortKey peer = nodes_.peers[i];
    const io::NodeBlock& there = nodes_.net.blocks[peer.block];
    if (index(peer.port) > there.header.num_ports)
      return error(entry.line, fmt::format("{} is cabled to {}, which has only {}", name(own), name(peer),
                                           counted(there.header.num_ports, "port")));
    if (own == peer) {
      warn(entry.line, fmt::format("{} is cabled to itself; the cable is ignored", name(own)));
      return {};
    }
    LinkRate rate = entry.port.rate;
    const auto back = nodes_.entry_of.find(peer);
    if (back != nodes_.entry_of.end() && nodes_.has_peer(back->second)) {
      const PortEntry& other = nodes_.net.ports[back->second];
      if (nodes_.peers[back->second] != own)
        return error(entry.line,
                     fmt::format("{} is cabled to {}, but line {} says that the latter is cabled to {}", name(own),
                                 name(peer), other.line, name(nodes_.peers[back->second])),
                     "correct one of the two lines");
      if (back->second < i) return {};
      if (rate == LinkRate{}) rate = other.port.rate;
    } else {
      const auto claim = claimed_.emplace(peer, entry.line);
      if (!claim.second)
        return error(entry.line,
                     fmt::format("{} and line {} both have a cable to {}", name(own), claim.first->second, name(peer)));
      if (there.line != io::kImplied)
        warn(entry.line, fmt::format("only {} lists its cable to {}; the latter's block at line {} does not", name(own),
                                     name(peer), there.line));
    }
    connect(own, peer, rate, entry.line);
    return {};
  }

  void connect(PortKey a, PortKey b, LinkRate rate, int line) {
    FabricBuilder& builder = parsed_.builder;
    if (is_switch(a.block) && is_switch(b.block)) {
      builder.connect(switches_[a.block], a.port, switches_[b.block], b.port, rate);
    } else if (is_switch(a.block)) {
      builder.connect(switches_[a.block], a.port, endport(b), rate);
    } else if (is_switch(b.block)) {
      builder.connect(switches_[b.block], b.port, endport(a), rate);
    } else {
      endport(a);
      endport(b);
      warn(line, fmt::format("{} and {} are connected back to back without a switch; no route leads there", name(a),
                             name(b)));
    }
  }

  void note_own_words() {
    for (std::size_t i = 0; i < nodes_.net.ports.size(); ++i) {
      const PortEntry& entry = nodes_.net.ports[i];
      if (!nodes_.has_peer(i) || is_switch(entry.block)) continue;
      const PortKey own{entry.block, entry.port.port};
      note_lid(own, entry.port.lid, entry.line);
      set_port_guid(own, entry.port.guid);
    }
  }

  void note_words_about_peers() {
    for (std::size_t i = 0; i < nodes_.net.ports.size(); ++i) {
      if (!nodes_.has_peer(i)) continue;
      const PortEntry& entry = nodes_.net.ports[i];
      const PortKey peer = nodes_.peers[i];
      note_lid(peer, entry.port.peer_lid, entry.line);
      const auto back = nodes_.entry_of.find(peer);
      const bool said = back != nodes_.entry_of.end() && nodes_.net.ports[back->second].port.guid != kNoGuid;
      if (!is_switch(peer.block) && !said) set_port_guid(peer, entry.port.peer_guid);
    }
  }

  void warn_of_equal_port_guids() {
    std::map<Guid, PortKey> seen;
    for (const auto& item : endports_) {
      const auto at = seen.emplace(parsed_.builder.at(item.second).port_guid, item.first);
      if (!at.second)
        warn(std::max(nodes_.net.blocks[item.first.block].line, 1),
             fmt::format("{} and {} share the port GUID 0x{:016x}; GUID files cannot tell them apart",
                         name(at.first->second), name(item.first), index(at.first->first)));
    }
  }

  NetNodes nodes_;
  const std::string& file_name_;
  PortGuids port_guids_;
  ParsedNet parsed_;
  std::vector<std::uint32_t> odd_lids_;                       // of which we have warned
  std::vector<FabricBuilder::SwitchHandle> switches_;         // per block
  std::map<PortKey, FabricBuilder::EndportHandle> endports_;  // those spoken of so far
  std::unordered_map<PortKey, int, io::PortHash> claimed_;    // ports without a line -> line of their link
};

}  // namespace

Result<ParsedNet> read_net(std::string_view text, const std::string& file_name, PortGuids port_guids) {
  ESPALIER_TRY(io::NetBlocks net, io::read_blocks(text, file_name));
  ESPALIER_TRY(NetNodes nodes, io::find_nodes(std::move(net), file_name));
  return NetJoiner(std::move(nodes), file_name, port_guids).run();
}

}  // namespace espalier
