// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The groups of a dragonfly as a site knows them, from names or from a list, beside those that the cabling shows: where
// the two differ, a cable is where it should not be, or a name is.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/dragonfly/dragonfly.h"

namespace espalier {

// Per switch the name of its group; empty: nobody says.
using GroupNames = IdVector<SwitchId, std::string>;

// The part of each description that the first parenthesis of the regular expression matches, or all of the match if it
// has none: of "group 3 router 7" and "group (\d+)", "3". ECMAScript without back references.
// Errors: no such expression; none of the descriptions matches.
[[nodiscard]] Result<GroupNames> groups_by_name(const Fabric& fabric, const std::string& pattern);

// A switch that the cabling has in another group than the site.
struct GroupDifference {
  SwitchId at = kNoSwitch;
  std::string given;        // its group by name
  std::string cabled_with;  // what most switches of that group are said to be in
};

// A group found is the given one that most of its switches are said to be in; of equals the one first in order. Switches
// without a name are not told of.
[[nodiscard]] std::vector<GroupDifference> compare_groups(const Dragonfly& found, const GroupNames& given);

}  // namespace espalier
