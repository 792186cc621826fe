// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace espalier {

// What stands before, between and behind the separators: always one part more than there are separators, empty ones
// included. The parts are views of `text`.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// The words of a text: what stands between any of the separators, empty parts left out.
[[nodiscard]] inline std::vector<std::string_view> split_words(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(separators, begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

}  // namespace espalier
