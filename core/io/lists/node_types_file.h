// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The node_types file: which end port is of which type (compute, io, ...). conf/node-types.example explains it.
//
//   TYPE guid 0xG           one port or node GUID
//   TYPE guid 0xG-0xH       all from 0xG to 0xH
//   TYPE name REGEX         ECMAScript regular expression, found anywhere in the node description
//   TYPE nodes HOSTLIST     Slurm's list of hosts, n[001-064],login1: the description's first word, without its domain;
//                           a name of several words in double quotes, "node 01 HCA-1", is a whole description
//   TYPE router             every router
//   order TYPE TYPE ...     in which types are numbered; the others follow as they appear
//   weight TYPE N           how much traffic a host of this type has, in multiples of a usual one, 1 to 1000
//   others TYPE             the type of all hosts that no rule matches; without this line they are compute
//
// '#' at the beginning of a word starts a remark, between quotes as well. The first rule that matches counts.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/rules/node_type_rules.h"

namespace espalier {

inline constexpr std::size_t kMaxRegexLength = 200;

// Errors, with file and line: a line of another form, a regular expression that is broken, longer than
// kMaxRegexLength or has back references, a host list that makes no sense (rank_order.h).
[[nodiscard]] Result<NodeTypeRules> read_node_types(std::string_view text, const std::string& file_name);

// What follows the type in such a line, for whoever names switches: "name ^spine". `forms`: advice when it is no rule, as
// such lines may have. Errors: without a line.
[[nodiscard]] Result<NodeTypeRule> read_node_rule(std::string_view text, std::string_view forms);

}  // namespace espalier
