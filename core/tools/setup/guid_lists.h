// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lists of GUIDs that opensm.conf names. OpenSM passes over what is not in the subnet and over GUIDs of the wrong kind,
// with a line in its log at most: a list with node GUIDs where port GUIDs are meant is as good as none.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/tools/setup/checkup.h"
#include "core/tools/setup/opensm_setup.h"
#include "core/tree/rank.h"

namespace espalier::tools {

// Whether an option of opensm.conf names such a list.
[[nodiscard]] bool is_guid_list(std::string_view option);

// Of each list: how many GUIDs it has, and which lines are wrong. With a fabric also which GUIDs are not in it, or belong
// to something of another kind.
[[nodiscard]] std::vector<Checkup> look_at_guid_lists(const OpenSmConf& conf, const Fabric* fabric);

// Roots and leaves as the plugin reads them. Errors: those of the files.
[[nodiscard]] Result<RankOptions> rank_options_of(const OpenSmConf& conf);

}  // namespace espalier::tools
