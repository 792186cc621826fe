// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/column_repair.h"

#include <algorithm>
#include <array>

#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

constexpr std::array kBothAdds{LaneRouting::Adds::kWhatAgrees, LaneRouting::Adds::kWhatFits};

}  // namespace

ColumnRepair::ColumnRepair(LaneRouting& routing, Lid lid, SwitchId t, double limit)
    : routing_(routing),
      lid_(lid),
      t_(t),
      limit_(limit),
      attached_(routing.fabric().num_switches(), now_),
      found_none_(routing.fabric().num_switches(), 0),
      is_moved_(routing.fabric().num_switches(), 0),
      is_touched_(routing.fabric().num_switches(), 0) {
  const Fabric& fabric = routing_.fabric();
  for (const Lid one : routing_.alike().of(lid_))
    if (const EndportId host = fabric.endport_of(one); host != kNoEndport && is_host(fabric.at(host)))
      num_host_lids_ += 1;
  routing_.hold_column(lid);
  routing_.begin_column();
}

double ColumnRepair::flows_behind() const {
  double hosts = 0;
  for (const SwitchId s : behind_) hosts += routing_.hosts(s);
  return hosts * num_host_lids_;
}

void ColumnRepair::load_path(SwitchId s, double flows) {
  static_cast<void>(routing_.follow(s, t_, lid_, [&](ChannelId c) { routing_.add_load(c, flows); }));
}

void ColumnRepair::leave_old_paths(const std::vector<SwitchId>& open) {
  if (num_host_lids_ == 0) return;
  for (const SwitchId s : open) {
    collect_behind(s);
    routing_.leave_old_path(s, lid_, flows_behind());
  }
}

// Not what has been attached in this round, nor what has been tried before: what then closed a cycle does so now.
bool ColumnRepair::may_serve(SwitchId peer, SwitchId s) const {
  const Time attached = attached_[index(peer)];
  return attached <= round_began_ && attached > std::max(none_served_since_, found_none_[index(s)]);
}

// Ports that lead to a switch with a path, the best first.
std::vector<ColumnRepair::Candidate> ColumnRepair::candidates(SwitchId s, double flows, double limit) const {
  const Fabric& fabric = routing_.fabric();
  std::vector<Candidate> found;
  for (const PortNum port : fabric.ports(s)) {
    const Peer& peer = fabric.peer(s, port);
    if (!peer.is_switch() || !may_serve(peer.as_switch(), s)) continue;
    double price = 0;
    bool fits = true;
    const auto add = [&](ChannelId c) {
      price += routing_.price(c, flows);
      fits = fits && routing_.load_with(c, flows) <= limit;
    };
    add(fabric.channel(s, port));
    if (!routing_.follow(peer.as_switch(), t_, lid_, add)) continue;
    if (fits) found.push_back({port, price});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.price < b.price; });
  return found;
}

bool ColumnRepair::admit_on_some_level(SwitchId s, const Terms& terms) {
  LanesNow& lanes = routing_.lanes();
  const std::size_t mark = routing_.num_added();
  if (routing_.admit_as_is(s, t_, lid_, terms.adds)) return true;
  routing_.take_back(mark);
  const auto try_all = [&](const std::vector<std::uint8_t>& levels) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::uint8_t sl = levels[(index(s) + index(lid_) + i) % levels.size()];
      if (routing_.admit(s, t_, lid_, sl, terms.adds)) {
        old_levels_.push_back({s, lanes.sl(lanes.sources(s).front(), lid_)});
        return lanes.set_sl(s, lid_, sl);
      }
      routing_.take_back(mark);
    }
    return false;
  };
  return try_all(routing_.levels_in_use()) || (terms.levels == Levels::kSpare && try_all(routing_.spare_levels()));
}

std::uint64_t ColumnRepair::num_moved() const {
  std::uint64_t count = 0;
  for (const SwitchId s : routing_.fabric().switches())
    count += is_moved_[index(s)] != 0 && routing_.hosts(s) > 0 ? 1 : 0;
  return count * static_cast<std::uint64_t>(num_host_lids_);
}

std::uint64_t ColumnRepair::num_new_levels() const {
  std::vector<OldLevel> first = first_levels_;  // a switch may be there twice, the level of the reference first
  std::stable_sort(first.begin(), first.end(), [](const OldLevel& a, const OldLevel& b) { return a.at < b.at; });
  const auto same = [](const OldLevel& a, const OldLevel& b) { return a.at == b.at; };
  first.erase(std::unique(first.begin(), first.end(), same), first.end());
  const LanesNow& lanes = routing_.lanes();
  const auto changed = std::count_if(first.begin(), first.end(), [&](const OldLevel& old) {
    return lanes.knows(old.at, lid_) && lanes.sl(lanes.sources(old.at).front(), lid_) != old.sl;
  });
  return static_cast<std::uint64_t>(changed) * routing_.alike().of(lid_).size();
}

