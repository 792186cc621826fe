// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/result.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace espalier {
namespace {

// What quotes a line of a megabyte says no more for it: a terminal or a log is no place for that.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 2000;
  constexpr std::size_t kBegin = 500;
  constexpr std::size_t kEnd = 200;
  if (text.size() <= kLongest) return text;
  return fmt::format("{} [{} bytes left out] {}", text.substr(0, kBegin), text.size() - kBegin - kEnd,
                     text.substr(text.size() - kEnd));
}

}  // namespace

std::string Error::text() const {
  std::string out;
  if (!file.empty()) out += line > 0 ? fmt::format("{}:{}: ", file, line) : fmt::format("{}: ", file);
  out += shortened(printable(message));  // in this order: a NUL takes four bytes
  if (!advice.empty()) out += "; " + advice;
  return printable(out);
}

}  // namespace espalier
