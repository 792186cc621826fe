// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/candidates.h"

#include <algorithm>
#include <span>

#include "core/base/byte_block.h"

namespace espalier {
namespace {

constexpr std::size_t kBlock = DownBlocks::kSize;
using Kind = Candidates::Kind;

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

}  // namespace

DownBlocks::DownBlocks(const UpDownCosts& costs, std::size_t num_switches)
    : num_blocks_(costs.stride() / kSize), has_(num_switches * num_blocks_) {
  for (std::size_t s = 0; s < num_switches; ++s) {
    const Hops* const down = costs.down_row(id_at<SwitchId>(s)).data();
    for (std::size_t block = 0; block < num_blocks_; ++block)
      has_[s * num_blocks_ + block] = (ByteBlock::load(down + block * kSize) ^ ByteBlock(kUnreachable)).any() ? 1 : 0;
  }
}

void Candidates::find(SwitchId s) {
  s_ = s;
  const auto ups = tree_.up_groups(s);
  alike_ = !ups.empty() &&
           std::all_of(ups.begin(), ups.end(), [&](const PortGroup& up) { return up.num_ports == ups[0].num_ports; });
  const ByteBlock some(static_cast<std::uint8_t>(Kind::kSomeGroups));
  closer_.resize(std::max({closer_.size(), up_bytes() * kinds_.size(), down_bytes() * kinds_.size()}));
  for (std::size_t block = 0; block < kinds_.size() / kBlock; ++block) {
    find_up(block);
    if (down_.has(s, block)) find_down(block);
    if (!equal(ByteBlock::load(kinds_.data() + block * kBlock), some).any()) continue;
    find_single_up(block);
    if (equal(ByteBlock::load(kinds_.data() + block * kBlock), some).any()) mark_closer(block);
  }
  kinds_[index(s)] = Kind::kItself;
  ports_[index(s)] = kManagementPort;
}

void Candidates::swap(Candidates& other) noexcept {
  std::swap(s_, other.s_);
  std::swap(alike_, other.alike_);
  kinds_.swap(other.kinds_);
  ports_.swap(other.ports_);
  closer_.swap(other.closer_);
}

// As if nothing were below s.
void Candidates::find_up(std::size_t block) {
  const std::size_t first = block * kBlock;
  constexpr auto kAll = static_cast<std::uint8_t>(Kind::kAllUp);
  constexpr auto kSome = static_cast<std::uint8_t>(Kind::kSomeGroups);
  static_assert(static_cast<int>(Kind::kNone) == 0);
  ByteBlock farthest(alike_ ? 0 : kUnreachable);  // over all up-groups
  for (const PortGroup& up : tree_.up_groups(s_))
    farthest = max(farthest, ByteBlock::load(costs_.cost_row(up.remote).data() + first));
  const ByteBlock cost = ByteBlock::load(costs_.cost_row(s_).data() + first);
  const ByteBlock reached = select(less(farthest, cost), ByteBlock(kAll), ByteBlock(kSome));
  select(equal(cost, ByteBlock(kUnreachable)), ByteBlock(0), reached).store(kinds_.data() + first);
  ByteBlock(0).store(ports_.data() + first);
}

// Who is below s is reached downward.
void Candidates::find_down(std::size_t block) {
  constexpr auto kOne = static_cast<std::uint8_t>(Kind::kOnePort);
  constexpr auto kSome = static_cast<std::uint8_t>(Kind::kSomeGroups);
  const std::size_t first = block * kBlock;
  const ByteBlock down = ByteBlock::load(costs_.down_row(s_).data() + first);
  const auto leads_here = [&](const PortGroup& group) { return down_.has(group.remote, block); };
  const SinglePorts single = SinglePorts::find(
      tree_, tree_.down_groups(s_), leads_here, down,
      [&](const PortGroup& group) { return ByteBlock::load(costs_.down_row(group.remote).data() + first); });
  const ByteBlock is_below = equal(down, ByteBlock(kUnreachable)) ^ ByteBlock(255);
  select(is_below, select(single.is_single, ByteBlock(kOne), ByteBlock(kSome)), ByteBlock::load(kinds_.data() + first))
      .store(kinds_.data() + first);
  (is_below & single.is_single & single.port).store(ports_.data() + first);
}

void Candidates::mark_closer(std::size_t block) {
  const std::size_t first = block * kBlock;
  const auto bits_of = [&](std::size_t g) { return closer_.data() + g / 8 * kinds_.size() + first; };
  const auto mark = [&](std::size_t g, const Hops* far, const ByteBlock& own) {
    const ByteBlock bit(static_cast<std::uint8_t>(1U << g % 8));
    (ByteBlock::load(bits_of(g)) | (less(ByteBlock::load(far + first), own) & bit)).store(bits_of(g));
  };
  for (std::size_t byte = 0; byte < std::max(up_bytes(), down_bytes()); ++byte) ByteBlock(0).store(bits_of(byte * 8));
  const ByteBlock down = ByteBlock::load(costs_.down_row(s_).data() + first);
  // Nothing is less than 0: who is below is not reached upward.
  const ByteBlock up = equal(down, ByteBlock(kUnreachable)) & ByteBlock::load(costs_.cost_row(s_).data() + first);
  const auto ups = tree_.up_groups(s_);
  for (std::size_t g = 0; g < ups.size(); ++g) mark(g, costs_.cost_row(ups[g].remote).data(), up);
  const auto downs = tree_.down_groups(s_);
  for (std::size_t g = 0; g < downs.size(); ++g)
    if (down_.has(downs[g].remote, block)) mark(g, costs_.down_row(downs[g].remote).data(), down);
}

// Where one link alone leads closer upward, it is that.
void Candidates::find_single_up(std::size_t block) {
  const std::size_t first = block * kBlock;
  const ByteBlock cost = ByteBlock::load(costs_.cost_row(s_).data() + first);
  const auto any = [](const PortGroup&) { return true; };
  const SinglePorts found = SinglePorts::find(tree_, tree_.up_groups(s_), any, cost, [&](const PortGroup& group) {
    return ByteBlock::load(costs_.cost_row(group.remote).data() + first);
  });
  const ByteBlock up = equal(ByteBlock::load(costs_.down_row(s_).data() + first), ByteBlock(kUnreachable));
  const ByteBlock kinds = ByteBlock::load(kinds_.data() + first);
  const ByteBlock single = up & found.is_single & equal(kinds, ByteBlock(static_cast<std::uint8_t>(Kind::kSomeGroups)));
  select(single, ByteBlock(static_cast<std::uint8_t>(Kind::kOnePort)), kinds).store(kinds_.data() + first);
  select(single, found.port, ByteBlock::load(ports_.data() + first)).store(ports_.data() + first);
}

}  // namespace espalier
