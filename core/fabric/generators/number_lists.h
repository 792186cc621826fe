// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// "3;24,12,30;1,24,3": lists of numbers, which is how all generators are told what to build.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace espalier {

using NumberLists = std::vector<std::vector<unsigned>>;

inline constexpr unsigned kMaxListedNumber = 65535;

// Lists between ';', numbers of 1 .. kMaxListedNumber between ','. Blanks around a number are allowed.
// Errors: any other text. The message names the word, not the whole.
[[nodiscard]] Result<NumberLists> parse_number_lists(std::string_view text);

}  // namespace espalier
