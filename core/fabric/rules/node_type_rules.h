// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who says what type an end port is of: rules, of which the first that matches counts. They come from a file
// (core/io/lists/node_types_file.h) or from lists of GUIDs; core/tree/order/node_types.h applies them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

struct NodeTypeRule {
  enum class Kind : std::uint8_t { kGuidRange, kGuidList, kName, kHosts, kRouter };
  std::string type;
  Kind kind = Kind::kRouter;
  std::string text;    // the rule as an admin wrote it, without the type: "name ^oss"
  std::string origin;  // "FILE:LINE", or "FILE" of a list

  Guid first = kNoGuid;                     // kGuidRange: port or node GUID, both ends included
  Guid last = kNoGuid;                      // kGuidRange
  std::vector<Guid> ports;                  // kGuidList: port GUIDs, ascending
  std::shared_ptr<const std::regex> regex;  // kName: to be found somewhere in the description
  std::set<std::string> hosts;              // kHosts: the first word of the description, without its domain

  [[nodiscard]] bool matches(const Endport& e) const;
  [[nodiscard]] bool matches(const Switch& s) const;  // kGuidRange, kName, kHosts
};

struct NodeTypeRules {
  std::vector<NodeTypeRule> rules;
  std::vector<std::string> order;                // types in the order of the numbering; others follow as they appear
  std::map<std::string, std::uint32_t> weights;  // 1 where none is given
  std::string others = "compute";                // the type of hosts that no rule matches
  bool others_are_meant = false;                 // the admin said so: no reason to warn
};

// Port GUIDs and the file that they stand in.
struct GuidList {
  std::vector<Guid> ports;
  std::string file;
};

// Adds OpenSM's io_guid_file and cn_guid_file behind the other rules: types io and compute. With a list of compute
// ports, who is on no list is of type other, unless the rules name one. Where there are no other rules, hosts on no
// list are nothing to warn of. Empty lists add nothing.
void add_guid_lists(NodeTypeRules& rules, GuidList io, GuidList compute);

}  // namespace espalier
