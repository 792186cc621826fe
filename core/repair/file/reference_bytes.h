// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Numbers of a file of a Reference: little-endian, no padding.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/fabric/ids.h"

namespace espalier {

class ReferenceWriter {
 public:
  template <class Number>
  void put(Number value) {
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      out_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF));
  }
  // Its first 255 characters.
  void put_text(std::string_view text) {
    text = text.substr(0, 255);
    put(static_cast<std::uint8_t>(text.size()));
    out_.append(text);
  }
  void put_bytes(std::span<const PortNum> bytes) {
    out_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void overwrite(std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) out_[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }
  [[nodiscard]] const std::string& text() const { return out_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Takes numbers from the left; once they are at their end, all that follows is 0 and failed() is true.
class ReferenceReader {
 public:
  explicit ReferenceReader(std::string_view rest) : rest_(rest) {}

  template <class Number>
  Number take() {
    if (rest_.size() < sizeof(Number)) return fail_all<Number>();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(sizeof(Number));
    return static_cast<Number>(value);
  }
  std::string_view take_bytes(std::size_t count) {
    if (rest_.size() < count) return fail_all<std::string_view>();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string take_text() { return std::string(take_bytes(take<std::uint8_t>())); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  template <class T>
  T fail_all() {
    failed_ = true;
    rest_ = {};
    return T{};
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace espalier
