// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/lanes/repair_on_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/engines.h"
#include "core/engines/layers/up_down_trees.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/repair/lanes/column_repair.h"
#include "core/repair/lanes/escape_tree.h"
#include "core/repair/lanes/lane_routing.h"
#include "core/repair/reference/surviving_rows.h"
#include "core/repair/survivors/survivors.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

// Switches without an entry, per LID.
using OpenColumns = std::vector<std::vector<SwitchId>>;

// What a repair sets out with.
struct Attempt {
  enum class Beside : std::uint8_t { kAllOfReference, kWhatIsLeft } beside;  // dependencies to close no cycle with
  double limit;      // of the load of a channel, as a share of what has to be expected
  bool has_tree;     // for who finds no other path
  bool is_for_many;  // entries to be found
};

constexpr std::size_t kNumRoots = 4;     // that trees are tried from, on each level
constexpr std::size_t kMostGivenUp = 4;  // LIDs; each takes as long as an attempt
// Entries to be found. Where there are more, an attempt takes a good part of a second. Of so many of all entries hardly ever
// each finds a path beside all of the reference.
constexpr std::size_t kFewOpen = std::size_t{1} << 16;
constexpr std::size_t kMostOfAll = 12;
// Steps that all attempts together may take: some 50 ms, and one for each pair of a switch and a channel, as engine `updown`
// takes anyway. Whether they will suffice is asked before the first of them and as soon as a part of them has been taken.
constexpr std::uint64_t kMostWork = std::uint64_t{3} << 20;
constexpr std::uint64_t kPartOfWork = 8;
constexpr std::uint64_t kLeastWork = 64;  // per entry to be found; 100 to 400 in practice

// Entries on links that are gone, for LIDs that are the first of those alike: nearly all that there is to be found.
std::uint64_t count_lost(const PreparedLanes& prepared, const Survivors& alive) {
  const Fabric& before = prepared.fabric();
  return parallel_reduce(
      alive.losers.size(), 1, std::uint64_t{0},
      [&](std::size_t first, std::size_t end, std::uint64_t count) {
        for (std::size_t i = first; i < end; ++i) {
          const SwitchId s = alive.losers[i];
          std::array<std::uint8_t, 256> is_lost{};
          for (const PortNum p : before.ports(s))
            is_lost[index(p)] = before.peer(s, p).is_switch() && alive.channel[before.channel(s, p)] == 0 ? 1 : 0;
          const auto row = prepared.reference().tables.row(s);
          for (std::size_t lid = 1; lid < std::min(row.size(), alive.lid_now.size()); ++lid)
            count += is_lost[index(row[lid])] != 0 && alive.lid_now[lid] != kNoLid &&
                     prepared.first_alike()[lid] == id_at<Lid>(lid);
        }
        return count;
      },
      std::plus<>());
}
constexpr double kLimit = 1.1;
// The first that finds all paths is taken. Where a tree reaches all, it finds them; that comes before channels without a limit,
// which would be the fullest by far.
constexpr std::array kAttempts{Attempt{Attempt::Beside::kAllOfReference, kLimit, false, true},
                               Attempt{Attempt::Beside::kAllOfReference, kLimit, true, false},
                               Attempt{Attempt::Beside::kAllOfReference, kNoLimit, false, false},
                               Attempt{Attempt::Beside::kWhatIsLeft, kLimit, true, true},
                               Attempt{Attempt::Beside::kWhatIsLeft, kLimit, false, false},
                               Attempt{Attempt::Beside::kWhatIsLeft, kNoLimit, false, true}};

class LaneRepair {
 public:
  // `most_work`: LaneRouting::work().
  LaneRepair(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now, ForwardingTables tables,
             std::uint64_t most_work)
      : most_work_(most_work),
        prepared_(prepared),
        now_(now),
        alive_(alive),
        routing_(prepared, alive, now, std::move(tables)),
        component_(connected_components(now)),
        lids_at_(now.num_switches()) {
    for (std::size_t i = 1; i <= index(now.top_lid()); ++i)
      if (const SwitchId t = now.destination_switch(id_at<Lid>(i)); t != kNoSwitch)
        lids_at_[t].push_back(id_at<Lid>(i));
  }

