// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/net/net_guids.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/base/hash.h"
#include "core/io/scanner.h"

namespace espalier::io {
namespace {

constexpr int kPortBits = 8;

}  // namespace

std::optional<Guid> guid_in_id(std::string_view id) {
  if (id.size() < 14 || id.size() > 18 || id[1] != '-' || std::string_view("SHR").find(id[0]) == std::string_view::npos)
    return std::nullopt;
  Scanner digits(id.substr(2));
  const auto value = digits.eat_number<std::uint64_t>(16);
  if (!value || *value == 0 || !digits.done()) return std::nullopt;
  return Guid{*value};
}

std::vector<Guid> assign_guids(const std::vector<std::string>& ids, const std::vector<Guid>& taken) {
  std::unordered_set<std::uint64_t> used;  // GUIDs without the bits of the port
  for (const Guid guid : taken) {
    used.insert(index(guid) >> kPortBits);
    used.insert((index(guid) >> kPortBits) + 1);
  }
  // Ids in sorted order, so that even a collision ends the same way whatever the order of the file.
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  std::vector<Guid> guids(ids.size());
  for (const std::size_t i : order) {
    std::uint64_t seed = 0;
    std::uint64_t block = 0;
    do {
      block = 0x02000000000000U | (fnv1a(ids[i], seed++) & 0xFFFFFFFFFFFFU);
    } while (!used.insert(block).second);
    guids[i] = Guid{block << kPortBits};
  }
  return guids;
}

}  // namespace espalier::io
