// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/min_conflicts.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

constexpr std::int64_t kShift = 1 << 20;  // What a shift is worth, shared by all of its conflicts.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

}  // namespace

MinConflicts::MinConflicts(const Setting& setting, std::span<const Pieces> pieces, LoadBytes& loads,
                           std::span<HostColumns> columns)
    : problem_(setting.problem),
      channels_(setting.channels),
      weights_(setting.weights),
      below_(setting.below),
      pieces_(pieces),
      loads_(loads),
      columns_(columns),
      phases_(loads.phases()),
      from_(channels_.size()) {
  for (const SwitchId s : problem_.fabric.switches()) {
    const std::size_t end = index(s) + 1 < problem_.fabric.num_switches()
                                ? index(channels_.first(id_at<SwitchId>(index(s) + 1)))
                                : channels_.size();
    for (std::size_t c = index(channels_.first(s)); c < end; ++c) from_[id_at<TreeChannelId>(c)] = s;
  }
}

std::uint64_t MinConflicts::run(std::uint64_t steps, const Deadline& deadline) {
  left_ = steps;
  deadline_ = &deadline;
  for (bool is_better = true; is_better && has_time();) {
    is_better = false;
    while (has_time() && relieve_worst()) is_better = true;
    for (std::uint32_t limit = kBalanced.first_conflicts; limit <= kBalanced.most_conflicts && has_time(); limit *= 2)
      is_better = relieve_means(limit) || is_better;
  }
  if (columns_.size() > 1) even_out();
  return left_;
}

// Each conflict of the worst shifts once. Whether there is less of them now.
bool MinConflicts::relieve_worst() {
  worst_ = *std::max_element(loads_.most().begin(), loads_.most().end());
  const std::uint8_t worst = worst_;
  return relieve_phases([&](std::size_t phase) { return loads_.most()[phase] == worst; });
}

// Shifts with at most so many conflicts.
bool MinConflicts::relieve_means(std::uint32_t most_conflicts) {
  return relieve_phases(
      [&](std::size_t phase) { return loads_.most()[phase] > 1 && loads_.num_fullest(phase) <= most_conflicts; });
}

// Each conflict of these shifts, up to the first in a shift that stays. Whether a flow moved.
template <class IsWanted>
bool MinConflicts::relieve_phases(IsWanted is_wanted) {
  const auto most = loads_.most();
  bool is_better = false;
  std::vector<LoadBytes::Fullest> found;
  for (std::size_t begin = 0; begin < phases_.size() && has_time(); begin += LoadBytes::kPhasesOfBlock) {
    std::uint8_t bytes[LoadBytes::kPhasesOfBlock] = {};
    bool is_any = false;
    for (std::size_t i = 0; i < LoadBytes::kPhasesOfBlock && begin + i < phases_.size(); ++i)
      if (is_wanted(begin + i)) {
        bytes[i] = 255;
        is_any = true;
      }
    if (!is_any) continue;
    loads_.find_fullest({begin / LoadBytes::kPhasesOfBlock, ByteBlock::load(bytes)}, found);
    spend(channels_.size() / kBalanced.channels_per_step);
    std::size_t given_up = phases_.size(), current = phases_.size();
    std::uint8_t before = 0;
    for (const auto [phase, c] : found) {
      if (phase != current) before = most[phase];
      current = phase;
      if (phase == given_up || most[phase] != before || loads_.load(phase, c) != before || !has_time()) continue;
      if (relieve(phase, c))
        is_better = true;
      else
        given_up = phase;
    }
  }
  return is_better;
}

// Takes a flow off a channel that has the most under this phase.
bool MinConflicts::relieve(std::size_t phase, TreeChannelId c) {
  best_gain_ = 0;
  find_flows(phase, c);
  enough_ = weight_of_conflict(phase);
  for (const Flow& flow : flows_)
    if (best_gain_ < enough_) try_flow(phase, c, flow);
  if (best_gain_ <= 0) return false;
  apply();
  return true;
}

