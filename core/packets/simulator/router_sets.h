// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The sets of ports by which a router finds who may leave, a bit for each position among its ports. All sets of 64 ports
// of a router lie together, so that most cycles of a router are a few ANDs of neighboring words.
#pragma once

#include "core/base/large_array.h"
#include "core/packets/network.h"
#include "core/packets/simulator/bit_set.h"

namespace espalier::packets {

class RouterSets {
 public:
  // The sets of one virtual channel of outputs.
  struct OfVc {
    BitWord room = 0;      // the queue behind has room
    BitWord seeking = 0;   // heads that have alternatives wait for it
    BitWord emptiest = 0;  // of these, heads that may always take them
  };
  // Of 64 ports of a router.
  struct View {
    BitWord* base;

    // The output can begin a unit.
    [[nodiscard]] BitWord& free() const { return base[0]; }
    // Links to other routers of the group, or of a fabric without groups, and to other groups.
    [[nodiscard]] BitWord& local() const { return base[1]; }
    [[nodiscard]] BitWord& global() const { return base[2]; }
    // OfVc::seeking on any virtual channel.
    [[nodiscard]] BitWord& seeking() const { return base[3]; }

    [[nodiscard]] OfVc& vc(std::uint32_t vc) const { return reinterpret_cast<OfVc*>(base + kCommon)[vc]; }
  };

  void resize(std::uint32_t num_routers, std::uint32_t most_ports, std::uint32_t vcs) {
    words_ = (most_ports + 63) / 64;
    view_ = (kCommon + sizeof(OfVc) / sizeof(BitWord) * vcs + kLine - 1) / kLine * kLine;
    bits_.assign(num_routers * words_ * view_, 0);
  }
  // Views of a router.
  [[nodiscard]] std::size_t words() const { return words_; }
  // Of the first 64 ports, or of those around this position. Alternatives are among the first.
  [[nodiscard]] View of(Router r) { return {&bits_[r * words_ * view_]}; }
  [[nodiscard]] View of(Router r, std::uint32_t position) { return {&bits_[(r * words_ + position / 64) * view_]}; }
  // For what is needed soon.
  void fetch(Router r) const {
    for (std::size_t word = 0; word < view_; word += kLine) __builtin_prefetch(&bits_[r * words_ * view_ + word], 1, 3);
  }

 private:
  static constexpr std::size_t kCommon = 4;
  static constexpr std::size_t kLine = 8;  // words of a line of the cache

  LargeVector<BitWord> bits_;
  std::size_t words_ = 1;
  std::size_t view_ = 0;  // words of 64 ports
};

}  // namespace espalier::packets
