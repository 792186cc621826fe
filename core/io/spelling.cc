// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace espalier {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, substituted}));
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kTypos = 2;  // how many letters may be wrong
  std::size_t least = kTypos + 1;
  std::string text;
  for (const std::string& name : known)
    if (const std::size_t distance = edit_distance(word, name); distance < least) {
      least = distance;
      text = fmt::format(" (did you mean {}?)", name);
    }
  return text;
}

}  // namespace espalier
