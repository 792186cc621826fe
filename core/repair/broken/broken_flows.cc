// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken/broken_flows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/byte_block.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

static_assert(kLidsPerBlock == ByteBlock::kSize);

constexpr std::size_t kBlocks = 4;  // that one thread looks at together

using Leaves = LargeVector<std::uint32_t>;

// One column after the other, path by path: where entries are odd, paths may go anywhere.
class PathSearch {
 public:
  PathSearch(const WorkingState& state, const OpenEntries& open)
      : state_(state),
        prepared_(state.prepared),
        open_(open),
        broken_(prepared_.fabric().num_switches()),
        asked_(prepared_.fabric().num_switches()) {}

  // Appends those of one column. Returns how many they are.
  std::uint32_t find(std::uint32_t column, Leaves& leaves) {
    const std::size_t before = leaves.size();
    append(column, leaves);
    return static_cast<std::uint32_t>(leaves.size() - before);
  }

 private:
  void append(std::uint32_t column, Leaves& leaves) {
    column_ = column;
    lid_ = open_.columns[column];
    to_ = prepared_.destination(lid_);
    const auto open = open_.at(column);
    if (!prepared_.is_host_lid(lid_) || prepared_.leaf(to_) == kNoLeaf || open.empty()) return;
    std::size_t below = 0;
    bool is_on_path_down = false;  // of others than those below
    for (const SwitchId s : open) {
      broken_[index(s)] = (column + 1) << 1 | 1;
      below += prepared_.leaves_below(s).size();
      is_on_path_down = is_on_path_down || prepared_.costs().down_cost(s, to_) != kUnreachable;
    }
    const auto consider = [&](SwitchId x) {
      if (is_broken(x) && state_.is_alive(x) && state_.reaches(x, to_)) leaves.push_back(prepared_.leaf(x));
    };
    if (is_on_path_down || below >= prepared_.leaves().size()) {
      for (const SwitchId x : prepared_.leaves()) consider(x);
      return;
    }
    // Few switches are concerned: only what is below them.
    const auto first = static_cast<std::ptrdiff_t>(leaves.size());
    for (const SwitchId s : open)
      for (const SwitchId x : prepared_.leaves_below(s)) {
        if (asked_[index(x)] == column + 1) continue;
        asked_[index(x)] = column + 1;
        consider(x);
      }
    std::sort(leaves.begin() + first, leaves.end());
  }

  // Whether the reference's path from s passes an open entry. Memory per column.
  bool is_broken(SwitchId s) {  // NOLINT(misc-no-recursion)
    if (s == to_) return false;
    std::uint32_t& broken = broken_[index(s)];
    if (broken >> 1 == column_ + 1) return (broken & 1) != 0;
    broken = (column_ + 1) << 1 | 1;  // so that a path that loops counts as broken
    const ChannelId c = state_.channel(s, state_.reference_entry(s, lid_));
    if (c == kNoChannel || is_broken(prepared_.far(c))) return true;
    broken = (column_ + 1) << 1;
    return false;
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  const OpenEntries& open_;
  std::uint32_t column_ = 0;
  std::size_t lid_ = 0;
  SwitchId to_ = kNoSwitch;
  std::vector<std::uint32_t> broken_;  // per switch: twice column + 1 when it is known, and 1 if broken
  std::vector<std::uint32_t> asked_;   // per switch: column + 1
};

// 64 LIDs at once: up to their open entries all paths go up, then down. So who leads to a broken entry is known by one look
// at each switch beside another that has some: from the lowest up who leads down to it, then from the highest down who
// leads up.
class BlockSearch {
 public:
  BlockSearch(const WorkingState& state, const OpenEntries& open)
      : state_(state),
        prepared_(state.prepared),
        tree_(prepared_.tree()),
        open_(open),
        broken_(prepared_.fabric().num_switches()),
        has_broken_(prepared_.fabric().num_switches(), Has::kNone) {}

  // Appends those of columns begin .. end-1, whose LIDs are in one block, column by column, and their numbers.
  void find(std::size_t begin, std::size_t end, std::uint32_t* counts, Leaves& leaves) {
    block_ = open_.columns[begin] / kLidsPerBlock;
    columns_.fill(kNone);
    for (std::size_t i = begin; i < end; ++i) start(i);
    if (std::exchange(is_below_, false)) spread_upward();
    spread_downward();
    collect(begin, end, counts, leaves);
    for (const SwitchId s : touched_) {
      broken_[s] = {};
      has_broken_[s] = Has::kNone;
    }
    touched_.clear();
  }

 private:
  enum class Has : std::uint8_t { kNone, kSome, kBelow };  // broken entries; for destinations below it
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct alignas(kLidsPerBlock) Row {
    std::array<std::uint8_t, kLidsPerBlock> entries{};  // 255: broken
  };

  void start(std::size_t column) {
    const std::size_t lid = open_.columns[column];
    if (!prepared_.is_host_lid(lid)) return;
    columns_[lid % kLidsPerBlock] = static_cast<std::uint32_t>(column);
    const SwitchId to = prepared_.destination(lid);
    for (const SwitchId s : open_.at(column)) {
      broken_[s].entries[lid % kLidsPerBlock] = 255;
      const bool is_below = state_.costs.down_cost(s, to) != kUnreachable;
      touch(s, is_below ? Has::kBelow : Has::kSome);
      is_below_ = is_below_ || is_below;
    }
  }

