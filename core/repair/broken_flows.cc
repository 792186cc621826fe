// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/broken_flows.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kColumns = 64;  // that one thread looks at together

class Search {
 public:
  Search(const WorkingState& state, const OpenEntries& open)
      : state_(state),
        prepared_(state.prepared),
        open_(open),
        broken_(prepared_.fabric().num_switches()),
        asked_(prepared_.fabric().num_switches()) {}

  // Appends those of one column.
  void find(std::uint32_t column, std::vector<std::uint32_t>& leaves) {
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

 private:
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

}  // namespace

BrokenFlows::BrokenFlows(const WorkingState& state, const OpenEntries& open) : first_(open.columns.size() + 1) {
  const std::size_t count = open.columns.size();
  std::vector<std::vector<std::uint32_t>> found((count + kColumns - 1) / kColumns);
  parallel_for(found.size(), [&](std::size_t part) {
    Search search(state, open);
    for (std::size_t i = part * kColumns; i < std::min(count, (part + 1) * kColumns); ++i) {
      const std::size_t before = found[part].size();
      search.find(static_cast<std::uint32_t>(i), found[part]);
      first_[i + 1] = static_cast<std::uint32_t>(found[part].size() - before);
    }
  });
  for (std::size_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
  leaves_.reserve(first_.back());
  for (const std::vector<std::uint32_t>& part : found) leaves_.insert(leaves_.end(), part.begin(), part.end());
}

}  // namespace espalier
