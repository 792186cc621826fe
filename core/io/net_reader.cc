// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/io/net_blocks.h"
#include "core/io/net_guids.h"
#include "core/io/node_description.h"

namespace espalier {
namespace {

using io::NetBlocks;
using io::NodeBlock;
using io::NodeKind;
using io::PortEntry;
using io::PortLine;

constexpr int kImplied = 0;  // the line of a block that is not there

// Turns blocks into a builder, one step per member function, in the order of run().
class NetJoiner {
 public:
  NetJoiner(NetBlocks net, const std::string& file_name, PortGuids port_guids)
      : net_(std::move(net)), file_name_(file_name), port_guids_(port_guids) {
    parsed_.warnings = std::move(net_.warnings);
  }

  Result<ParsedNet> run() {
    for (const auto step : {&NetJoiner::index_blocks, &NetJoiner::index_ports, &NetJoiner::find_guids,
                            &NetJoiner::add_switches, &NetJoiner::add_uncabled, &NetJoiner::add_cables})
      if (Status ok = (this->*step)(); !ok) return tl::unexpected(ok.error());
    warn_of_equal_port_guids();
    return std::move(parsed_);
  }

 private:
  struct PortKey {
    std::uint32_t block;
    PortNum port;
    bool operator==(const PortKey&) const = default;
    bool operator<(const PortKey& other) const { return std::pair(block, port) < std::pair(other.block, other.port); }
  };
  struct PortHash {
    std::size_t operator()(const PortKey& key) const { return (std::size_t{key.block} << 8) | index(key.port); }
  };

  auto error(int line, std::string message, std::string advice = {}) const {
    return fail_at(file_name_, line, std::move(message), std::move(advice));
  }
  void warn(int line, std::string message, std::string advice = {}) {
    parsed_.warnings.push_back({std::move(message), file_name_, line, std::move(advice)});
  }
  std::string name(PortKey key) const {
    return fmt::format("\"{}\"[{}]", net_.blocks[key.block].header.id, index(key.port));
  }
  bool is_switch(std::uint32_t block) const { return net_.blocks[block].header.kind == NodeKind::kSwitch; }

  // Ids that spell the same GUID are one, however they write it.
  static std::string key_of(std::string_view id) {
    const auto guid = io::guid_in_id(id);
    return guid ? fmt::format("{}-{:016x}", id[0], index(*guid)) : std::string(id);
  }

  Status index_blocks() {
    for (std::uint32_t b = 0; b < net_.blocks.size(); ++b) {
      const auto at = block_of_.emplace(key_of(net_.blocks[b].header.id), b);
      if (!at.second)
        return error(net_.blocks[b].line, fmt::format("a second block of \"{}\"; the first is at line {}",
                                                      net_.blocks[b].header.id, net_.blocks[at.first->second].line));
    }
    return {};
  }

  // The block of an entry's peer; makes one up where the file has none.
  std::uint32_t peer_block(const PortEntry& entry) {
    const auto at = block_of_.emplace(key_of(entry.port.peer_id), static_cast<std::uint32_t>(net_.blocks.size()));
    if (at.second) net_.blocks.push_back(implied_block(entry));
    NodeBlock& block = net_.blocks[at.first->second];
    if (block.line == kImplied)
      block.header.num_ports = std::max(block.header.num_ports, static_cast<std::uint8_t>(index(entry.port.peer_port)));
    return at.first->second;
  }

  NodeBlock implied_block(const PortEntry& entry) {
    const std::string_view id = entry.port.peer_id;
    NodeBlock block;
    block.line = kImplied;
    block.header.id = id;
    block.header.description = entry.port.peer_description;
    const std::string_view prefix = id.substr(0, 2);
    if (prefix == "R-")
      block.header.kind = NodeKind::kRouter;
    else if (prefix == "S-" || (prefix != "H-" && !is_switch(entry.block)))
      block.header.kind = NodeKind::kSwitch;
    else
      block.header.kind = NodeKind::kChannelAdapter;
    const bool is_a_switch = block.header.kind == NodeKind::kSwitch;
    warn(entry.line,
         fmt::format("\"{}\" has no block of its own; taken for a {}", id, is_a_switch ? "switch" : "CA or router"));
    return block;
  }

  Status index_ports() {
    entry_of_.reserve(net_.ports.size());
    peers_.reserve(net_.ports.size());
    for (std::size_t i = 0; i < net_.ports.size(); ++i) {
      const PortEntry& entry = net_.ports[i];
      const PortKey own{entry.block, entry.port.port};
      const auto at = entry_of_.emplace(own, i);
      if (!at.second)
        return error(entry.line, fmt::format("a second line for {}; the first is line {}", name(own),
                                             net_.ports[at.first->second].line));
      peers_.push_back(entry.port.peer_id.empty() ? own : PortKey{peer_block(entry), entry.port.peer_port});
    }
    return {};
  }

