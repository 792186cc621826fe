// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The candidates C(s,t) of closed_form.h, by which a switch s may send toward a destination switch t: for all t at once,
// sorted by how much work the choice is. On a tree nearly all destinations have one port (downward) or every up-group.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/byte_block.h"
#include "core/fabric/ids.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

// Where each switch goes down to, 64 destination switches at a time: to few, so most are left out.
class DownBlocks {
 public:
  static constexpr std::size_t kSize = ByteBlock::kSize;

  DownBlocks(const UpDownCosts& costs, std::size_t num_switches);
  [[nodiscard]] bool has(SwitchId s, std::size_t block) const { return has_[index(s) * num_blocks_ + block] != 0; }

 private:
  std::size_t num_blocks_;
  std::vector<std::uint8_t> has_;
};

class Candidates {
 public:
  enum class Kind : std::uint8_t {
    kNone,        // no up-down path
    kItself,      // it is the switch
    kAllUp,       // every up-group leads closer, and all have the same number of ports
    kOnePort,     // port() alone
    kSomeGroups,  // any other set of groups: for_each_group()
  };

  Candidates(const FatTree& tree, const UpDownCosts& costs, const DownBlocks& down)
      : tree_(tree), costs_(costs), down_(down), kinds_(costs.stride()), ports_(costs.stride()) {}

  void find(SwitchId s);
  void swap(Candidates& other) noexcept;  // REQUIRES: of the same tree

  [[nodiscard]] Kind kind(SwitchId t) const { return kinds_[index(t)]; }
  // REQUIRES: kOnePort.
  [[nodiscard]] PortNum port(SwitchId t) const { return ports_[index(t)]; }

  // visit(group) for each of C(s,t), in order. REQUIRES: kSomeGroups.
  template <class Visit>
  void for_each_group(SwitchId t, Visit&& visit) const {
    const bool down = costs_.down_cost(s_, t) != kUnreachable;
    const PortGroup* const groups = (down ? tree_.down_groups(s_) : tree_.up_groups(s_)).data();
    for (std::size_t byte = 0; byte < (down ? down_bytes() : up_bytes()); ++byte)
      for (unsigned bits = closer_[byte * kinds_.size() + index(t)]; bits != 0; bits &= bits - 1)
        visit(groups[byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits))]);
  }

  // visit(t) wherever the choice is not known to be that of `other`, ascending.
  template <class Visit>
  void for_each_other(const Candidates& other, Visit&& visit) const {
    constexpr std::size_t kBlock = DownBlocks::kSize;
    for (std::size_t block = 0; block < kinds_.size(); block += kBlock) {
      const auto differ = [&](const auto& own, const auto& others) {
        return ByteBlock::load(own.data() + block) ^ ByteBlock::load(others.data() + block);
      };
      const ByteBlock some =
          equal(ByteBlock::load(kinds_.data() + block), ByteBlock(static_cast<std::uint8_t>(Kind::kSomeGroups)));
      if (!(differ(kinds_, other.kinds_) | differ(ports_, other.ports_) | some).any()) continue;
      for (std::size_t t = block; t < block + kBlock; ++t)
        if (is_other(other, t)) visit(id_at<SwitchId>(t));
    }
  }

 private:
  [[nodiscard]] bool is_other(const Candidates& other, std::size_t t) const {
    return kinds_[t] != other.kinds_[t] || ports_[t] != other.ports_[t] || kinds_[t] == Kind::kSomeGroups;
  }
  [[nodiscard]] std::size_t up_bytes() const { return (tree_.up_groups(s_).size() + 7) / 8; }
  [[nodiscard]] std::size_t down_bytes() const { return (tree_.down_groups(s_).size() + 7) / 8; }
  void find_up(std::size_t block);
  void find_down(std::size_t block);
  void mark_closer(std::size_t block);
  void find_single_up(std::size_t block);

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const DownBlocks& down_;
  SwitchId s_ = kNoSwitch;
  bool alike_ = false;  // all up-groups have the same number of ports
  std::vector<Kind> kinds_;
  std::vector<PortNum> ports_;  // 0 where it is not kOnePort
  // Bit g % 8 of [g / 8 * stride + t]: the g-th group (of the direction that s takes toward t) leads closer to t. Only
  // in blocks that have a kSomeGroups.
  std::vector<std::uint8_t> closer_;
};

}  // namespace espalier
