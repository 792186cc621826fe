// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/codewords.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/fabric/random_order.h"

namespace espalier {
namespace {

using Word = std::uint16_t;
constexpr unsigned kMostSls = 15;  // besides SL 0
constexpr std::uint64_t kSeed = 35;

Word word(std::initializer_list<unsigned> sls) {
  unsigned bits = 0;
  for (const unsigned sl : sls) bits |= 1U << sl;
  return static_cast<Word>(bits);
}

// Singletons: {1}, {2}, ...
std::vector<Word> singletons(unsigned n) {
  std::vector<Word> words;
  for (unsigned sl = 1; sl <= n; ++sl) words.push_back(word({sl}));
  return words;
}

// Triples of 1 .. n in the order of their bits, each taken that meets those before in at most one element.
std::vector<Word> greedy_triples(unsigned n) {
  std::vector<Word> words;
  for (unsigned c = 3; c <= n; ++c)
    for (unsigned b = 2; b < c; ++b)
      for (unsigned a = 1; a < b; ++a) {
        const Word candidate = word({a, b, c});
        if (std::all_of(words.begin(), words.end(), [&](Word w) { return std::popcount(Word(w & candidate)) <= 1; }))
          words.push_back(candidate);
      }
  return words;
}

// The twelve lines of the affine plane over three elements: points (x, y), numbered 3 x + y + 1.
std::vector<Word> affine_triples() {
  std::vector<Word> words;
  const auto point = [](unsigned x, unsigned y) { return 3 * (x % 3) + y % 3 + 1; };
  for (unsigned c = 0; c < 3; ++c) words.push_back(word({point(c, 0), point(c, 1), point(c, 2)}));
  for (unsigned slope = 0; slope < 3; ++slope)
    for (unsigned c = 0; c < 3; ++c) words.push_back(word({point(0, c), point(1, slope + c), point(2, 2 * slope + c)}));
  return words;
}

// The Steiner triple system of order 13 by the differences {0, 1, 4} and {0, 2, 7}.
std::vector<Word> cyclic_triples() {
  std::vector<Word> words;
  for (const auto& [b, c] : {std::pair{1U, 4U}, std::pair{2U, 7U}})
    for (unsigned i = 0; i < 13; ++i) words.push_back(word({1 + i, 1 + (i + b) % 13, 1 + (i + c) % 13}));
  return words;
}

// That of order 15: the lines of the projective space over two elements, {a, b, a xor b}.
std::vector<Word> projective_triples() {
  std::vector<Word> words;
  for (unsigned a = 1; a <= kMostSls; ++a)
    for (unsigned b = a + 1; b <= kMostSls; ++b)
      if ((a ^ b) > b) words.push_back(word({a, b, a ^ b}));
  return words;
}

// Each group in five SLs of 15.
std::vector<Word> drawn(std::size_t num_groups) {
  std::vector<unsigned> sls;
  for (unsigned sl = 1; sl <= kMostSls; ++sl) sls.push_back(sl);
  RandomOrder random(kSeed, "codewords");
  std::vector<Word> words;
  for (std::size_t g = 0; g < num_groups; ++g) {
    unsigned bits = 0;
    for (const unsigned sl : random.front(sls, kMostSls / 3)) bits |= 1U << sl;
    words.push_back(static_cast<Word>(bits));
  }
  return words;
}

std::vector<Word> smallest_family(std::size_t num_groups) {
  if (num_groups <= 7) return singletons(static_cast<unsigned>(num_groups));
  if (num_groups <= 12) return affine_triples();
  for (const unsigned n : {10U, 11U, 12U})
    if (std::vector<Word> words = greedy_triples(n); words.size() >= num_groups) return words;
  if (num_groups <= 26) return cyclic_triples();
  if (num_groups <= 35) return projective_triples();
  return drawn(num_groups);
}

Codewords first_of(std::vector<Word> words, std::size_t num_groups) {
  words.resize(num_groups);
  unsigned bits = 1;
  for (const Word w : words) bits |= w;
  return {std::move(words), static_cast<unsigned>(std::bit_width(bits))};
}

}  // namespace

Codewords make_codewords(std::size_t num_groups) { return first_of(smallest_family(num_groups), num_groups); }

Antichain make_antichain(std::size_t num_groups) {
  constexpr std::array<std::size_t, 11> kMiddle{1, 1, 2, 3, 6, 10, 20, 35, 70, 126, 252};
  unsigned n = 1;
  while (n < 10 && kMiddle[n] < num_groups) ++n;
  std::vector<Word> words;
  for (unsigned bits = 0; bits < 1U << n && words.size() < num_groups; ++bits)
    if (std::popcount(bits) == static_cast<int>(n / 2)) words.push_back(static_cast<Word>(bits));
  for (std::size_t i = 0; words.size() < num_groups; ++i) words.push_back(words[i]);
  return {std::move(words), n};
}

}  // namespace espalier