// Who may use the channel are the hosts below it if it leads up, else all who send to one of these; who does is known from
// their entries, which are all over the columns: so these are fetched ahead.
void MinConflicts::find_flows(std::size_t phase, TreeChannelId c) {
  flows_.clear();
  const SwitchId s = from_[c];
  const std::uint8_t number = channels_.number(s, c);
  const bool is_up = number < channels_.num_up(s);
  for (const std::uint32_t a : below_.sources(below_.set(is_up ? s : channels_.remote(c)))) {
    const HostRun& run = phases_.sources()[a];
    for (std::uint32_t h = run.first; h < run.last; ++h) {
      const std::uint32_t other = is_up ? phases_.receiver(phase, h) : phases_.sender(phase, h);
      if (other == Phases::kNobody) continue;
      const std::uint32_t host = is_up ? other : h;
      const std::uint32_t source = is_up ? a : phases_.source_of(other);
      if (source == phases_.source_of(host) || pieces_[0].stays(host)) continue;
      for (std::uint32_t offset = columns_.size() > 1 ? 1 : 0; offset < columns_.size(); ++offset) {
        const Flow flow{source, {host, offset}};
        __builtin_prefetch(column(flow.to) + index(s));
        __builtin_prefetch(column(flow.to) + index(phases_.sources()[source].at));
        flows_.push_back(flow);
      }
    }
  }
  spend(flows_.size() / kBalanced.flows_per_step);
  std::erase_if(flows_, [&](const Flow& flow) {
    return column(flow.to)[index(s)] != number || !passes(flow.source, flow.to, s);
  });
}

// Whether its flows there come to the switch.
bool MinConflicts::passes(std::uint32_t source, const Destination& to, SwitchId at) const {
  const std::uint8_t* const numbers = column(to);
  SwitchId s = phases_.sources()[source].at;
  while (s != at && numbers[index(s)] != kNoHop) s = channels_.remote(channels_.at(s, numbers[index(s)]));
  return s == at;
}

// Another path at each switch up to the one where it takes c.
void MinConflicts::try_flow(std::size_t phase, TreeChannelId c, const Flow& flow) {
  const std::uint8_t* const numbers = column(flow.to);
  for (SwitchId s = phases_.sources()[flow.source].at;;) {
    try_changes(phase, s, flow.to);
    if (s == from_[c] || best_gain_ >= enough_) return;
    s = channels_.remote(channels_.at(s, numbers[index(s)]));
  }
}

void MinConflicts::find_old_path(SwitchId at, const Destination& to) {
  old_path_.clear();
  old_switches_.clear();
  const std::uint8_t* const numbers = column(to);
  for (SwitchId s = at; numbers[index(s)] != kNoHop;) {
    const TreeChannelId c = channels_.at(s, numbers[index(s)]);
    s = channels_.remote(c);
    old_path_.push_back(c);
    old_switches_.push_back(s);
  }
}

// Up to where it meets the old one. False: fits(channel) was not true of one of its channels.
template <class Fits>
bool MinConflicts::find_new_path(const Change& change, Fits fits) {
  const std::uint8_t* const numbers = column(change.to);
  new_path_.clear();
  SwitchId s = change.at;
  for (std::uint8_t number = change.number;; number = numbers[index(s)]) {
    const TreeChannelId c = channels_.at(s, number);
    if (!fits(c)) return false;
    new_path_.push_back(c);
    s = channels_.remote(c);
    const auto met = std::find(old_switches_.begin(), old_switches_.end(), s);
    if (met == old_switches_.end()) continue;
    old_end_ = static_cast<std::size_t>(met - old_switches_.begin()) + 1;
    return true;
  }
}

void MinConflicts::try_changes(std::size_t phase, SwitchId at, const Destination& to) {
  has_windows_ = false;
  find_old_path(at, to);
  // With one flow more it has to stay below what is the most under this phase.
  const auto is_better = [&](TreeChannelId c) {
    spend(1);
    return loads_.load(phase, c) + weights_.of[c] < loads_.most()[phase];
  };
  visit_changes(at, to, [&](const Change& change) {
    if (best_gain_ >= enough_ || !find_new_path(change, is_better)) return;
    if (!has_windows_) find_windows(at, to);
    const std::int64_t now = gain(new_path_.size(), old_end_);
    if (now <= best_gain_ || meets_another_offset(to) || crowds_a_phase(to)) return;
    best_gain_ = now;
    best_ = change;
  });
}

