// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// End ports by what a file calls them: for files that name thousands.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/fabric/endport_index.h"
#include "core/fabric/fabric.h"

namespace espalier {

class HostNames {
 public:
  // `fabric` outlives it.
  explicit HostNames(const Fabric& fabric);

  // All end ports, by ascending id, that `name` fits: 0x and a port GUID or node GUID; a whole description; a host's
  // name, with or without domain, which is the first word of the description; a description without its blanks, as
  // convert --to slurm writes it; or a LID. The first of these that fits any counts. A host with several ports is several
  // end ports. Not for several threads at once.
  [[nodiscard]] std::vector<EndportId> find(std::string_view name) const;

  // Of what find() gave for this name: why it is none of them, if it has several words and several ports share only the
  // first. Empty: it is them.
  [[nodiscard]] std::string why_not(std::string_view name, const std::vector<EndportId>& found) const;

 private:
  const Fabric* fabric_;
  EndportIndex by_port_guid_;
  std::unordered_map<std::uint64_t, std::vector<EndportId>> by_node_guid_;
  std::unordered_map<std::string, std::vector<EndportId>> by_description_;
  std::unordered_map<std::string, std::vector<EndportId>> by_host_;
  mutable std::unordered_map<std::string, std::vector<EndportId>>
      by_description_without_blanks_;  // when one is asked for
};

}  // namespace espalier
