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

  Candidates(const FatTree& tree, const UpDownCosts& costs, const DownBlocks& down);

  // In little time where the links upward are those of the switch before, as those of siblings are.
  void find(SwitchId s);

  [[nodiscard]] Kind kind(SwitchId t) const { return kinds_[index(t)]; }
  // REQUIRES: kOnePort.
  [[nodiscard]] PortNum port(SwitchId t) const { return ports_[index(t)]; }

  // visit(group) for each of C(s,t), in order. REQUIRES: kSomeGroups.
  template <class Visit>
  void for_each_group(SwitchId t, Visit&& visit) const {
    const bool down = is_below(s_, t);
    const std::vector<std::uint8_t>& closer = down ? closer_down_ : closer_up_;
    const PortGroup* const groups = (down ? tree_.down_groups(s_) : tree_.up_groups(s_)).data();
    for (std::size_t byte = 0; byte < (down ? down_bytes() : up_bytes()); ++byte)
      for (unsigned bits = closer[byte * kinds_.size() + index(t)]; bits != 0; bits &= bits - 1)
        visit(groups[byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits))]);
  }

  // visit(t) wherever the choice is not known to be that of the switch before, ascending.
  template <class Visit>
  void for_each_other(Visit&& visit) const {
    constexpr std::size_t kBlock = DownBlocks::kSize;
    for (std::size_t block = 0; block < changed_.size(); ++block) {
      if (changed_[block] == 0) continue;
      const std::size_t first = block * kBlock;
      const auto differ = [&](const auto& own, const auto& others) {
        return ByteBlock::load(own.data() + first) ^ ByteBlock::load(others.data() + first);
      };
      const ByteBlock some =
          equal(ByteBlock::load(kinds_.data() + first), ByteBlock(static_cast<std::uint8_t>(Kind::kSomeGroups)));
      if (!(differ(kinds_, kinds_before_) | differ(ports_, ports_before_) | some).any()) continue;
      for (std::size_t t = first; t < first + kBlock; ++t)
        if (is_other(id_at<SwitchId>(t))) visit(id_at<SwitchId>(t));
    }
  }

 private:
  [[nodiscard]] bool is_below(SwitchId s, SwitchId t) const { return costs_.down_cost(s, t) != kUnreachable; }
  [[nodiscard]] bool is_other(SwitchId t) const {
    if (kind(t) != kinds_before_[index(t)] || port(t) != ports_before_[index(t)]) return true;
    return kind(t) == Kind::kSomeGroups && (!is_sibling_ || is_below(s_, t) || is_below(before_, t));
  }
  [[nodiscard]] std::size_t up_bytes() const { return (tree_.up_groups(s_).size() + 7) / 8; }
  [[nodiscard]] std::size_t down_bytes() const { return (tree_.down_groups(s_).size() + 7) / 8; }
  void find_up();
  void choose_up(std::size_t block, bool alike);
  void find_down(std::size_t block);

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const DownBlocks& down_;
  SwitchId s_ = kNoSwitch;
  SwitchId before_ = kNoSwitch;  // whose candidates were found before
  bool is_sibling_ = false;      // s_ has the same links upward as before_
  std::vector<Kind> kinds_;
  std::vector<PortNum> ports_;  // 0 where it is not kOnePort
  // As if nothing were below s.
  std::vector<Kind> kinds_up_;
  std::vector<PortNum> ports_up_;
  // Of before_, in changed blocks.
  std::vector<Kind> kinds_before_;
  std::vector<PortNum> ports_before_;
  std::vector<std::uint8_t> changed_;  // per block: not 0: something may differ from before_
  // Bit g % 8 of [g / 8 * stride + t]: the g-th group upward (downward) leads closer to t. Only in blocks that have a
  // kSomeGroups for this direction.
  std::vector<std::uint8_t> closer_up_;
  std::vector<std::uint8_t> closer_down_;
};

}  // namespace espalier
