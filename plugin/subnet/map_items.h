// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The objects of one of OpenSM's maps, in its order. From one item to the next leads a pointer in memory that is hardly
// ever in a cache, so that a plain walk waits for it 13 000 times on 11 664 hosts. The upper nodes of the map's tree cut
// its list into pieces, which are walked side by side: the processor then waits for many items at once.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "plugin/opensm.h"

namespace espalier {

// `Object` begins with its cl_map_item_t, as OpenSM's do. REQUIRES: OpenSM's lock is held.
template <class Object>
[[nodiscard]] std::vector<Object*> items_of(const cl_qmap_t& map) {
  constexpr unsigned kDepth = 4;  // of the nodes that begin a piece
  constexpr std::size_t kMostPieces = std::size_t{1} << kDepth;

  const cl_map_item_t* const end = cl_qmap_end(&map);
  std::array<const cl_map_item_t*, kMostPieces + 1> starts{cl_qmap_head(&map)};
  std::size_t pieces = 1;
  const auto cut = [&](const auto& below, const cl_map_item_t* node, unsigned depth) -> void {
    if (node == end || depth == 0) return;
    below(below, node->p_left, depth - 1);
    if (node != starts[0]) starts[pieces++] = node;
    below(below, node->p_right, depth - 1);
  };
  cut(cut, map.root.p_left, kDepth);
  starts[pieces] = end;

  std::array<std::vector<Object*>, kMostPieces> found;
  std::array<const cl_map_item_t*, kMostPieces> at{};
  for (std::size_t i = 0; i < pieces; ++i) {
    at[i] = starts[i];
    found[i].reserve(cl_qmap_count(&map) / pieces * 2);
  }
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (at[i] == starts[i + 1]) continue;
      found[i].push_back(reinterpret_cast<Object*>(const_cast<cl_map_item_t*>(at[i])));
      at[i] = cl_qmap_next(at[i]);
      __builtin_prefetch(at[i]);
      any = true;
    }
  }
  std::vector<Object*> items;
  items.reserve(cl_qmap_count(&map));
  for (const std::vector<Object*>& piece : found) items.insert(items.end(), piece.begin(), piece.end());
  return items;
}

}  // namespace espalier
