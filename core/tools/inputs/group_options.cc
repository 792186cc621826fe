// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/group_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/dragonfly/detect.h"
#include "core/io/lists/guid_file.h"
#include "core/tools/command.h"

namespace espalier::tools {

void add_group_options(CLI::App& command, GroupOptions& options) {
  command.add_option(
      "--groups", options.file,
      "File with the groups of a dragonfly, in lines 0xGUID GROUP, to compare with what the cabling shows");
  command.add_option("--group-names", options.pattern,
                     "The same by the names of switches: a regular expression whose first parenthesis matches the "
                     "group, for example \"group (\\d+)\"");
}

std::optional<GroupNames> load_groups(const Fabric& fabric, const GroupOptions& options) {
  if (!options.given()) return std::nullopt;
  GroupNames names(fabric.num_switches());
  if (!options.pattern.empty()) names = value_or_refuse(groups_by_name(fabric, options.pattern));
  if (options.file.empty()) return names;
  for (const GuidLine& line : value_or_refuse(read_guid_lines(load_text(options.file), options.file))) {
    const SwitchId s = fabric.find_switch(line.guid);
    if (s == kNoSwitch || line.rest.empty())
      throw Refused{{s == kNoSwitch ? fmt::format("there is no switch 0x{:016x}", index(line.guid))
                                    : std::string("no group stands behind the GUID"),
                     options.file, line.line, "write lines of a switch's GUID and the name of its group"}};
    names[s] = line.rest;
  }
  return names;
}

std::optional<Dragonfly> find_dragonfly(const Fabric& fabric, const std::optional<GroupNames>& given) {
  if (given) return value_or_refuse(detect_dragonfly(fabric));
  Result<Dragonfly> dragonfly = recognize_dragonfly(fabric);
  return dragonfly ? std::optional<Dragonfly>(*std::move(dragonfly)) : std::nullopt;
}

std::string group_title(const Dragonfly& dragonfly, std::size_t group, const std::optional<GroupNames>& given) {
  std::map<std::string, std::size_t> votes;
  for (const SwitchId s : dragonfly.routers(group))
    if (given && !(*given)[s].empty()) ++votes[(*given)[s]];
  if (votes.empty()) return fmt::format("group {}", group);
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("group {}", printable(most->first));
}

}  // namespace espalier::tools
