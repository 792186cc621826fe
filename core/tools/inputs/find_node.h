// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a person calls a node: by GUID, LID, or part of its description.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier::tools {

// A switch or an end port, and one of its LIDs.
struct Node {
  SwitchId at = kNoSwitch;         // the switch itself, or the one that the end port hangs on
  EndportId endport = kNoEndport;  // kNoEndport: a switch
  Lid lid = kNoLid;                // the base LID, or the one that was asked for

  [[nodiscard]] bool is_switch() const { return endport == kNoEndport; }
};

// `words` is a LID ("17", "0x11"), a GUID (0x and more than four digits: of a switch, a port, or a CA with one port),
// a description, whole words of one, or a part of one, that fits a single node, in this order. A description that looks
// like a number is found by GUID.
// Where ports of one channel adapter fit, `port` is the number of the one that is meant.
// Errors: nothing fits; several do (some are named); the end port hangs on no switch.
[[nodiscard]] Result<Node> find_node(const Fabric& fabric, std::string_view words,
                                     std::optional<unsigned> port = std::nullopt);

// "0xGUID (description)".
[[nodiscard]] std::string label(const Fabric& fabric, const Node& node);

}  // namespace espalier::tools