// visit(change) for each other channel that the switch may take.
template <class Visit>
void MinConflicts::visit_changes(SwitchId at, const Destination& to, Visit visit) {
  const std::uint32_t of_host = phases_.source_of(to.host);
  const SwitchId t = phases_.sources()[of_host].at;
  const bool goes_down = problem_.costs.down_cost(at, t) != kUnreachable;
  const auto groups = goes_down ? problem_.tree.down_groups(at) : problem_.tree.up_groups(at);
  std::size_t number = goes_down ? channels_.num_up(at) : 0;
  const std::uint8_t before = column(to)[index(at)];
  for (const PortGroup& g : groups) {
    const bool is_closer = problem_.costs.leads_closer(at, g.remote, t);
    for (std::size_t i = 0; i < g.num_ports; ++i, ++number)
      if (is_closer && number != before && may_take(to, at, of_host, number))
        visit(Change{to, at, static_cast<std::uint8_t>(number)});
  }
}

// How much less conflicts there are if the flows change their path; kNever: they must not.
std::int64_t MinConflicts::gain(std::size_t new_end, std::size_t old_end) {
  for (const LoadBytes::Window& window : windows_)
    for (std::size_t i = 0; i < new_end; ++i) {
      spend(1);
      if (!loads_.has_room(window, new_path_[i])) return kNever;
    }
  std::int64_t sum = 0;
  for (const LoadBytes::Window& window : windows_) {
    for (std::size_t i = 0; i < old_end; ++i)
      loads_.visit_fullest(window, old_path_[i], false, [&](std::size_t y) { sum += weight_of_conflict(y); });
    for (std::size_t i = 0; i < new_end; ++i)
      loads_.visit_fullest(window, new_path_[i], true, [&](std::size_t y) { sum -= weight_of_conflict(y); });
  }
  spend(windows_.size() * (new_end + old_end));
  return sum;
}

std::int64_t MinConflicts::weight_of_conflict(std::size_t phase) const {
  return (loads_.most()[phase] == worst_ ? kBalanced.worst_shift_weight : 1) * kShift / loads_.num_fullest(phase);
}

// Whether from a source that comes to the switch at hand the other offsets lead over more switches of the new path, where that
// meets the old one left out, than of the old path, or from all of these sources over more channels.
bool MinConflicts::meets_another_offset(const Destination& to) {
  if (columns_.size() == 1) return false;
  spend(passing_.size() * columns_.size());
  const std::span<const TreeChannelId> left = std::span(old_path_).first(old_end_);
  const auto count = [](std::span<const TreeChannelId> path, TreeChannelId c) {
    return std::find(path.begin(), path.end(), c) != path.end() ? 1 : 0;
  };
  const auto leads_to = [&](std::span<const TreeChannelId> path, SwitchId s) {
    return std::any_of(path.begin(), path.end() - 1, [&](TreeChannelId c) { return channels_.remote(c) == s; }) ? 1 : 0;
  };
  std::ptrdiff_t more_channels = 0;
  for (const std::uint32_t source : passing_) {
    std::ptrdiff_t more_switches = 0;
    for (std::uint32_t other = 0; other < columns_.size(); ++other) {
      if (other == to.offset) continue;
      const std::uint8_t* const numbers = column({to.host, other});
      for (SwitchId s = phases_.sources()[source].at; numbers[index(s)] != kNoHop;) {
        const TreeChannelId c = channels_.at(s, numbers[index(s)]);
        more_channels += count(new_path_, c) - count(left, c);
        s = channels_.remote(c);
        more_switches += leads_to(new_path_, s) - leads_to(left, s);
      }
    }
    if (more_switches > 0) return true;
  }
  return more_channels > 0;
}

// Whether too many hosts of a small type would meet on the new path.
bool MinConflicts::crowds_a_phase(const Destination& to) {
  if (of_types_.empty()) return false;
  return !std::ranges::all_of(passing_, [&](std::uint32_t source) {
    spend(new_path_.size());
    return of_types_[to.offset].has_room(columns_[to.offset], source, to.host, new_path_);
  });
}

