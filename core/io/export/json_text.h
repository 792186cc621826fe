// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one way in which this project writes JSON: names that are not UTF-8 (a node, a file may have any) become U+FFFD
// instead of an exception, no control character reaches a terminal, and numbers have at most nine significant digits:
// 0.333333333 instead of 0.3333333333333333. Whole numbers keep all of theirs.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/number.h"
#include "core/base/text.h"

namespace espalier {

// x itself where it is whole or no number.
[[nodiscard]] inline double nine_digits(double x) {
  if (x == std::floor(x)) return x;
  return parse_number<double>(fmt::format("{:.9g}", x)).value_or(x);
}

template <class Json>
void round_numbers(Json& value) {
  if (value.is_number_float())
    value = nine_digits(value.template get<double>());
  else if (value.is_structured())
    for (Json& part : value) round_numbers(part);
}

// `indent` blanks for each depth; -1: all on one line.
template <class Json>
[[nodiscard]] std::string json_text(Json value, int indent = -1) {
  round_numbers(value);
  return without_raw_controls(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace espalier
