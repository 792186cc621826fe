// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lists of numbers as arguments of campaigns.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace espalier::test {

// Of "1,10,86".
[[nodiscard]] inline std::vector<std::size_t> numbers(const std::string& text) {
  std::vector<std::size_t> found;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) found.push_back(std::strtoul(word.c_str(), nullptr, 10));
  return found;
}

}  // namespace espalier::test
