// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/random_order.h"

namespace espalier {

RandomOrder::RandomOrder(std::uint64_t seed, std::string_view kind) {
  std::seed_seq sequence(kind.begin(), kind.end());
  std::uint32_t words[2];
  sequence.generate(words, words + 2);
  random_.seed(seed ^ (std::uint64_t{words[0]} << 32 | words[1]));
}

std::uint64_t RandomOrder::below(std::uint64_t bound) {
  const std::uint64_t unbiased = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  for (;;) {
    const std::uint64_t value = random_();
    if (value < unbiased) return value % bound;
  }
}

}  // namespace espalier
