// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/result.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace espalier {

std::string Error::text() const {
  std::string out;
  if (!file.empty()) out += line > 0 ? fmt::format("{}:{}: ", file, line) : fmt::format("{}: ", file);
  out += message;
  if (!advice.empty()) out += "; " + advice;
  return printable(out);
}

}  // namespace espalier
