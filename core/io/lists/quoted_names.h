// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Names in double quotes, since node descriptions may have blanks: "node 01 HCA-1". A quote opens where a name begins (first
// in the text, or behind a blank, ',' or '=') and closes at the next one; elsewhere it is a character like others.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace espalier::io {

inline constexpr std::string_view kBlanks = " \t\n\v\f\r";

// Where one of `stops` first stands outside of quotes; npos: nowhere. A quote that never closes hides all behind it.
[[nodiscard]] std::size_t find_unquoted(std::string_view text, std::string_view stops);

// The name without its quotes; as it is if it has none in front. Errors: no closing quote, something behind it, nothing
// between the two.
[[nodiscard]] Result<std::string_view> without_quotes(std::string_view name);

}  // namespace espalier::io
