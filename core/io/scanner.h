// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How every reader of this room looks at text: line by line, and within a line from left to right. Nothing is copied;
// the views live as long as the text does.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/number.h"

namespace espalier::io {

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr std::string_view trim_right(std::string_view s) {
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// Windows editors begin a text with one.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

// Hands out lines without line end and trailing blanks; skips a byte order mark, takes LF, CRLF and a last line
// without either.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(without_byte_order_mark(text)) {}
  // The next line, or nothing at the end of the text.
  [[nodiscard]] std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return trim_right(line);
  }
  // Of the line that next() gave last, counted from 1.
  [[nodiscard]] int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

// Eats a line from the left.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  // Eats `word` if it stands next.
  [[nodiscard]] bool eat(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Eats up to and including `stop`; nothing is eaten when there is none.
  [[nodiscard]] std::optional<std::string_view> eat_until(char stop) {
    const std::size_t end = rest_.find(stop);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view eaten = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return eaten;
  }
  // Eats what is neither blank nor in `stops`; may be empty.
  [[nodiscard]] std::string_view eat_word(std::string_view stops = {}) {
    std::size_t n = 0;
    while (n < rest_.size() && !is_blank(rest_[n]) && stops.find(rest_[n]) == std::string_view::npos) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }
  // Eats digits; nothing when there are none or the number does not fit.
  template <class Int>
  [[nodiscard]] std::optional<Int> eat_number(int base = 10) {
    Int value{};
    const char* const end = rest_.data() + rest_.size();
    const std::from_chars_result read = std::from_chars(rest_.data(), end, value, base);
    if (read.ec != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }

 private:
  std::string_view rest_;
};

// All of `word` as hexadecimal digits, with or without "0x"; nothing when it is anything else or above 64 bits.
[[nodiscard]] inline std::optional<std::uint64_t> parse_hex(std::string_view word) {
  if (word.substr(0, 2) == "0x" || word.substr(0, 2) == "0X") word.remove_prefix(2);
  return parse_hex_digits(word);
}

// What blanks separate.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  Scanner scan(line);
  for (scan.skip_blanks(); !scan.done(); scan.skip_blanks()) words.push_back(scan.eat_word());
  return words;
}

// The line without its comment, which begins with the first '#'.
[[nodiscard]] constexpr std::string_view without_comment(std::string_view line) {
  return trim_right(line.substr(0, line.find('#')));
}

// The same for lines whose words may contain '#': a comment begins with one at the beginning of a word.
[[nodiscard]] constexpr std::string_view without_comment_word(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '#' && (i == 0 || is_blank(line[i - 1]))) return trim_right(line.substr(0, i));
  return line;
}

}  // namespace espalier::io
