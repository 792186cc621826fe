// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/changes/sound_tables.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/analysis/routes/walk.h"
#include "core/analysis/soundness/changes/switch_match.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/entry_checker.h"
#include "core/base/parallel.h"
#include "core/base/topological_order.h"
#include "core/fabric/connectivity/connected_components.h"

namespace espalier {

// One verification of a change. Switches and channels are those of before; counts of a switch that is gone are 0.
class ChangeCheck {
 public:
  ChangeCheck(const SoundTables& base, const Fabric& now, const SwitchMatch& match, const TableRows& tables)
      : base_(base),
        now_(now),
        match_(match),
        tables_(tables),
        lids_(owned_lids(now)),
        own_(base.fabric_.num_channels(), kNotOwn) {}

  // The report; nothing where something is wrong.
  [[nodiscard]] std::optional<VerifyReport> run() {
    find_changes();
    for (const SwitchId s : lost_) count_lost_channels(s);
    for (const SwitchId s : rewired_) {
      count_lost_channels(s);
      find_dead_entries(s);
    }
    for (const std::size_t lid : lost_lids_) forget(lid);
    for (const auto& [s, lids] : changed_)
      for (const Lid lid : lids) move(s, lid);
    if (!is_right_) return std::nullopt;
    VerifyReport report;
    for (const LidRange& range : lids_) report.num_entries += (range.end - range.first) * now_.num_switches();
    if (!renew_graph(report)) return std::nullopt;
    return report;
  }

 private:
  struct Changes {
    SwitchId at;
    std::vector<Lid> lids;
  };

  void find_changes() {
    for (const SwitchId s : base_.fabric_.switches()) {
      if (is_lost(s)) {
        lost_.push_back(s);
        continue;
      }
      bool rewired = false;
      for (const PortNum p : base_.fabric_.ports(s)) rewired = rewired || has_lost(s, p);
      if (rewired) rewired_.push_back(s);
    }
    for (std::size_t lid = 1; lid < base_.tables_.width(); ++lid)
      if (base_.fabric_.is_in_use(id_at<Lid>(lid)) && (lid >= tables_.width() || !now_.is_in_use(id_at<Lid>(lid))))
        lost_lids_.push_back(lid);
    std::vector<std::vector<Lid>> found(base_.fabric_.num_switches());
    parallel_blocks(found.size(), 8, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        if (!is_lost(id_at<SwitchId>(i))) compare_rows(id_at<SwitchId>(i), found[i]);
    });
    for (std::size_t i = 0; i < found.size(); ++i)
      if (!found[i].empty()) changed_.push_back({id_at<SwitchId>(i), std::move(found[i])});
  }

  void compare_rows(SwitchId s, std::vector<Lid>& found) const {
    const PortNum* const was = base_.tables_.row(s).data();
    // What is the same memory need not be read.
    tables_.row(match_.now[s]).for_each_block_apart(was, [&](std::size_t first, const PortNum* is, std::size_t size) {
      if (std::memcmp(was + first, is, size) == 0) return;
      for (std::size_t i = 0; i < size; ++i)
        if (was[first + i] != is[i] && now_.is_in_use(id_at<Lid>(first + i))) found.push_back(id_at<Lid>(first + i));
    });
  }

  [[nodiscard]] bool is_lost(SwitchId s) const { return match_.now[s] == kNoSwitch; }
  // What is at this port now. REQUIRES: s is not lost.
  [[nodiscard]] const Peer& peer(SwitchId s, PortNum port) const { return now_.peer(match_.now[s], port); }
  // Whether nothing is at this port any more. REQUIRES: s is not lost.
  [[nodiscard]] bool has_lost(SwitchId s, PortNum port) const {
    return peer(s, port).kind != base_.fabric_.peer(s, port).kind;
  }
  [[nodiscard]] PortNum entry(SwitchId s, Lid lid) const { return tables_.at(match_.now[s], lid); }

  // The counts of this channel of s, to be changed. REQUIRES: it led to a switch.
  std::uint16_t* own_counts(SwitchId s, PortNum out) {
    std::uint32_t& own = own_[index(base_.fabric_.channel(s, out))];
    if (own == kNotOwn) {
      own = static_cast<std::uint32_t>(counts_.size());
      const auto was = base_.pairs_.counts(s, out);
      counts_.insert(counts_.end(), was.begin(), was.end());
      counted_.emplace_back(s, out);
    }
    return counts_.data() + own;
  }
  std::uint16_t& count(SwitchId s, PortNum out, PortNum next) {
    return own_counts(s, out)[std::min<std::size_t>(index(next), base_.pairs_.width(s) - 1)];
  }

