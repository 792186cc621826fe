// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What options, logs, JSON and scripts call the values of an enum that counts from 0.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace espalier {

template <typename Enum, std::size_t N>
class EnumNames {
 public:
  // One name for each value, in their order. Does not compile where that is not so.
  consteval EnumNames(Enum last, const std::string_view (&names)[N]) {
    if (static_cast<std::size_t>(last) + 1 != N) throw std::logic_error("one name for each value");
    for (std::size_t i = 0; i < N; ++i) names_[i] = names[i];
  }

  [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
    return names_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
    for (std::size_t i = 0; i < N; ++i)
      if (names_[i] == name) return static_cast<Enum>(i);
    return std::nullopt;
  }
  // In the order of the values.
  [[nodiscard]] constexpr std::span<const std::string_view, N> all() const { return names_; }

 private:
  std::array<std::string_view, N> names_{};
};

}  // namespace espalier
