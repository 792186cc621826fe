// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace espalier {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: what begins here is not UTF-8
};

constexpr std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
}

// The character at the beginning (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
Character first_character(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xC2 && lead <= 0xDF   ? 2
                            : (lead & 0xF0) == 0xE0        ? 3
                            : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                           : 0;
  if (bytes == 0) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte_at(text, i) & 0x3FU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  return overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF ? Character{} : Character{code, bytes};
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  if (n == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, many);
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t count = std::min(names.size(), most);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "));
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes != 0 && !is_control(c.code))
      out += text.substr(0, bytes);
    else
      for (std::size_t i = 0; i < bytes; ++i) fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte_at(text, i));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string csv_cell(std::string_view text) {
  std::string out = "\"";
  const std::string clean = printable(text);
  const std::size_t first = clean.find_first_not_of(' ');
  if (first != std::string::npos && std::string_view("=+-@").find(clean[first]) != std::string_view::npos) out += '\'';
  for (const char c : clean) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string without_raw_controls(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::uint8_t next = byte_at(json, i + 1);
    if (json[i] == 0x7F)
      out += "\\u007f";
    else if (byte_at(json, i) == 0xC2 && next >= 0x80 && next <= 0x9F)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte_at(json, ++i));
    else
      out += json[i];
  }
  return out;
}

}  // namespace espalier
