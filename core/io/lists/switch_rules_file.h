// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Roots, ranks and exclusions by name, as lines of espalier.conf or of a file of their own. A RULE is that of
// node_types_file.h:
//
//   root RULE            these switches are the roots, besides those of root_guid_file
//   rank N RULE          these switches have rank N, counted from the roots (0) down as OpenSM does
//   exclude RULE         these switches carry nothing of others; they are reached, and send, all the same
//   spine_threshold X    top switches with less than X (0 to 1) of the links that most of them have carry nothing
//   either
//
//   RULE: guid 0xG, guid 0xG-0xH, name REGEX, nodes HOSTLIST
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/rules/switch_rules.h"

namespace espalier {

// Whether a line of espalier.conf that begins with this word is for read_switch_rule().
[[nodiscard]] bool is_switch_rule(std::string_view key);

// One line, without its remark. REQUIRES: is_switch_rule(its first word). Errors: without a line.
[[nodiscard]] Status read_switch_rule(std::string_view line, SwitchRules& rules);

// A whole file; '#' at the beginning of a word starts a remark. Errors, with file and line: any other line.
[[nodiscard]] Result<SwitchRules> read_switch_rules(std::string_view text, const std::string& file_name);

}  // namespace espalier