  // The switch behind a port, as it was and is: kNoSwitch: none.
  [[nodiscard]] SwitchId behind(SwitchId s, PortNum port) const {
    if (index(port) > base_.fabric_.at(s).num_ports || port == kManagementPort) return kNoSwitch;
    return peer(s, port).is_switch() ? base_.fabric_.peer(s, port).as_switch() : kNoSwitch;
  }

  // No dependency of these channels stays, whatever their counts.
  void count_lost_channels(SwitchId s) {
    for (const PortNum port : base_.fabric_.ports(s)) {
      if (base_.fabric_.peer(s, port).is_switch() && (is_lost(s) || has_lost(s, port))) own_counts(s, port);
    }
  }

  // Entries that still lead to what this switch has lost. Its other entries are right if they were.
  void find_dead_entries(SwitchId s) {
    const PortNum* const row = tables_.row(match_.now[s]).in_one_piece(buffer_);
    const PortNum* const end = row + tables_.width();
    for (const PortNum port : base_.fabric_.ports(s)) {
      if (!has_lost(s, port)) continue;
      for (const PortNum* entry = row; entry != end; ++entry) {
        entry = static_cast<const PortNum*>(
            std::memchr(entry, static_cast<int>(index(port)), static_cast<std::size_t>(end - entry)));
        if (entry == nullptr) break;
        if (now_.is_in_use(id_at<Lid>(static_cast<std::size_t>(entry - row)))) is_right_ = false;
      }
    }
  }

  // Nobody owns this LID any more.
  void forget(std::size_t lid) {
    for (const SwitchId s : base_.fabric_.switches()) {
      if (is_lost(s)) continue;
      const PortNum port = base_.tables_.at(s, id_at<Lid>(lid));
      if (const SwitchId next = behind(s, port); next != kNoSwitch)
        --count(s, port, base_.tables_.at(next, id_at<Lid>(lid)));
    }
  }

  // The entry of s for this LID, and what others' entries make with it.
  void move(SwitchId s, Lid lid) {
    const PortNum was = base_.tables_.at(s, lid);
    const PortNum is = entry(s, lid);
    if (const SwitchId next = behind(s, was); next != kNoSwitch) --count(s, was, base_.tables_.at(next, lid));
    if (const SwitchId next = behind(s, is); next != kNoSwitch)
      ++count(s, is, entry(next, lid));
    else
      check_entry(match_.now[s], lid);
    for (const PortNum p : base_.fabric_.ports(s)) {
      const SwitchId before = behind(s, p);
      if (before == kNoSwitch) continue;
      const PortNum in = entry(before, lid);
      if (in != peer(s, p).port || in != base_.tables_.at(before, lid)) continue;
      --count(before, in, was);
      ++count(before, in, is);
    }
  }

  // `s`: as it is numbered now.
  void check_entry(SwitchId s, Lid lid) {
    const SwitchId t = now_.destination_switch(lid);
    switch (step_through(now_, tables_.at(s, lid), s, lid).kind) {
      case Step::Kind::kForward:
      case Step::Kind::kDelivered:
        is_right_ = is_right_ && index(lid) < now_.at(s).lft_capacity;
        return;
      case Step::Kind::kMissingEntry:
        is_right_ = is_right_ && (t == kNoSwitch || !are_connected(s, t));
        return;
      case Step::Kind::kBadPort:
      case Step::Kind::kWrongDelivery:
        is_right_ = false;
    }
  }

  // What few ask: whether a missing entry is missed.
  bool are_connected(SwitchId s, SwitchId t) {
    if (!part_) part_ = connected_components(now_);
    return (*part_)[s] == (*part_)[t];
  }

