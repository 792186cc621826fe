// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Files as gzip makes them (RFC 1952), by zlib. Told by content, never by name, when read.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace espalier {

[[nodiscard]] bool is_gzip(std::string_view content);

// The content, decompressed; several members behind each other are one text. Errors, with file: broken or cut off; more
// than `limit` bytes, for a few kilobytes can claim to be terabytes.
[[nodiscard]] Result<std::string> gunzip(std::string_view content, const std::string& file_name, std::uint64_t limit);

// What `produce` writes into its stream goes compressed into `out`. Errors: those of produce, and of the system.
[[nodiscard]] Status gzip_into(std::FILE* out, const std::function<Status(std::FILE*)>& produce);

}  // namespace espalier
