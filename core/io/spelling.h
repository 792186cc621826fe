// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What somebody meant who wrote a word that nobody knows: the nearest of the known words by Levenshtein distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier {

// " (did you mean X?)"; nothing where no known word is at most two letters away.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace espalier
