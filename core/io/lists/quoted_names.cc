// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/quoted_names.h"

#include <fmt/format.h>

namespace espalier::io {

std::size_t find_unquoted(std::string_view text, std::string_view stops) {
  bool may_open = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (may_open && text[i] == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return i;
      may_open = false;
      continue;
    }
    if (stops.find(text[i]) != std::string_view::npos) return i;
    may_open = text[i] == ',' || text[i] == '=' || kBlanks.find(text[i]) != std::string_view::npos;
  }
  return std::string_view::npos;
}

Result<std::string_view> without_quotes(std::string_view name) {
  if (!name.starts_with('"')) return name;
  const std::size_t close = name.find('"', 1);
  if (close == std::string_view::npos)
    return fail(fmt::format("a closing quote is missing in {}", name), "write \"node 01 HCA-1\"");
  if (close + 1 < name.size())
    return fail(fmt::format("unexpected \"{}\" behind {}", name.substr(close + 1), name.substr(0, close + 1)),
                "write a blank or a comma between two names");
  if (close == 1) return fail("there is no name between two quotes", "write a name, or remove the quotes");
  return name.substr(1, close - 1);
}

}  // namespace espalier::io
