// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one way in which this project writes JSON: names that are not UTF-8 (a node, a file may have any) become U+FFFD
// instead of an exception, and no control character reaches a terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/text.h"

namespace espalier {

// `indent` blanks for each depth; -1: all on one line.
template <class Json>
[[nodiscard]] std::string json_text(const Json& value, int indent = -1) {
  return without_raw_controls(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace espalier
