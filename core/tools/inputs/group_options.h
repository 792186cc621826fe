// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The options by which subcommands are told the groups of a dragonfly.
#pragma once

#include <optional>
#include <string>

#include "core/dragonfly/given_groups.h"
#include "core/tools/cli_fwd.h"

namespace espalier::tools {

struct GroupOptions {
  std::string file;
  std::string pattern;

  [[nodiscard]] bool given() const { return !file.empty() || !pattern.empty(); }
};

// --groups, --group-names.
void add_group_options(CLI::App& command, GroupOptions& options);

// The lines of the file stand above the pattern. Nothing if neither is given; or Refused: a GUID that no switch has.
[[nodiscard]] std::optional<GroupNames> load_groups(const Fabric& fabric, const GroupOptions& options);

// What the fabric is taken for: where groups are given it is said to be a dragonfly, else it has to look like one. Nothing
// where it is none; or Refused, if groups are given.
[[nodiscard]] std::optional<Dragonfly> find_dragonfly(const Fabric& fabric, const std::optional<GroupNames>& given);

// "group 3": of a group found, with the name that the site gives it where it does.
[[nodiscard]] std::string group_title(const Dragonfly& dragonfly, std::size_t group,
                                      const std::optional<GroupNames>& given);

}  // namespace espalier::tools
