// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who finds no path takes steps along a tree.
#include <algorithm>
#include <utility>

#include "core/repair/lanes/column_repair.h"

namespace espalier {

// A few at first, to a switch whose path goes on from there: if all went the whole way along the tree, its channels would be by
// far the fullest. Each switch tries that once. After that it goes the whole way, as all do then that it passes, for good: so
// this comes to an end.
void ColumnRepair::take_tree(std::vector<SwitchId>& open, const EscapeTree& tree) {
  const std::vector<PortNum> toward = tree.toward(t_);
  const std::size_t num_switches = routing_.fabric().num_switches();
  std::vector<std::uint8_t> is_pinned(num_switches, 0), has_tried(num_switches, 0);
  while (!open.empty()) {
    const SwitchId s = open.front();
    std::vector<SwitchId> path;
    if (std::exchange(has_tried[index(s)], std::uint8_t{1}) == 0) path = first_steps(s, toward, tree.sl());
    const bool is_for_good = path.empty();
    for (SwitchId at = s; is_for_good && at != t_ && is_pinned[index(at)] == 0; at = next(at, toward)) {
      if (toward[index(at)] == kNoPort) return;
      path.push_back(at);
      is_pinned[index(at)] = 1;
    }
    if (path.empty() || !take_steps(path, open, toward, tree.sl())) return;
    settle_on_any_level(open);
  }
}

SwitchId ColumnRepair::next(SwitchId s, const std::vector<PortNum>& ports) const {
  return routing_.fabric().peer(s, ports[index(s)]).as_switch();
}

// The least steps of s along the tree that lead to a switch whose path can be taken from there. Empty: there are none.
std::vector<SwitchId> ColumnRepair::first_steps(SwitchId s, const std::vector<PortNum>& toward, std::uint8_t sl) {
  std::vector<SwitchId> path;
  std::vector<PortNum> entries;
  const std::size_t mark = routing_.num_added();
  bool fits = false;
  for (SwitchId at = s; !fits && at != t_ && toward[index(at)] != kNoPort;) {
    path.push_back(at);
    entries.push_back(routing_.entry(at, lid_));
    set(at, toward[index(at)]);
    at = next(at, toward);
    fits = at != t_ && has_path_beside(at, path) && routing_.admit(s, t_, lid_, sl, Adds::kWhatFits);
    routing_.take_back(mark);
  }
  for (std::size_t i = 0; i < path.size(); ++i) set(path[i], entries[i]);
  if (!fits) path.clear();
  return path;
}

// Whether s has a path to t that passes none of these.
bool ColumnRepair::has_path_beside(SwitchId s, const std::vector<SwitchId>& others) const {
  for (; s != t_; s = routing_.fabric().peer(s, routing_.entry(s, lid_)).as_switch())
    if (routing_.entry(s, lid_) == kNoPort || std::find(others.begin(), others.end(), s) != others.end()) return false;
  return true;
}

// These go along the tree, on its level; what was behind them is open.
bool ColumnRepair::take_steps(const std::vector<SwitchId>& path, std::vector<SwitchId>& open,
                              const std::vector<PortNum>& toward, std::uint8_t sl) {
  for (auto s = path.rbegin(); s != path.rend(); ++s) {
    if (routing_.entry(*s, lid_) != kNoPort) {
      const std::vector<SwitchId> more = split({*s});
      open.insert(open.end(), more.begin(), more.end());
    }
    std::erase(open, *s);
    if (!take_step(*s, toward[index(*s)], sl)) return false;
  }
  return true;
}

bool ColumnRepair::take_step(SwitchId s, PortNum port, std::uint8_t sl) {
  LanesNow& lanes = routing_.lanes();
  routing_.begin_column();
  set(s, port);
  if (!routing_.admit(s, t_, lid_, sl, Adds::kWhatFits)) return false;
  if (const std::uint8_t old = lanes.sl(lanes.sources(s).front(), lid_); old != sl) {
    first_levels_.push_back({s, old});
    if (!lanes.set_sl(s, lid_, sl)) return false;
  }
  if (num_host_lids_ > 0) load_path(s, num_host_lids_ * routing_.hosts(s));
  note_attached(s);
  is_moved_[index(s)] = 1;
  return true;
}

}  // namespace espalier