  // `first`: LIDs whose paths are all given up, and found before others.
  Result<PatchedRepair> run(const Attempt& attempt, const std::vector<Lid>& first = {}) {
    limit_ = attempt.limit * routing_.expected_fullest();
    if (!routing_.lanes().covers_all())
      return fail("hosts of one switch have service levels of their own, so new equipment has none");
    for (std::size_t i = 1; i <= index(now_.top_lid()); ++i) start_column(id_at<Lid>(i));
    for (const Lid lid : first) give_up(lid);
    if (attempt.beside == Attempt::Beside::kWhatIsLeft) routing_.forget_lost_routes();
    if (attempt.has_tree && !find_tree(attempt.beside)) return fail("no tree reaches all switches");
    OpenColumns open = open_columns();
    work_before_columns_ = work();
    if (exceeds_work()) return fail("it would take too long");
    if (!attempt.has_tree && attempt.beside == Attempt::Beside::kAllOfReference && are_most()) return fail("too many");
    for (const Lid lid : first) ESPALIER_TRY_STATUS(close_column(lid, open[index(lid)]));
    for (std::size_t i = 1; i < open.size(); ++i)
      if (!open[i].empty()) ESPALIER_TRY_STATUS(close_column(id_at<Lid>(i), open[i]));
    return result();
  }
  // The tables that it began with, for another attempt.
  [[nodiscard]] ForwardingTables give_back() { return routing_.give_back(); }
  // The LID that run() has found no paths to; kNoLid: it has not come to any.
  [[nodiscard]] Lid failed() const { return failed_; }
  [[nodiscard]] std::uint64_t work() const { return routing_.work(); }
  // Whether it has given up for this reason.
  [[nodiscard]] bool is_too_much() const { return is_too_much_; }
  // How many entries it had to find; and whether so many are lost that it makes no sense to look beside all of the reference.
  [[nodiscard]] bool are_few() const { return num_open_ <= kFewOpen; }
  [[nodiscard]] bool are_most() const {
    return !are_few() && num_lost_ * kMostOfAll > now_.num_switches() * index(now_.top_lid());
  }

 private:
  // What is there before any entry is chosen: nothing for who is new or elsewhere, but where it is delivered.
  void start_column(Lid lid) {
    if (!now_.is_in_use(lid)) return;
    const SwitchId t = now_.destination_switch(lid);
    if (is_known(lid) && t != kNoSwitch) return;
    for (const SwitchId s : now_.switches())
      if (const PortNum port = routing_.entry(s, lid);
          !is_known(lid) || (port != kNoPort && !now_.peer(s, port).is_switch()))
        routing_.set(s, lid, kNoPort);
    if (t == kNoSwitch) return;
    const EndportId host = now_.endport_of(lid);
    routing_.set(t, lid, host == kNoEndport ? kManagementPort : now_.at(host).leaf_port);
  }

  void give_up(Lid lid) {
    const SwitchId t = now_.destination_switch(lid);
    for (const SwitchId s : now_.switches())
      if (s != t) routing_.set_all_alike(s, lid, kNoPort);
  }

  // The first that reaches all switches; or beside routes that are left the one that reaches most, which others make way for.
  [[nodiscard]] bool find_tree(Attempt::Beside beside) {
    struct Start {
      SwitchId root{0};
      std::uint8_t sl = 0;
    } best;
    std::size_t most = 0;
    for (const std::uint8_t sl : routing_.levels_in_use())
      for (std::size_t i = 0; i < kNumRoots; ++i) {
        const Start start{id_at<SwitchId>(i * now_.num_switches() / kNumRoots), sl};
        tree_.emplace(routing_, start.root, start.sl);
        if (tree_->is_whole()) return true;
        if (tree_->num_members() > most) best = start;
        most = std::max(most, tree_->num_members());
        routing_.take_back(0);
      }
    if (beside == Attempt::Beside::kAllOfReference) return false;
    tree_.emplace(routing_, best.root, best.sl);
    return tree_->make_way();
  }

