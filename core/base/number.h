// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The one way to read a number that a person or a file wrote: all of the word is the number, or there is none. No
// blanks, no plus sign, nothing behind it; a number that does not fit is refused, never cut; no nan and no infinity.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace espalier {

template <class Number>
concept Readable = (std::integral<Number> || std::floating_point<Number>)&&!std::same_as<Number, bool>;

template <Readable Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view word) {
  Number value{};
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  if constexpr (std::floating_point<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// The same, and nothing where the number is not in [least, most].
template <Readable Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view word, Number least, Number most) {
  const std::optional<Number> value = parse_number<Number>(word);
  return value && least <= *value && *value <= most ? value : std::nullopt;
}

// Hexadecimal digits without a prefix.
[[nodiscard]] inline std::optional<std::uint64_t> parse_hex_digits(std::string_view word) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value, 16);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace espalier
