// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What a NodeDescription says about who it is: "node01.site.org mlx5_0" is the adapter mlx5_0 of the host node01.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace espalier {

// "node01" of "node01 HCA-1", "node01.site.org mlx5_0": the first word without its domain. Nothing when the word could
// not be a host's name, or is a vendor's default: "MT25408 ConnectX Mellanox Technologies" names no host.
[[nodiscard]] std::optional<std::string_view> host_in_description(std::string_view description);

// The second word of a description that names a host: "mlx5_0", "HCA-1". Empty when there is none.
[[nodiscard]] std::string_view adapter_in_description(std::string_view description);

// Whether `a` comes before `b` in natural order: runs of digits compare as numbers, all else byte by byte, so that
// "node9" comes before "node10". Names that differ in leading zeros alone compare byte by byte.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

// Appends the name's collation key: keys compare byte by byte as names do in natural order. Names that differ in leading
// zeros alone have the same key.
void append_natural_key(std::string_view name, std::string& keys);

}  // namespace espalier
