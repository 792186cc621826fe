// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The option host_order, and the files that it may name: hosts in the order in which jobs number them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/rules/host_part.h"

namespace espalier {

// What host_order says: names, topology, or files with weights.
struct HostOrderWish {
  enum class By : std::uint8_t { kNames, kTopology, kFiles };
  struct File {
    std::string path;
    double weight = 1;
    bool operator==(const File&) const = default;
  };
  By by = By::kNames;
  std::vector<File> files;
  bool operator==(const HostOrderWish&) const = default;
};

// "names", "topology", or "FILE[:WEIGHT],FILE[:WEIGHT],...". A file called names is "./names".
// Errors: a file without name, a weight that is not above 0.
[[nodiscard]] Result<HostOrderWish> parse_host_order(std::string_view words);

// Whether hosts that are not in the fabric are errors: in a list of all nodes some are down.
enum class UnknownHosts : std::uint8_t { kRefuse, kSkip };

// The hosts of a file, each once, in its order; a host with several ports stands for all of them, by LID. One part, but
// the output of Slurm's `sinfo` (with its headings PARTITION and NODELIST) has one for each partition.
// Else: port GUIDs, one in a line, what follows is free (OpenSM's guid_routing_order_file); or names as an MPI launcher
// or Slurm lists them (rank_order.h).
// Errors, with file and line: those of these formats; a host twice; with kRefuse, a host that the fabric does not have;
// no host at all.
[[nodiscard]] Result<std::vector<HostPart>> read_host_parts(std::string_view text, const std::string& path,
                                                            const Fabric& fabric, UnknownHosts unknown);

}  // namespace espalier
