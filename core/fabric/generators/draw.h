// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/random_order.h"

namespace espalier {

// `count` of the candidates, the front of the random order of `kind`. Fails if there are fewer.
template <class T>
[[nodiscard]] Result<std::vector<T>> draw(std::vector<T> candidates, std::size_t count, std::uint64_t seed,
                                          std::string_view kind) {
  if (count > candidates.size())
    return fail(fmt::format("cannot have {} {}: the fabric has {} candidates", count, kind, candidates.size()));
  return RandomOrder(seed, kind).front(std::move(candidates), count);
}

}  // namespace espalier
