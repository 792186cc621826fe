// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Names of hosts: where they hide in node descriptions, and Slurm's short form for many of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::io {

// "node01" of "node01 HCA-1", "node01.site.org mlx5_0": the first word without its domain. Nothing when the word could
// not be a host's name, or is a vendor's default: "MT25408 ConnectX Mellanox Technologies" names no host.
[[nodiscard]] std::optional<std::string> host_in_description(std::string_view description);

// {"n1", "n2", "n3", "x"} -> "n[1-3],x", as Slurm reads it. Doubles are dropped; sorted.
[[nodiscard]] std::string host_list(std::vector<std::string> names);

}  // namespace espalier::io
