// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Hosts in the order in which an MPI launcher or Slurm numbers its ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace espalier {

// What a file calls a host: a GUID, a LID, a description or a host name.
struct HostWord {
  std::string name;
  int line = 0;  // counted from 1

  bool operator==(const HostWord&) const = default;
};

// Each host once, where it stands first. A file of one of these kinds, lines separated by line ends, `#` begins a
// remark:
//   host names or port GUIDs, one or more in a line ("node01", 0x2c903000a1b2c4), what follows a GUID is free
//   Slurm's list: node[01-03,07],login1, as in SLURM_JOB_NODELIST and hosts of `scontrol show hostnames`
//   an MPI hostfile: node01 slots=4, node01:4
//   Open MPI's rankfile: rank 3=node01 slot=0; ordered by rank
// Names may stand in double quotes (quoted_names.h): "node 01 HCA-1". Blanks, commas, brackets, ':' and '#' between
// quotes mean themselves.
// Errors, with file and line: brackets or ranges that make no sense, more than 100 000 hosts in a line, the same rank
// twice, lines of a rankfile among others, a quote that does not close, no host at all.
[[nodiscard]] Result<std::vector<HostWord>> read_rank_order(std::string_view text, const std::string& file_name);

// {"n1", "n2", "n3", "x y"} of `n[1-3],"x y"`. Errors as above, without file.
[[nodiscard]] Result<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace espalier
