// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/rules/host_name.h"

#include <algorithm>
#include <array>

namespace espalier {
namespace {

constexpr std::array<std::string_view, 8> kVendorWords{"Mellanox", "QLogic",     "Voltaire", "Intel",
                                                       "Oracle",   "InfiniHost", "HCA",      "localhost"};
constexpr std::string_view kBlanks = " \t\n\v\f\r";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_host_char(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

// "MT25408", Mellanox's name of a chip.
bool is_chip(std::string_view word) {
  return word.size() >= 6 && word.substr(0, 2) == "MT" && std::all_of(word.begin() + 2, word.end(), is_digit);
}

// The next word; `text` becomes what stands behind it.
std::string_view eat_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

// The digits at the front, leading zeros left out; `text` becomes what stands behind them.
std::string_view eat_number(std::string_view& text) {
  while (!text.empty() && text.front() == '0') text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  return number;
}

}  // namespace

std::optional<std::string_view> host_in_description(std::string_view description) {
  std::string_view name = eat_word(description);
  name = name.substr(0, name.find('.'));
  if (name.empty() || !(is_letter(name.front()) || is_digit(name.front())) || is_chip(name)) return std::nullopt;
  if (!std::all_of(name.begin(), name.end(), is_host_char)) return std::nullopt;
  if (std::find(kVendorWords.begin(), kVendorWords.end(), name) != kVendorWords.end()) return std::nullopt;
  return name;
}

std::string_view adapter_in_description(std::string_view description) {
  if (!host_in_description(description)) return {};
  (void)eat_word(description);
  return eat_word(description);
}

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (is_digit(x.front()) && is_digit(y.front())) {
      const std::string_view i = eat_number(x);
      const std::string_view j = eat_number(y);
      if (i.size() != j.size()) return i.size() < j.size();
      if (i != j) return i < j;
      continue;
    }
    if (x.front() != y.front()) return static_cast<unsigned char>(x.front()) < static_cast<unsigned char>(y.front());
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

void append_natural_key(std::string_view name, std::string& keys) {
  constexpr std::size_t kMost = 255;  // that a byte says
  while (!name.empty()) {
    if (!is_digit(name.front())) {
      keys += name.front();
      name.remove_prefix(1);
      continue;
    }
    // A number: a digit, which tells it from everything else, then how many it has, and the digits.
    const std::string_view number = eat_number(name);
    keys += '0';
    keys.append(number.size() / kMost, static_cast<char>(kMost));
    keys += static_cast<char>(number.size() % kMost);
    keys += number;
  }
}

}  // namespace espalier