  // False: there is a cycle.
  bool renew_graph(VerifyReport& report) {
    report.num_dependencies = base_.num_dependencies_;
    using Next = ChannelDependencies::Next;
    struct Turn {
      ChannelId from;
      PortNum port;
      Next next;
    };
    std::vector<Turn> changed;
    bool in_order = true;
    for (const auto& [s, port] : counted_) {
      const ChannelId c = base_.fabric_.channel(s, port);
      const bool is_there = !is_lost(s) && peer(s, port).is_switch();
      const std::uint16_t* const next = own_counts(s, port);
      const SwitchId far = base_.fabric_.peer(c).as_switch();
      for (const PortNum q : base_.fabric_.ports(far)) {
        const ChannelId out = base_.fabric_.channel(far, q);
        const bool is = is_there && next[index(q)] != 0 && peer(far, q).is_switch();
        if (is == base_.graph_.depends(c, q)) continue;
        changed.push_back({c, q, is ? Next::kSometimes : Next::kNever});
        is ? ++report.num_dependencies : --report.num_dependencies;
        in_order = in_order && (!is || base_.order_[index(c)] < base_.order_[index(out)]);
      }
    }
    if (in_order) return true;
    ChannelDependencies graph = base_.graph_;
    for (const Turn& turn : changed) graph.set(turn.from, turn.port, turn.next);
    return !has_credit_loop(graph);
  }

  const SoundTables& base_;
  const Fabric& now_;
  const SwitchMatch& match_;
  const TableRows& tables_;
  std::optional<IdVector<SwitchId, std::uint32_t>> part_;
  std::vector<LidRange> lids_;
  std::vector<SwitchId> lost_;
  std::vector<SwitchId> rewired_;  // have lost a link
  std::vector<std::size_t> lost_lids_;
  std::vector<PortNum> buffer_;
  std::vector<Changes> changed_;  // entries of LIDs that are owned
  // Counts of the channels that have changed.
  static constexpr std::uint32_t kNotOwn = 0xFFFFFFFF;
  std::vector<std::uint32_t> own_;  // per channel: its counts in counts_
  std::vector<std::uint16_t> counts_;
  std::vector<std::pair<SwitchId, PortNum>> counted_;
  bool is_right_ = true;
};

SoundTables::SoundTables(const Fabric& fabric, const ForwardingTables& tables, EntryPairs pairs)
    : fabric_(fabric),
      tables_(tables),
      pairs_(std::move(pairs)),
      graph_(fabric, pairs_),
      num_dependencies_(graph_.num_dependencies()) {}

std::optional<SoundTables> SoundTables::prove(const Fabric& fabric, const ForwardingTables& tables) {
  if (tables.width() != index(fabric.top_lid()) + 1) return std::nullopt;
  const EntryChecker checker(fabric, tables.width(), nullptr);
  IdVector<SwitchId, RowFindings> rows(fabric.num_switches());
  EntryPairs pairs(fabric, tables,
                   [&](SwitchId s, Lid lid) { checker.check_entry(s, lid, tables.at(s, lid), rows[s]); });
  for (const SwitchId s : fabric.switches()) {
    checker.check_end(s, rows[s]);
    if (rows[s].count > 0) return std::nullopt;
  }
  SoundTables proven(fabric, tables, std::move(pairs));
  if (!proven.find_order()) return std::nullopt;
  return proven;
}

// By the longest path to each channel: then most dependencies that a repair adds agree with it.
bool SoundTables::find_order() {
  const std::size_t count = graph_.num_virtual_channels();
  const auto for_each_next = [&](VirtualChannelId c, auto&& visit) { graph_.for_each_next(c, visit); };
  std::vector<std::uint16_t> in_degree;  // a predecessor per port
  std::vector<VirtualChannelId> sorted;
  sort_topologically(count, for_each_next, in_degree, sorted);
  order_.assign(count, 0);
  for (const VirtualChannelId c : sorted)
    for_each_next(
        c, [&](VirtualChannelId next) { order_[index(next)] = std::max(order_[index(next)], order_[index(c)] + 1); });
  return sorted.size() == count;
}

std::optional<VerifyReport> SoundTables::verify_losses(const Fabric& now, const TableRows& tables) const {
  if (tables.num_switches() != now.num_switches() || tables.width() != index(now.top_lid()) + 1) return std::nullopt;
  const std::optional<SwitchMatch> match = match_by_guid(fabric_, now);
  if (!match || !has_only_losses(fabric_, now, *match)) return std::nullopt;
  return ChangeCheck(*this, now, *match, tables).run();
}

}  // namespace espalier
