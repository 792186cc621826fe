// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The second step of read_net(): from ids to nodes. Each quoted id is looked up, peers without a block of their own
// get one, and every node gets its GUID. Whether the links make sense is still open.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/io/net/net_blocks.h"

namespace espalier::io {

// One port of one block.
struct PortKey {
  std::uint32_t block = 0;
  PortNum port = kNoPort;
  bool operator==(const PortKey&) const = default;
  bool operator<(const PortKey& other) const { return std::pair(block, port) < std::pair(other.block, other.port); }
};
struct PortHash {
  std::size_t operator()(const PortKey& key) const { return (std::size_t{key.block} << 8) | index(key.port); }
};

inline constexpr int kImplied = 0;  // the line of a block that the file does not have

struct NetNodes {
  NetBlocks net;                                                // implied blocks stand behind those of the file
  std::vector<Guid> guids;                                      // per block
  std::vector<PortKey> peers;                                   // per net.ports: the other end; itself when has none
  std::unordered_map<PortKey, std::size_t, PortHash> entry_of;  // -> index into net.ports

  [[nodiscard]] bool is_switch(std::uint32_t block) const { return net.blocks[block].header.kind == NodeKind::kSwitch; }
  // Whether net.ports[i] names a peer.
  [[nodiscard]] bool has_peer(std::size_t i) const { return !net.ports[i].port.peer_id.empty(); }
  // `"node1"[2]`, for messages.
  [[nodiscard]] std::string name(PortKey key) const;
};

// Errors: two blocks with one id; two switches, or two other nodes, with one GUID; two lines for one port.
[[nodiscard]] Result<NetNodes> find_nodes(NetBlocks net, const std::string& file_name);

}  // namespace espalier::io
