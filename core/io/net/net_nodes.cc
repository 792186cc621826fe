// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/try.h"
#include "core/io/net/net_guids.h"

namespace espalier::io {
namespace {

// Ids that spell the same GUID are one, however they write it.
std::string key_of(std::string_view id) {
  const auto guid = guid_in_id(id);
  return guid ? fmt::format("{}-{:016x}", id[0], index(*guid)) : std::string(id);
}

class NodeFinder {
 public:
  NodeFinder(NetBlocks net, const std::string& file_name) : file_name_(file_name) { nodes_.net = std::move(net); }

  Result<NetNodes> run() {
    for (const auto step :
         {&NodeFinder::index_blocks, &NodeFinder::index_ports, &NodeFinder::find_guids, &NodeFinder::compare_guids})
      ESPALIER_TRY_STATUS((this->*step)());
    return std::move(nodes_);
  }

 private:
  std::vector<NodeBlock>& blocks() { return nodes_.net.blocks; }

  Status index_blocks() {
    for (std::uint32_t b = 0; b < blocks().size(); ++b) {
      const std::string_view id = blocks()[b].header.id;
      const auto at = block_of_.emplace(key_of(id), b);
      if (!at.second)
        return fail_at(
            file_name_, blocks()[b].line,
            fmt::format("a second block of \"{}\"; the first is at line {}", id, blocks()[at.first->second].line));
    }
    return {};
  }

  Status index_ports() {
    nodes_.entry_of.reserve(nodes_.net.ports.size());
    nodes_.peers.reserve(nodes_.net.ports.size());
    for (std::size_t i = 0; i < nodes_.net.ports.size(); ++i) {
      const PortEntry& entry = nodes_.net.ports[i];
      const PortKey own{entry.block, entry.port.port};
      const auto at = nodes_.entry_of.emplace(own, i);
      if (!at.second)
        return fail_at(file_name_, entry.line,
                       fmt::format("a second line for {}; the first is line {}", nodes_.name(own),
                                   nodes_.net.ports[at.first->second].line));
      nodes_.peers.push_back(nodes_.has_peer(i) ? PortKey{peer_block(entry), entry.port.peer_port} : own);
    }
    return {};
  }

  // The block of an entry's peer; makes one up where the file has none, with as many ports as are spoken of.
  std::uint32_t peer_block(const PortEntry& entry) {
    const auto at = block_of_.emplace(key_of(entry.port.peer_id), static_cast<std::uint32_t>(blocks().size()));
    if (at.second) blocks().push_back(implied_block(entry));
    NodeBlock& block = blocks()[at.first->second];
    if (block.line == kImplied)
      block.header.num_ports = std::max(block.header.num_ports, static_cast<std::uint8_t>(entry.port.peer_port));
    return at.first->second;
  }

  NodeBlock implied_block(const PortEntry& entry) {
    const std::string_view id = entry.port.peer_id;
    const std::string_view prefix = id.substr(0, 2);
    NodeBlock block;
    block.line = kImplied;
    block.header.id = id;
    block.header.description = entry.port.peer_description;
    if (prefix == "R-")
      block.header.kind = NodeKind::kRouter;
    else if (prefix == "S-" || (prefix != "H-" && !nodes_.is_switch(entry.block)))
      block.header.kind = NodeKind::kSwitch;
    else
      block.header.kind = NodeKind::kChannelAdapter;
    nodes_.net.warnings.push_back({fmt::format("\"{}\" has no block; assuming it is a {}", id,
                                               block.header.kind == NodeKind::kSwitch ? "switch" : "CA or router"),
                                   file_name_,
                                   entry.line,
                                   {}});
    return block;
  }

  Status find_guids() {
    std::vector<std::string> nameless;
    std::vector<std::uint32_t> nameless_blocks;
    std::vector<Guid> taken;
    nodes_.guids.assign(blocks().size(), kNoGuid);
    for (std::uint32_t b = 0; b < blocks().size(); ++b) {
      nodes_.guids[b] = guid_in_id(blocks()[b].header.id).value_or(blocks()[b].given_guid);
      if (nodes_.guids[b] != kNoGuid) {
        taken.push_back(nodes_.guids[b]);
      } else {
        nameless.emplace_back(blocks()[b].header.id);
        nameless_blocks.push_back(b);
      }
    }
    for (const PortEntry& entry : nodes_.net.ports) {
      taken.push_back(entry.port.guid);
      taken.push_back(entry.port.peer_guid);
    }
    const std::vector<Guid> assigned = assign_guids(nameless, taken);
    for (std::size_t i = 0; i < assigned.size(); ++i) nodes_.guids[nameless_blocks[i]] = assigned[i];
    return {};
  }

  Status compare_guids() {
    std::map<std::pair<bool, Guid>, std::uint32_t> seen;
    for (std::uint32_t b = 0; b < blocks().size(); ++b) {
      const auto at = seen.emplace(std::pair(nodes_.is_switch(b), nodes_.guids[b]), b);
      if (!at.second)
        return fail_at(
            file_name_, blocks()[b].line,
            fmt::format("\"{}\" and \"{}\" both have the GUID 0x{:016x}", blocks()[at.first->second].header.id,
                        blocks()[b].header.id, index(nodes_.guids[b])));
    }
    return {};
  }

  NetNodes nodes_;
  const std::string& file_name_;
  std::unordered_map<std::string, std::uint32_t> block_of_;  // key_of(id) -> block
};

}  // namespace

std::string NetNodes::name(PortKey key) const {
  return fmt::format("\"{}\"[{}]", net.blocks[key.block].header.id, index(key.port));
}

Result<NetNodes> find_nodes(NetBlocks net, const std::string& file_name) {
  return NodeFinder(std::move(net), file_name).run();
}

}  // namespace espalier::io