  OpenColumns open_columns() {
    const AlikeLids& alike = routing_.alike();
    std::vector<std::vector<Lid>> of_switch(now_.num_switches());
    parallel_for(now_.num_switches(), [&](std::size_t i) {
      const SwitchId s = id_at<SwitchId>(i);
      const std::span<const PortNum> row = routing_.tables().row(s);
      for (auto at = row.begin() + 1; (at = std::find(at, row.end(), kNoPort)) != row.end(); ++at) {
        const Lid lid = id_at<Lid>(static_cast<std::size_t>(at - row.begin()));
        const SwitchId t = now_.destination_switch(lid);
        if (alike.is_first(lid) && t != kNoSwitch && component_[s] == component_[t]) of_switch[i].push_back(lid);
      }
    });
    OpenColumns open(index(now_.top_lid()) + 1);
    for (const SwitchId s : now_.switches())
      for (const Lid lid : of_switch[index(s)]) open[index(lid)].push_back(s);
    for (std::size_t i = 0; i < open.size(); ++i) {
      num_open_ += open[i].size();
      if (is_known(id_at<Lid>(i))) num_left_ += open[i].size();
      num_lost_ += open[i].size() * alike.of(id_at<Lid>(i)).size();
      is_whole_.push_back(open[index(alike.of(id_at<Lid>(i)).front())].empty() ? 1 : 0);
    }
    return open;
  }

  // A LID at the same switch whose paths another one may take; kNoLid: there is none. Of the same offset if possible.
  [[nodiscard]] Lid like(Lid lid, SwitchId t) const {
    Lid found = kNoLid;
    for (const Lid other : lids_at_[t])
      if (is_whole_[index(other)] != 0 && (found == kNoLid || rank(other, lid) < rank(found, lid))) found = other;
    return found;
  }
  // Hosts before switches, the same offset before others.
  [[nodiscard]] int rank(Lid other, Lid lid) const {
    return (now_.endport_of(other) == kNoEndport ? 2 : 0) +
           (now_.owner(other).offset != now_.owner(lid).offset ? 1 : 0);
  }

  [[nodiscard]] bool is_known(Lid lid) const { return routing_.lanes().before(lid) != kNoLid; }
  // Whether the work will probably come to more than it may.
  [[nodiscard]] bool exceeds_work() {
    const std::uint64_t done = work();
    is_too_much_ = done + num_left_ * kLeastWork > most_work_;
    const std::uint64_t on_columns = done - work_before_columns_;  // a tree is found once, for all of them
    if (is_too_much_ || on_columns <= most_work_ / kPartOfWork) return is_too_much_;
    const double share = static_cast<double>(num_closed_) / static_cast<double>(num_closed_ + num_left_ + 1);
    const auto most = static_cast<double>(most_work_ - work_before_columns_);
    is_too_much_ = static_cast<double>(on_columns) > most * (share + 1.0 / kPartOfWork);
    return is_too_much_;
  }

  Status close_column(Lid lid, std::vector<SwitchId>& open) {
    if (exceeds_work()) return fail("it would take too long");
    if (is_known(lid)) num_closed_ += open.size(), num_left_ -= open.size();
    ESPALIER_TRY_STATUS(find_paths(lid, open));
    for (const Lid one : routing_.alike().of(lid)) is_whole_[index(one)] = 1;
    return {};
  }

  Status find_paths(Lid lid, std::vector<SwitchId>& open) {
    const SwitchId t = now_.destination_switch(lid);
    if (!is_known(lid)) {
      if (const Lid other = like(lid, t); other != kNoLid && routing_.lanes().copy_levels(other, lid)) {
        for (const SwitchId s : open) routing_.set(s, lid, routing_.entry(s, other));
        return {};
      }
    }
    ColumnRepair column(routing_, lid, t, limit_);
    column.run(open, tree_ ? &*tree_ : nullptr);
    repaired_routes_ += column.num_moved();
    new_levels_ += column.num_new_levels();
    if (open.empty()) return {};
    failed_ = lid;
    return fail(fmt::format("no path from {} to LID {} on the virtual lanes of the reference", now_.label(open.front()),
                            index(lid)));
  }

  PatchedRepair result() {
    PatchedRepair result;
    result.repaired_routes = repaired_routes_;
    result.has_new_equipment = has_news(alive_);
    if (new_levels_ != 0)
      result.warnings.push_back(
          fmt::format("{} another service level: programs that are connected use the old one until they connect again",
                      counted(new_levels_, "path has", "paths have")));
    if (prepared_.reference().lanes) result.lanes = routing_.lanes().take();
    result.tables = PatchedTables(std::move(routing_.tables()));
    result.entries = count_changes(prepared_.reference(), alive_, result.tables.rows());
    return result;
  }

