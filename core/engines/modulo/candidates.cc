// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/candidates.h"

#include <algorithm>
#include <span>

#include "core/base/byte_block.h"
#include "core/tree/next_hops.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = DownBlocks::kSize;
using Kind = Candidates::Kind;
static_assert(static_cast<int>(Kind::kNone) == 0);

ByteBlock bytes(Kind kind) { return ByteBlock(static_cast<std::uint8_t>(kind)); }

ByteBlock differ(const ByteBlock& a, const ByteBlock& b) { return equal(a, b) ^ ByteBlock(255); }

// Which of 64 destination switches have one single port among some groups that leads closer.
struct SinglePorts {
  ByteBlock is_single{0};  // 255: yes
  ByteBlock port{0};       // where it is

  // costs_of(group): how far its remote switch is; `own`: how far s is. Groups that lead to none of the 64 may be left
  // out by `leads_here`. (Not by a view of the groups: clang 14 cannot compile those of libstdc++ 12.)
  template <class LeadsHere, class CostsOf>
  static SinglePorts find(const FatTree& tree, std::span<const PortGroup> groups, LeadsHere&& leads_here,
                          const ByteBlock& own, CostsOf&& costs_of) {
    ByteBlock count(0);  // none, one, or two and more
    ByteBlock last(0);
    for (const PortGroup& group : groups) {
      if (!leads_here(group)) continue;
      const ByteBlock closer = less(costs_of(group), own);
      count = min(count + (closer & ByteBlock(group.num_ports == 1 ? 1 : 2)), ByteBlock(2));
      last = select(closer, ByteBlock(static_cast<std::uint8_t>(tree.ports(group)[0])), last);
    }
    return {equal(count, ByteBlock(1)), last};
  }
};

// For 64 destination switches which groups lead closer: bit g % 8 of bits[g / 8 * stride + t]. As in SinglePorts::find().
template <class LeadsHere, class CostsOf>
void mark_closer(std::span<const PortGroup> groups, LeadsHere&& leads_here, const ByteBlock& own, CostsOf&& costs_of,
                 std::uint8_t* bits, std::size_t stride) {
  for (std::size_t g = 0; g < groups.size(); g += 8) ByteBlock(0).store(bits + g / 8 * stride);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!leads_here(groups[g])) continue;
    const ByteBlock bit(static_cast<std::uint8_t>(1U << g % 8));
    std::uint8_t* const byte = bits + g / 8 * stride;
    (ByteBlock::load(byte) | (less(costs_of(groups[g]), own) & bit)).store(byte);
  }
}

}  // namespace

DownBlocks::DownBlocks(const UpDownCosts& costs, std::size_t num_switches)
    : num_blocks_(costs.stride() / kSize), has_(num_switches * num_blocks_) {
  for (std::size_t s = 0; s < num_switches; ++s) {
    const Hops* const down = costs.down_row(id_at<SwitchId>(s)).data();
    for (std::size_t block = 0; block < num_blocks_; ++block)
      has_[s * num_blocks_ + block] = (ByteBlock::load(down + block * kSize) ^ ByteBlock(kUnreachable)).any() ? 1 : 0;
  }
}

Candidates::Candidates(const FatTree& tree, const UpDownCosts& costs, const DownBlocks& down)
    : tree_(tree),
      costs_(costs),
      down_(down),
      kinds_(costs.stride()),
      ports_(costs.stride()),
      kinds_up_(costs.stride()),
      ports_up_(costs.stride()),
      kinds_before_(costs.stride()),
      ports_before_(costs.stride()),
      changed_(costs.stride() / kBlock) {}