  Status find_guids() {
    guids_.assign(net_.blocks.size(), kNoGuid);
    std::vector<std::string> nameless;
    std::vector<std::uint32_t> nameless_blocks;
    std::vector<Guid> taken;
    for (std::uint32_t b = 0; b < net_.blocks.size(); ++b) {
      guids_[b] = io::guid_in_id(net_.blocks[b].header.id).value_or(net_.blocks[b].given_guid);
      if (guids_[b] != kNoGuid) {
        taken.push_back(guids_[b]);
      } else {
        nameless.emplace_back(net_.blocks[b].header.id);
        nameless_blocks.push_back(b);
      }
    }
    for (const PortEntry& entry : net_.ports) {
      taken.push_back(entry.port.guid);
      taken.push_back(entry.port.peer_guid);
    }
    const std::vector<Guid> assigned = io::assign_guids(nameless, taken);
    for (std::size_t i = 0; i < assigned.size(); ++i) guids_[nameless_blocks[i]] = assigned[i];

    std::map<std::pair<bool, Guid>, std::uint32_t> seen;
    for (std::uint32_t b = 0; b < net_.blocks.size(); ++b) {
      const auto at = seen.emplace(std::pair(is_switch(b), guids_[b]), b);
      if (!at.second)
        return error(net_.blocks[b].line,
                     fmt::format("\"{}\" and \"{}\" both have the GUID 0x{:016x}",
                                 net_.blocks[at.first->second].header.id, net_.blocks[b].header.id, index(guids_[b])));
    }
    return {};
  }

  std::string description(std::uint32_t block) const {
    const io::HeaderLine& header = net_.blocks[block].header;
    return io::clean_description(header.description.empty() ? header.id : header.description);
  }

  Status add_switches() {
    switches_.resize(net_.blocks.size());
    for (std::uint32_t b = 0; b < net_.blocks.size(); ++b) {
      if (!is_switch(b)) continue;
      const io::HeaderLine& header = net_.blocks[b].header;
      Switch s;
      s.guid = guids_[b];
      s.description = description(b);
      s.num_ports = header.num_ports;
      s.port0 = header.port0;
      s.lid = header.lid.lid;
      s.lmc = header.lid.lmc;
      switches_[b] = parsed_.builder.add_switch(std::move(s));
    }
    return {};
  }

  // The end port `key`, added when it is first spoken of.
  FabricBuilder::EndportHandle endport(PortKey key) {
    const auto at = endports_.find(key);
    if (at != endports_.end()) return at->second;
    Endport e;
    e.node_guid = guids_[key.block];
    e.port_guid = Guid{index(e.node_guid) + index(key.port)};
    e.description = description(key.block);
    e.port = key.port;
    e.kind =
        net_.blocks[key.block].header.kind == NodeKind::kRouter ? EndportKind::kRouter : EndportKind::kChannelAdapter;
    return endports_.emplace(key, parsed_.builder.add_endport(std::move(e))).first->second;
  }

  void set_port_guid(PortKey key, Guid written) {
    if (port_guids_ == PortGuids::kAsWritten && written != kNoGuid)
      parsed_.builder.at(endport(key)).port_guid = written;
  }

  // A port that is listed without a cable, in the header (net_writer.h) or as a line without peer.
  Status add_uncabled() {
    for (std::uint32_t b = 0; b < net_.blocks.size(); ++b) {
      for (const io::UncabledPort& uncabled : net_.blocks[b].header.uncabled) {
        const PortKey key{b, uncabled.port};
        if (index(key.port) > net_.blocks[b].header.num_ports || entry_of_.count(key) || endports_.count(key))
          return error(net_.blocks[b].line,
                       fmt::format("{} is said to be uncabled, but has a line or does not exist", name(key)));
        if (Status ok = note_lid(key, uncabled.lid, net_.blocks[b].line); !ok) return ok;
        set_port_guid(key, uncabled.guid);
      }
    }
    for (std::size_t i = 0; i < net_.ports.size(); ++i) {
      const PortEntry& entry = net_.ports[i];
      if (!entry.port.peer_id.empty() || is_switch(entry.block) || entry.port.lid.lid == kNoLid) continue;
      if (Status ok = note_lid(peers_[i], entry.port.lid, entry.line); !ok) return ok;
      set_port_guid(peers_[i], entry.port.guid);
    }
    return {};
  }

  // Notes what a line says about the LID of a node; the first to speak is believed.
  Status note_lid(PortKey key, io::LidNote note, int line) {
    const bool to_switch = is_switch(key.block);
    Lid& lid = to_switch ? parsed_.builder.at(switches_[key.block]).lid : parsed_.builder.at(endport(key)).lid;
    if (note.lid == kNoLid) return {};
    if (lid != kNoLid) {
      if (lid != note.lid)
        warn(line, fmt::format("{} has LID {} here, but {} before; {} is taken", name(key), index(note.lid), index(lid),
                               index(lid)));
      return {};
    }
    lid = note.lid;
    if (!to_switch) parsed_.builder.at(endport(key)).lmc = note.lmc;
    return {};
  }