  void touch(SwitchId s, Has what) {
    if (has_broken_[s] == Has::kNone) touched_.push_back(s);
    has_broken_[s] = std::max(has_broken_[s], what);
  }

  void spread_upward() {
    for (const SwitchId s : tree_.ascending())
      if (has_broken_[s] == Has::kBelow) spread(s, tree_.up_groups(s), Has::kBelow);
  }

  void spread_downward() {
    const auto ascending = tree_.ascending();
    for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
      if (has_broken_[*it] != Has::kNone) spread(*it, tree_.down_groups(*it), Has::kSome);
  }

  // To the far ends of these groups of s, where they lead to s.
  void spread(SwitchId s, std::span<const PortGroup> groups, Has what) {
    const ByteBlock broken = ByteBlock::load(broken_[s].entries.data());
    for (const PortGroup& g : groups) {
      const PortNum* const entries = prepared_.reference().tables.row(g.remote).data() + block_ * kLidsPerBlock;
      const ByteBlock row = ByteBlock::load(entries);
      ByteBlock leads_here;
      for (const PortNum port : tree_.ports(g)) {
        const PortNum far = prepared_.fabric().peer(s, port).port;
        leads_here = leads_here | equal(row, ByteBlock(static_cast<std::uint8_t>(index(far))));
      }
      const ByteBlock found = leads_here & broken;
      if (!found.any()) continue;
      std::uint8_t* const to = broken_[g.remote].entries.data();
      (ByteBlock::load(to) | found).store(to);
      touch(g.remote, what);
    }
  }

  void collect(std::size_t begin, std::size_t end, std::uint32_t* counts, Leaves& leaves) {
    found_.clear();
    for (const SwitchId x : prepared_.leaves()) {
      if (has_broken_[x] == Has::kNone || !state_.is_alive(x)) continue;
      ByteBlock::load(broken_[x].entries.data()).for_each_set([&](std::size_t slot) {
        const std::uint32_t column = columns_[slot];
        if (column == kNone || !state_.reaches(x, prepared_.destination(open_.columns[column]))) return;
        found_.emplace_back(column, prepared_.leaf(x));
        ++counts[column];
      });
    }
    std::size_t next = leaves.size();
    leaves.resize(next + found_.size());
    for (std::size_t i = begin; i < end; ++i)
      if (const std::size_t slot = open_.columns[i] % kLidsPerBlock; columns_[slot] != kNone) {
        next_[slot] = next;
        next += counts[i];
      }
    for (const auto& [column, leaf] : found_) leaves[next_[open_.columns[column] % kLidsPerBlock]++] = leaf;
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  const FatTree& tree_;
  const OpenEntries& open_;
  std::size_t block_ = 0;
  bool is_below_ = false;
  IdVector<SwitchId, Row> broken_;
  IdVector<SwitchId, Has> has_broken_;
  std::vector<SwitchId> touched_;                       // who has any
  std::array<std::uint32_t, kLidsPerBlock> columns_{};  // of hosts, per LID of the block
  std::array<std::size_t, kLidsPerBlock> next_{};
  LargeVector<std::pair<std::uint32_t, std::uint32_t>> found_;  // column, leaf
};

// Where each block of columns begins, those of 64 consecutive LIDs, and where the last ends.
std::vector<std::size_t> blocks_of(const std::vector<std::uint32_t>& columns) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (i == 0 || columns[i] / kLidsPerBlock != columns[i - 1] / kLidsPerBlock) first.push_back(i);
  first.push_back(columns.size());
  return first;
}

bool has_odd_entries(const WorkingState& state, const OpenEntries& open, std::size_t begin, std::size_t end) {
  return std::any_of(open.columns.begin() + begin, open.columns.begin() + end,
                     [&](std::uint32_t lid) { return !state.prepared.odd(lid).empty(); });
}

}  // namespace

BrokenFlows::BrokenFlows(const WorkingState& state, const OpenEntries& open) : first_(open.columns.size() + 1) {
  const std::vector<std::size_t> blocks = blocks_of(open.columns);
  std::vector<Leaves> found(blocks.size() - 1);  // of blocks that one thread looks at together, at the first of them
  std::uint32_t* const counts = first_.data() + 1;
  parallel_blocks(found.size(), kBlocks, [&](std::size_t begin, std::size_t end) {
    PathSearch by_path(state, open);
    BlockSearch by_block(state, open);
    for (std::size_t b = begin; b < end; ++b) {
      if (!has_odd_entries(state, open, blocks[b], blocks[b + 1]))
        by_block.find(blocks[b], blocks[b + 1], counts, found[begin]);
      else
        for (std::size_t i = blocks[b]; i < blocks[b + 1]; ++i)
          counts[i] = by_path.find(static_cast<std::uint32_t>(i), found[begin]);
    }
  });
  for (std::size_t i = 0; i < open.columns.size(); ++i) first_[i + 1] += first_[i];
  leaves_.reserve(first_.back());
  for (const Leaves& of_block : found) leaves_.insert(leaves_.end(), of_block.begin(), of_block.end());
}

}  // namespace espalier
