// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A net file as the list of its blocks: the first half of read_net(), which knows lines but no links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/net/net_line.h"

namespace espalier::io {

struct NodeBlock {
  HeaderLine header;
  Guid given_guid = kNoGuid;  // switchguid=, caguid= or rtguid= above the block
  int line = 0;
};

struct PortEntry {
  std::uint32_t block = 0;  // index into NetBlocks::blocks
  PortLine port;
  int line = 0;
};

// Views into the text.
struct NetBlocks {
  std::vector<NodeBlock> blocks;
  std::vector<PortEntry> ports;  // in the order of the file
  std::vector<Error> warnings;
};

[[nodiscard]] Result<NetBlocks> read_blocks(std::string_view text, const std::string& file_name);

}  // namespace espalier::io