  Status add_cables() {
    for (std::size_t i = 0; i < net_.ports.size(); ++i)
      if (Status ok = add_cable(i); !ok) return ok;
    // Own words first, then what the other end says.
    for (std::size_t i = 0; i < net_.ports.size(); ++i) {
      const PortEntry& entry = net_.ports[i];
      if (entry.port.peer_id.empty() || is_switch(entry.block)) continue;
      const PortKey own{entry.block, entry.port.port};
      if (Status ok = note_lid(own, entry.port.lid, entry.line); !ok) return ok;
      set_port_guid(own, entry.port.guid);
    }
    for (std::size_t i = 0; i < net_.ports.size(); ++i) {
      const PortEntry& entry = net_.ports[i];
      if (entry.port.peer_id.empty()) continue;
      if (Status ok = note_lid(peers_[i], entry.port.peer_lid, entry.line); !ok) return ok;
      const auto back = entry_of_.find(peers_[i]);
      if (!is_switch(peers_[i].block) && (back == entry_of_.end() || net_.ports[back->second].port.guid == kNoGuid))
        set_port_guid(peers_[i], entry.port.peer_guid);
    }
    return {};
  }

  // The cable that entry `i` speaks of, unless its other end has spoken of it before.
  Status add_cable(std::size_t i) {
    const PortEntry& entry = net_.ports[i];
    if (entry.port.peer_id.empty()) return {};
    const PortKey own{entry.block, entry.port.port};
    const PortKey peer = peers_[i];
    const NodeBlock& peer_node = net_.blocks[peer.block];
    if (index(peer.port) > peer_node.header.num_ports)
      return error(entry.line, fmt::format("{} is cabled to {}, which has {} ports", name(own), name(peer),
                                           peer_node.header.num_ports));
    if (own == peer) {
      warn(entry.line, fmt::format("{} is cabled to itself; the cable is left out", name(own)));
      return {};
    }
    LinkRate rate = entry.port.rate;
    if (const auto back = entry_of_.find(peer); back != entry_of_.end() && has_peer(back->second)) {
      const PortEntry& other = net_.ports[back->second];
      if (peers_[back->second] != own)
        return error(entry.line,
                     fmt::format("{} is cabled to {}, but line {} says that this is cabled to {}", name(own),
                                 name(peer), other.line, name(peers_[back->second])),
                     "correct one of the two lines");
      if (back->second < i) return {};
      if (rate == LinkRate{}) rate = other.port.rate;
    } else {
      const auto claim = claimed_.emplace(peer, entry.line);
      if (!claim.second)
        return error(entry.line,
                     fmt::format("{} and line {} both have a cable to {}", name(own), claim.first->second, name(peer)));
      if (peer_node.line != kImplied)
        warn(entry.line, fmt::format("only {} knows of its cable to {}, whose block at line {} does not tell of it",
                                     name(own), name(peer), peer_node.line));
    }
    connect(own, peer, rate, entry.line);
    return {};
  }

  bool has_peer(std::size_t i) const { return !net_.ports[i].port.peer_id.empty(); }

  void connect(PortKey a, PortKey b, LinkRate rate, int line) {
    if (is_switch(a.block) && is_switch(b.block)) {
      parsed_.builder.connect(switches_[a.block], a.port, switches_[b.block], b.port, rate);
    } else if (is_switch(a.block)) {
      parsed_.builder.connect(switches_[a.block], a.port, endport(b), rate);
    } else if (is_switch(b.block)) {
      parsed_.builder.connect(switches_[b.block], b.port, endport(a), rate);
    } else {
      endport(a);
      endport(b);
      warn(line, fmt::format("{} and {} are back to back, without a switch; no route leads there", name(a), name(b)));
    }
  }

  void warn_of_equal_port_guids() {
    std::map<Guid, PortKey> seen;
    for (const auto& item : endports_) {
      const auto at = seen.emplace(parsed_.builder.at(item.second).port_guid, item.first);
      if (!at.second)
        warn(std::max(net_.blocks[item.first.block].line, 1),
             fmt::format("{} and {} have one port GUID, 0x{:016x}; GUID files cannot tell them apart",
                         name(at.first->second), name(item.first), index(at.first->first)));
    }
  }

  NetBlocks net_;  // implied blocks are added behind those of the file
  const std::string& file_name_;
  PortGuids port_guids_;
  ParsedNet parsed_;
  std::unordered_map<std::string, std::uint32_t> block_of_;      // key_of(id) -> block
  std::unordered_map<PortKey, std::size_t, PortHash> entry_of_;  // -> index into net_.ports
  std::vector<PortKey> peers_;                                   // per net_.ports: the other end (itself: none)
  std::vector<Guid> guids_;                                      // per block
  std::vector<FabricBuilder::SwitchHandle> switches_;            // per block
  std::map<PortKey, FabricBuilder::EndportHandle> endports_;     // those added so far
  std::unordered_map<PortKey, int, PortHash> claimed_;           // ports without a line -> line of the cable
};

}  // namespace

Result<ParsedNet> read_net(std::string_view text, std::string file_name, PortGuids port_guids) {
  Result<NetBlocks> net = io::read_blocks(text, file_name);
  if (!net) return tl::unexpected(net.error());
  return NetJoiner(std::move(*net), file_name, port_guids).run();
}

}  // namespace espalier
