// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The sets of ports by which a router finds who may leave, a bit for each position among its ports. All sets of a router
// lie together, so that most cycles of a router are a few ANDs of neighboring words.
#pragma once

#include "core/packets/network.h"
#include "core/packets/simulator/bit_set.h"
#include "core/packets/simulator/large_pages.h"

namespace espalier::packets {

class RouterSets {
 public:
  // Of one router. What has to do with alternatives is of the first 64 ports.
  struct View {
    BitWord* base;
    std::size_t words;  // of a set
    std::uint32_t vcs;

    // The output can begin a unit.
    [[nodiscard]] BitWord* free() const { return base; }
    // Links to other routers of the group, or of a fabric without groups, and to other groups.
    [[nodiscard]] BitWord& local() const { return base[words]; }
    [[nodiscard]] BitWord& global() const { return base[words + 1]; }
    // Outputs that heads wait for that have alternatives.
    [[nodiscard]] BitWord& seeking() const { return base[words + 2]; }
    // The queue behind the output has room.
    [[nodiscard]] BitWord* room(std::uint32_t vc) const { return base + words + 3 + words * vc; }
    // Heads wait for it.
    [[nodiscard]] BitWord* wanted(std::uint32_t vc) const { return room(vcs + vc); }
    // Of these, heads that may have alternatives below the threshold, or any.
    [[nodiscard]] BitWord& by_threshold(std::uint32_t vc) const { return room(2 * vcs)[vc]; }
    [[nodiscard]] BitWord& by_emptiest(std::uint32_t vc) const { return room(2 * vcs)[vcs + vc]; }

    [[nodiscard]] BitSet as_set(BitWord* set) const { return {set, words}; }
  };

  void resize(std::uint32_t num_routers, std::uint32_t most_ports, std::uint32_t vcs) {
    constexpr std::size_t kLine = 8;  // words of a line of the cache
    words_ = (most_ports + 63) / 64;
    vcs_ = vcs;
    size_ = (words_ + 3 + 2 * words_ * vcs + 2 * vcs + kLine - 1) / kLine * kLine;
    bits_.assign(num_routers * size_, 0);
  }
  [[nodiscard]] View of(Router r) { return {&bits_[r * size_], words_, vcs_}; }
  // For what is needed soon.
  void fetch(Router r) const {
    for (std::size_t word = 0; word < size_; word += 8) __builtin_prefetch(&bits_[r * size_ + word], 1, 3);
  }

 private:
  LargeVector<BitWord> bits_;
  std::size_t words_ = 1;
  std::size_t size_ = 0;  // words of a router
  std::uint32_t vcs_ = 1;
};

}  // namespace espalier::packets
