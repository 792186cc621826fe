// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Reads the text that describes a subnet: ibsim net files and what ibnetdiscover prints (plain, or grouped with -g).
//
// Both ends of a link are written down, so the file says everything twice. Where it says it once, we believe it and
// warn; where it contradicts itself, we refuse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric_builder.h"

namespace espalier {

struct ParsedNet {
  FabricBuilder builder;  // LIDs as far as the file gives them; see FabricBuilder::assign_lids
  std::vector<Error> warnings;
};

// What the port GUIDs of CAs and routers are.
enum class PortGuids {
  // Node GUID + port number. ibsim numbers ports so whatever the file says, hence OpenSM over ibsim, its dumps and the
  // GUID files made for it do, too.
  kNodePlusPort,
  // As the file says in parentheses, otherwise as above. For the text of a live fabric.
  kAsWritten,
};

// `file_name` is for messages. A node's GUID is what its quoted id spells ("S-0008f10500108c9e"); for any other id
// switchguid=, caguid= or rtguid= above the block; failing that one made from the id (net_guids.h).
//
// Endports are the CA and router ports that have a link or are said to have a LID.
// Warnings: a link that only one end knows; a peer without a block of its own, which is then taken for a CA, or for a
// switch if its id begins with "S-" or a CA is cabled to it; LIDs that differ between the ends; two CAs back to back;
// a port cabled to itself; two ports with one port GUID; ibsim's "do".
// Errors: a line that cannot be read; a port line outside of a block or beyond the number of ports; two blocks with
// one id or GUID; two links in one port; ends that contradict each other; ibsim's include, module and aliases; no
// node at all.
[[nodiscard]] Result<ParsedNet> read_net(std::string_view text, const std::string& file_name,
                                         PortGuids port_guids = PortGuids::kNodePlusPort);

}  // namespace espalier
