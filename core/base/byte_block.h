// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// 64 bytes at once, a cache line, by the compiler's vectors (GCC and Clang): some loops over bytes are the whole cost of a
// routing run, and compilers turn them into vector instructions by themselves only at -O3, and not always.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace espalier {

class ByteBlock {
 public:
  static constexpr std::size_t kSize = 64;

  explicit ByteBlock(std::uint8_t value = 0) {
    for (Part& part : parts_) part = Part{} + value;
  }
  // REQUIRES: kSize bytes.
  [[nodiscard]] static ByteBlock load(const void* from) {
    ByteBlock block;
    std::memcpy(block.parts_, from, kSize);
    return block;
  }
  void store(void* to) const { std::memcpy(to, parts_, kSize); }

  // Byte by byte; comparisons give 255 for true, 0 for false.
  [[nodiscard]] friend ByteBlock min(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x < y ? x : y; });
  }
  [[nodiscard]] friend ByteBlock max(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x > y ? x : y; });
  }
  [[nodiscard]] friend ByteBlock operator+(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x + y; });
  }
  [[nodiscard]] friend ByteBlock operator|(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x | y; });
  }
  [[nodiscard]] friend ByteBlock operator&(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x & y; });
  }
  [[nodiscard]] friend ByteBlock operator^(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return x ^ y; });
  }
  [[nodiscard]] friend ByteBlock equal(const ByteBlock& a, const ByteBlock& b) {
    return of(a, b, [](Part x, Part y) { return reinterpret_cast<Part>(x == y); });
  }
  // REQUIRES: nothing of signs: bytes are 0 .. 255.
  [[nodiscard]] friend ByteBlock less(const ByteBlock& a, const ByteBlock& b) {
    return equal(max(a, b), a) ^ ByteBlock(255);
  }
  // `yes` where the mask is 255, `no` where it is 0.
  [[nodiscard]] friend ByteBlock select(const ByteBlock& mask, const ByteBlock& yes, const ByteBlock& no) {
    return (mask & yes) | ((mask ^ ByteBlock(255)) & no);
  }
  // Each byte one more; 255 stays what it is.
  [[nodiscard]] friend ByteBlock one_more(const ByteBlock& a) {
    return a + select(equal(a, ByteBlock(255)), ByteBlock(0), ByteBlock(1));
  }
  // visit(place) of each byte that is not 0, ascending.
  template <class Visit>
  void for_each_set(Visit visit) const {
    if (!any()) return;
    std::uint64_t words[kSize / sizeof(std::uint64_t)];
    std::memcpy(words, parts_, kSize);
    for (std::size_t first = 0; first < kSize; first += sizeof(std::uint64_t))
      for (std::uint64_t left = words[first / sizeof(std::uint64_t)]; left != 0;) {
        const unsigned bit = first_bit_of_first_byte(left);
        visit(first + (kIsLittle ? bit : kLastByte - bit) / 8);
        left &= ~(std::uint64_t{255} << bit);
      }
  }
  // Whether any byte is not 0.
  [[nodiscard]] bool any() const {
    const Part all = parts_[0] | parts_[1] | parts_[2] | parts_[3];
    std::uint64_t words[2];
    std::memcpy(words, &all, sizeof words);
    return (words[0] | words[1]) != 0;
  }

 private:
  using Part = std::uint8_t __attribute__((vector_size(16)));  // every 64-bit machine has these in registers

  static constexpr bool kIsLittle = std::endian::native == std::endian::little;
  static constexpr unsigned kLastByte = 56;  // its first bit in a word

  // Of the first byte in memory that is not 0.
  [[nodiscard]] static unsigned first_bit_of_first_byte(std::uint64_t word) {
    const auto bit = static_cast<unsigned>(kIsLittle ? std::countr_zero(word) : 63 - std::countl_zero(word));
    return bit & ~7U;
  }
  template <class Operation>
  static ByteBlock of(const ByteBlock& a, const ByteBlock& b, Operation operation) {
    ByteBlock result;
    result.parts_[0] = operation(a.parts_[0], b.parts_[0]);
    result.parts_[1] = operation(a.parts_[1], b.parts_[1]);
    result.parts_[2] = operation(a.parts_[2], b.parts_[2]);
    result.parts_[3] = operation(a.parts_[3], b.parts_[3]);
    return result;
  }

  Part parts_[4];
};

}  // namespace espalier