// Whether admit_all() would, where only what agrees may be added; costs less where it would not.
bool ColumnRepair::agree_all(const Terms& terms) {
  const auto on_any = [this](const std::vector<std::uint8_t>& levels, SwitchId s) {
    return std::any_of(levels.begin(), levels.end(), [&](std::uint8_t sl) { return routing_.agrees(s, t_, lid_, sl); });
  };
  return std::all_of(behind_.begin(), behind_.end(), [&](SwitchId s) {
    if (routing_.agrees_as_is(s, t_, lid_)) return true;
    if (terms.levels == Levels::kKept && routing_.lanes().knows(s, lid_)) return false;
    return on_any(routing_.levels_in_use(), s) ||
           (terms.levels == Levels::kSpare && on_any(routing_.spare_levels(), s));
  });
}

// All of behind_ along the entry that its first has now.
bool ColumnRepair::admit_all(const Terms& terms) {
  if ((terms.adds == Adds::kWhatAgrees || !routing_.may_search()) && !agree_all(terms)) return false;
  const std::size_t mark = routing_.num_added();
  old_levels_.clear();
  for (const SwitchId s : behind_) {
    if (terms.levels != Levels::kKept || !routing_.lanes().knows(s, lid_)
            ? admit_on_some_level(s, terms)
            : routing_.admit_as_is(s, t_, lid_, terms.adds))
      continue;
    routing_.take_back(mark);
    for (const OldLevel& old : old_levels_) static_cast<void>(routing_.lanes().set_sl(old.at, lid_, old.sl));
    return false;
  }
  first_levels_.insert(first_levels_.end(), old_levels_.begin(), old_levels_.end());
  return true;
}

bool ColumnRepair::attach(SwitchId s, const Terms& terms) {
  collect_behind(s);
  routing_.begin_batch(behind_);
  const double flows = flows_behind();
  for (const Candidate& candidate : candidates(s, flows, terms.limit)) {
    set(s, candidate.port);
    routing_.begin_try();
    if (admit_all(terms)) {
      load_path(s, flows);
      for (const SwitchId b : behind_) is_moved_[index(b)] = 1;
      return true;
    }
    set(s, kNoPort);
  }
  return false;
}

// Attaches those of `open` that can be, from the nearest to the farthest.
void ColumnRepair::settle(std::vector<SwitchId>& open, const Terms& terms) {
  if (terms.adds == Adds::kWhatFits && !routing_.may_search()) return;  // what agrees has been tried before
  none_served_since_ = 0;
  for (std::size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
    before = open.size();
    round_began_ = now_;
    std::erase_if(open, [&](SwitchId s) {
      if (!attach(s, terms)) return false;
      for (const SwitchId b : behind_) note_attached(b);
      return true;
    });
    none_served_since_ = round_began_;
  }
  none_served_since_ = 0;
}

// Takes away the entries behind these; returns all that have none now.
std::vector<SwitchId> ColumnRepair::split(const std::vector<SwitchId>& open) {
  routing_.begin_column();
  std::vector<SwitchId> single;
  for (const SwitchId s : open) {
    collect_behind(s);
    if (num_host_lids_ > 0)
      for (const SwitchId b : behind_) load_path(b, -num_host_lids_ * routing_.hosts(b));
    for (const SwitchId b : behind_) set(b, kNoPort);
    single.insert(single.end(), behind_.begin(), behind_.end());
  }
  return single;
}

// Takes away all entries but those of `t`; returns all that have none now.
std::vector<SwitchId> ColumnRepair::clear(const std::vector<SwitchId>& open) {
  std::vector<SwitchId> roots = open;
  const Fabric& fabric = routing_.fabric();
  for (const PortNum p : fabric.ports(t_)) {
    const Peer& peer = fabric.peer(t_, p);
    if (!peer.is_switch() || routing_.entry(peer.as_switch(), lid_) != peer.port) continue;
    roots.push_back(peer.as_switch());
  }
  return split(roots);
}

void ColumnRepair::settle_within(std::vector<SwitchId>& open, Levels levels, double limit) {
  for (const Adds adds : kBothAdds) settle(open, {levels, adds, limit});
}

void ColumnRepair::settle_on_any_level(std::vector<SwitchId>& open) {
  for (const double limit : {limit_, kNoLimit}) {
    settle_within(open, Levels::kAny, limit);
    if (!routing_.spare_levels().empty()) settle_within(open, Levels::kSpare, limit);
    if (limit == kNoLimit) break;
  }
  for (const SwitchId s : open) found_none_[index(s)] = round_began_;
}

void ColumnRepair::run(std::vector<SwitchId>& open, const EscapeTree* tree) {
  find_paths(open, tree);
  share_entries();
}

// With those that are alike.
void ColumnRepair::share_entries() {
  for (const Lid other : routing_.alike().of(lid_).subspan(1))
    for (const SwitchId s : routing_.fabric().switches())
      if (is_touched_[index(s)] != 0) routing_.set(s, other, routing_.entry(s, lid_));
}

void ColumnRepair::find_paths(std::vector<SwitchId>& open, const EscapeTree* tree) {
  leave_old_paths(open);
  settle_within(open, Levels::kKept, limit_);
  if (routing_.levels_in_use().size() > 1) settle_within(open, Levels::kAny, limit_);
  if (open.empty()) return;
  open = split(open);
  settle_on_any_level(open);
  if (open.empty()) return;
  if (tree != nullptr) return take_tree(open, *tree);
  open = clear(open);
  settle_within(open, Levels::kAny, kNoLimit);
}

}  // namespace espalier
