// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The objects of one of OpenSM's maps, in its order. From one item to the next leads a pointer in memory that is hardly
// ever in a cache, so that a plain walk waits for it 13 000 times on 11 664 hosts. The upper nodes of the map's tree cut
// its list into pieces, which are walked side by side: the processor then waits for many items at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/large_array.h"
#include "plugin/opensm.h"

namespace espalier {

// `Object` begins with its cl_map_item_t, as OpenSM's do. REQUIRES: OpenSM's lock is held.
template <class Object>
[[nodiscard]] LargeVector<Object*> items_of(const cl_qmap_t& map) {
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

  // One of each piece after another; null where a piece has come to its end.
  LargeVector<Object*> found;
  found.reserve(cl_qmap_count(&map) * 3 / 2);
  std::array<const cl_map_item_t*, kMostPieces> at{};
  std::copy_n(starts.begin(), pieces, at.begin());
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < pieces; ++i) {
      if (at[i] == starts[i + 1]) {
        found.push_back(nullptr);
        continue;
      }
      found.push_back(reinterpret_cast<Object*>(const_cast<cl_map_item_t*>(at[i])));
      at[i] = cl_qmap_next(at[i]);
      __builtin_prefetch(at[i]);
      any = true;
    }
  }
  LargeVector<Object*> items;
  items.reserve(cl_qmap_count(&map));
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t i = piece; i < found.size() && found[i] != nullptr; i += pieces) items.push_back(found[i]);
  return items;
}

}  // namespace espalier