  std::uint64_t most_work_;
  const PreparedLanes& prepared_;
  const Fabric& now_;
  const Survivors& alive_;
  LaneRouting routing_;
  IdVector<SwitchId, std::uint32_t> component_;
  IdVector<SwitchId, std::vector<Lid>> lids_at_;  // that it delivers
  std::vector<std::uint8_t> is_whole_;            // per LID: every switch has an entry that is connected to its own
  double limit_ = kNoLimit;
  std::optional<EscapeTree> tree_;
  std::size_t num_open_ = 0, num_lost_ = 0;    // the former of LIDs that are the first of those alike
  std::size_t num_left_ = 0, num_closed_ = 0;  // of LIDs that the reference knows: to be found still, and found
  std::uint64_t work_before_columns_ = 0;
  bool is_too_much_ = false;
  Lid failed_ = kNoLid;
  std::uint64_t repaired_routes_ = 0;
  std::uint64_t new_levels_ = 0;
};

// By engine `layers` on the lanes of the reference; on a large fabric, or where time has been spent, by one that takes less of it.
Result<PatchedRepair> route_all(const PreparedLanes& prepared, const Fabric& now, bool is_late) {
  EngineOptions options;
  options.max_vls = prepared.lanes().num_vls();
  const bool is_makeshift = is_late || is_large(now, options.max_vls);
  Routing routing;
  if (is_makeshift) {
    routing = UpDownTrees::route(now);
  } else {
    ESPALIER_TRY(const FatTree tree, rank(now));
    ESPALIER_TRY(routing, make_engine("layers", options)->route(tree));
  }
  PatchedRepair result;
  result.tables = PatchedTables(std::move(routing.tables));
  if (prepared.reference().lanes) result.lanes = routing.lanes ? *std::move(routing.lanes) : one_lane(now);
  result.warnings.push_back(fmt::format("the fault is too large for a repair: everything was rerouted by engine {}",
                                        is_makeshift ? kQuickEngine : std::string_view("layers")));
  for (std::string& warning : routing.warnings) result.warnings.push_back(std::move(warning));
  result.reach = RepairReach::kAll;
  result.is_makeshift = is_makeshift;
  return result;
}

Result<PatchedRepair> repair_or_fail(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now,
                                     bool& is_late) {
  std::uint64_t work_left = kMostWork + std::uint64_t{now.num_switches()} * now.num_channels();
  is_late = count_lost(prepared, alive) * kLeastWork > work_left;
  if (is_late) return fail("it would take too long");
  Lid failed = kNoLid;
  bool are_few = true;
  Result<PatchedRepair> result;
  ForwardingTables tables = surviving_tables(prepared.reference(), alive, now);
  // False: no other attempt makes sense.
  const auto attempt = [&](LaneRepair& repair, const Attempt& how, const std::vector<Lid>& first = {}) {
    result = repair.run(how, first);
    work_left -= std::min(work_left, repair.work());
    is_late = repair.is_too_much();
    if (result || is_late) return false;
    tables = repair.give_back();
    return true;
  };
  for (const Attempt& how : kAttempts) {
    if (!are_few && !how.is_for_many) continue;
    LaneRepair repair(prepared, alive, now, std::move(tables), work_left);
    if (!attempt(repair, how)) return result;
    if (how.has_tree) continue;
    failed = repair.failed();
    are_few = repair.are_few();
    if (failed == kNoLid && !repair.are_most()) break;  // no other attempt would come further
  }
  // What found no path beside all others goes before them.
  std::vector<Lid> first;
  while (are_few && failed != kNoLid && first.size() < kMostGivenUp &&
         std::find(first.begin(), first.end(), failed) == first.end()) {
    first.insert(first.begin(), failed);
    LaneRepair repair(prepared, alive, now, std::move(tables), work_left);
    if (!attempt(repair, kAttempts.back(), first)) return result;
    failed = repair.failed();
  }
  return result;
}

}  // namespace

Result<PatchedRepair> repair_on_lanes(const PreparedLanes& prepared, const Fabric& now) {
  if (!prepared.is_sound()) return fail("the reference is not sound on its lanes");
  const Survivors alive = find_survivors(prepared.fabric(), now);
  bool is_late = false;
  if (auto result = repair_or_fail(prepared, alive, now, is_late)) return result;
  ESPALIER_TRY(PatchedRepair result, route_all(prepared, now, is_late));
  result.has_new_equipment = has_news(alive);
  result.entries = count_changes(prepared.reference(), alive, result.tables.rows());
  return result;
}

}  // namespace espalier
