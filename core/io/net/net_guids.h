// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// From the quoted id of a node to its GUID.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric/ids.h"

namespace espalier::io {

// The GUID that an id spells: "S-", "H-" or "R-" and 12 to 16 hexadecimal digits, as ibnetdiscover writes them.
// "S-XXXX1", "H-7" and "node01" spell none.
[[nodiscard]] std::optional<Guid> guid_in_id(std::string_view id);

// GUIDs for nodes that have none: one for each of `ids`, which must differ from each other. They depend on the ids
// alone, not on their order, keep 256 values apart (a port GUID is node GUID + port number), and avoid `taken` and
// the 256 values above each of these. They lie in 02xx'xxxx'xxxx'xx00, which no vendor is given.
[[nodiscard]] std::vector<Guid> assign_guids(const std::vector<std::string>& ids, const std::vector<Guid>& taken);

}  // namespace espalier::io