void Candidates::find(SwitchId s) {
  before_ = s_;
  s_ = s;
  is_sibling_ = before_ != kNoSwitch && are_same_hops(tree_, tree_.up_groups(s), tree_.up_groups(before_));
  // Then only one itself is reached by the other in another way than by itself.
  const bool is_twin = is_sibling_ && are_same_hops(tree_, tree_.down_groups(s), tree_.down_groups(before_));
  if (!is_sibling_) find_up();
  closer_down_.resize(std::max(closer_down_.size(), down_bytes() * kinds_.size()));
  for (std::size_t block = 0; block < changed_.size(); ++block) {
    const bool down = down_.has(s, block);
    if (is_twin)
      changed_[block] = block == index(s) / kBlock || block == index(before_) / kBlock ? 1 : 0;
    else
      changed_[block] = !is_sibling_ || down || down_.has(before_, block) ? 1 : 0;
    if (changed_[block] == 0) continue;
    const auto copy = [first = block * kBlock](const auto& from, auto& to) {
      ByteBlock::load(from.data() + first).store(to.data() + first);
    };
    copy(kinds_, kinds_before_);
    copy(ports_, ports_before_);
    copy(kinds_up_, kinds_);
    copy(ports_up_, ports_);
    if (down) find_down(block);
  }
  kinds_[index(s)] = Kind::kItself;
  ports_[index(s)] = kManagementPort;
}

void Candidates::find_up() {
  const auto ups = tree_.up_groups(s_);
  const bool alike =
      !ups.empty() && std::ranges::all_of(ups, [&](const PortGroup& up) { return up.num_ports == ups[0].num_ports; });
  closer_up_.resize(std::max(closer_up_.size(), up_bytes() * kinds_.size()));
  for (std::size_t block = 0; block < changed_.size(); ++block) choose_up(block, alike);
}

// As if nothing were below s.
void Candidates::choose_up(std::size_t block, bool alike) {
  const auto ups = tree_.up_groups(s_);
  const std::size_t first = block * kBlock;
  const auto costs_of = [&](const PortGroup& up) { return ByteBlock::load(costs_.cost_row(up.remote).data() + first); };
  ByteBlock nearest(kUnreachable);
  ByteBlock farthest(alike ? 0 : kUnreachable);
  for (const PortGroup& up : ups) {
    nearest = min(nearest, costs_of(up));
    farthest = max(farthest, costs_of(up));
  }
  const ByteBlock cost = one_more(nearest);
  const ByteBlock is_reached = differ(cost, ByteBlock(kUnreachable));
  const ByteBlock some = is_reached & differ(nearest, farthest);
  ByteBlock kinds = is_reached & select(some, bytes(Kind::kSomeGroups), bytes(Kind::kAllUp));
  ByteBlock ports(0);
  if (some.any()) {
    const auto any = [](const PortGroup&) { return true; };
    const SinglePorts found = SinglePorts::find(tree_, ups, any, cost, costs_of);
    kinds = select(some & found.is_single, bytes(Kind::kOnePort), kinds);
    ports = some & found.is_single & found.port;
    if (equal(kinds, bytes(Kind::kSomeGroups)).any())
      mark_closer(ups, any, cost, costs_of, closer_up_.data() + first, kinds_.size());
  }
  kinds.store(kinds_up_.data() + first);
  ports.store(ports_up_.data() + first);
}

// Who is below s is reached downward.
void Candidates::find_down(std::size_t block) {
  const auto groups = tree_.down_groups(s_);
  const std::size_t first = block * kBlock;
  const ByteBlock down = ByteBlock::load(costs_.down_row(s_).data() + first);
  const auto leads_here = [&](const PortGroup& group) { return down_.has(group.remote, block); };
  const auto costs_of = [&](const PortGroup& g) { return ByteBlock::load(costs_.down_row(g.remote).data() + first); };
  const SinglePorts single = SinglePorts::find(tree_, groups, leads_here, down, costs_of);
  const ByteBlock is_below = differ(down, ByteBlock(kUnreachable));
  const auto replace_below = [&](const ByteBlock& with, auto& array) {
    select(is_below, with, ByteBlock::load(array.data() + first)).store(array.data() + first);
  };
  replace_below(select(single.is_single, bytes(Kind::kOnePort), bytes(Kind::kSomeGroups)), kinds_);
  replace_below(single.is_single & single.port, ports_);
  const ByteBlock is_itself = equal(down, ByteBlock(0));
  if ((is_below & ((single.is_single | is_itself) ^ ByteBlock(255))).any())
    mark_closer(groups, leads_here, down, costs_of, closer_down_.data() + first, kinds_.size());
}

}  // namespace espalier
