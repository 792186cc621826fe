// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Slurm's short form for many names of hosts.
#pragma once

#include <string>
#include <vector>

namespace espalier::io {

// {"n1", "n2", "n3", "x"} -> "n[1-3],x", as Slurm reads it. Doubles are dropped; sorted.
[[nodiscard]] std::string host_list(std::vector<std::string> names);

}  // namespace espalier::io
