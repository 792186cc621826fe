// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <string_view>
#include <utility>

namespace espalier {

// An open file descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = other.release();
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void close();

 private:
  int number_;
};

// Every byte of `text`, also where a write takes only some of them. False: an error, which errno says.
[[nodiscard]] bool write_all(const Descriptor& file, std::string_view text);

}  // namespace espalier