// Flows to all other offsets once more, as long as one moves.
void MinConflicts::even_out() {
  PairLoads pairs(problem_.fabric.num_switches(), channels_, weights_, phases_);
  for (std::uint32_t host = 0; host < phases_.num_hosts() && has_time(); ++host)
    for (const HostColumns& columns : columns_) {
      pairs.add(columns.column(host));
      spend(phases_.sources().size());
    }
  for (bool is_better = true; is_better && has_time();) {
    is_better = false;
    for (std::uint32_t host = 0; host < phases_.num_hosts(); ++host)
      for (std::uint32_t offset = 1; offset < columns_.size() && !pieces_[0].stays(host) && has_time(); ++offset)
        is_better = even_out({host, offset}, pairs) || is_better;
  }
}

// At each switch on the way there. Whether one has changed.
bool MinConflicts::even_out(const Destination& to, PairLoads& pairs) {
  bool has_changed = false;
  const auto follow = [&] {
    pairs.follow(columns_[to.offset].column(to.host));
    spend(phases_.sources().size());
  };
  follow();
  const std::vector<SwitchId> switches = pairs.reached();
  for (const SwitchId at : switches) {
    const std::uint32_t hosts = pairs.hosts(at);
    if (hosts == 0) continue;  // nobody comes here any more
    double most = 0;
    has_windows_ = false;
    find_old_path(at, to);
    visit_changes(at, to, [&](const Change& change) {
      (void)find_new_path(change, [](TreeChannelId) { return true; });
      spend(new_path_.size());
      const double now = pairs.fall(hosts, std::span(old_path_).first(old_end_), new_path_);
      if (now <= most) return;
      if (!has_windows_) find_windows(at, to);
      if (gain(new_path_.size(), old_end_) < 0 || meets_another_offset(to) || crowds_a_phase(to)) return;
      most = now;
      best_ = change;
    });
    if (most == 0) continue;
    apply();
    pairs.move(hosts, old_path_, new_path_);
    follow();
    has_changed = true;
  }
  return has_changed;
}

// Whose flows come to the switch, and in which phases.
void MinConflicts::find_windows(SwitchId at, const Destination& to) {
  has_windows_ = true;
  windows_.clear();
  passing_.clear();
  const std::uint32_t of_host = phases_.source_of(to.host);
  const auto add_source = [&](std::uint32_t a) {
    if (a == of_host || !passes(a, to, at)) return;
    passing_.push_back(a);
    add_windows(a, to);
  };
  if (problem_.costs.down_cost(at, phases_.sources()[of_host].at) != kUnreachable) {
    for (std::uint32_t a = 0; a < phases_.sources().size(); ++a) add_source(a);
    spend(phases_.sources().size());
  } else {
    for (const std::uint32_t a : below_.sources(below_.set(at))) add_source(a);
  }
  spend(windows_.size());
}

void MinConflicts::add_windows(std::uint32_t source, const Destination& to) {
  std::size_t begin = 0, end = 0;
  const auto add = [&] {
    while (begin < end) {
      const std::size_t last = std::min(end, (begin / LoadBytes::kPhasesOfBlock + 1) * LoadBytes::kPhasesOfBlock);
      windows_.push_back(LoadBytes::window(begin, last));
      begin = last;
    }
  };
  const HostRun& run = phases_.sources()[source];
  for (std::uint32_t h = run.first; h < run.last; ++h)
    phases_.visit_meetings(h, to.host, [&](std::size_t y) {
      if (y != end || begin == end) {
        add();
        begin = y;
      }
      end = y + 1;
    });
  add();
}

void MinConflicts::apply() {
  const auto [to, at, number] = best_;
  find_old_path(at, to);
  (void)find_new_path(best_, [](TreeChannelId) { return true; });
  find_windows(at, to);
  column(to)[index(at)] = number;
  old_path_.resize(old_end_);
  if (!of_types_.empty())
    for (const std::uint32_t source : passing_) {
      of_types_[to.offset].remove(columns_[to.offset], source, to.host, old_path_);
      of_types_[to.offset].add(columns_[to.offset], source, to.host, new_path_);
    }
  // First added, then removed: a maximum only falls when all is done.
  for (const LoadBytes::Window& window : windows_)
    for (const TreeChannelId c : new_path_) loads_.add(window, c);
  for (const LoadBytes::Window& window : windows_)
    for (const TreeChannelId c : old_path_) loads_.remove(window, c);
  spend(kBalanced.steps_per_change * windows_.size() * (new_path_.size() + old_path_.size()));
}

}  // namespace espalier
