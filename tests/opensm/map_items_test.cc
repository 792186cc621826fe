// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/subnet/map_items.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace espalier {
namespace {

struct Item {
  cl_map_item_t item{};
};

TEST(MapItems, AreThoseOfAPlainWalkWhateverTheSize) {
  std::mt19937_64 random(1001);
  for (std::size_t size = 0; size < 200; ++size) {
    cl_qmap_t map;
    cl_qmap_init(&map);
    std::deque<Item> items(size);
    // Ascending, descending, in any order: trees of different shapes.
    for (std::size_t i = 0; i < size; ++i)
      cl_qmap_insert(&map, size % 3 == 0 ? i : size % 3 == 1 ? size - i : random(), &items[i].item);
    LargeVector<Item*> plain;
    for (cl_map_item_t* i = cl_qmap_head(&map); i != cl_qmap_end(&map); i = cl_qmap_next(i))
      plain.push_back(reinterpret_cast<Item*>(i));
    EXPECT_EQ(items_of<Item>(map), plain) << size;
    if (size > 2) {
      cl_qmap_remove_item(&map, &plain[size / 2]->item);
      plain.erase(plain.begin() + static_cast<std::ptrdiff_t>(size / 2));
      EXPECT_EQ(items_of<Item>(map), plain) << size;
    }
  }
}

}  // namespace
}  // namespace espalier
