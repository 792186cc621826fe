// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the steps of one repair on lanes share: tables and lanes of the present fabric as far as they are repaired, the
// dependencies between virtual channels that they may make, and how full channels are.
//
// What the reference's routes make stays allowed at first, also where these are gone: so packets that switches still send
// along them, or hosts still send on their levels, wait for nobody in a circle either.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/soundness/changes/virtual_channel_numbers.h"
#include "core/base/ordered_graph.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/repair/lanes/alike_lids.h"
#include "core/repair/lanes/known_tails.h"
#include "core/repair/lanes/lanes_now.h"
#include "core/repair/lanes/prepared_lanes.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {

class LaneRouting {
 public:
  // Entries that lead where no link is any more are kNoPort. REQUIRES: all outlive this.
  LaneRouting(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now);
  // The same with tables that another one has given back.
  LaneRouting(const PreparedLanes& prepared, const Survivors& alive, const Fabric& now, ForwardingTables tables);

  // Allows what the routes that are left depend on alone, in place of all that the reference's routes do and of what has been
  // added.
  void forget_lost_routes();

  [[nodiscard]] const Fabric& fabric() const { return now_; }
  [[nodiscard]] LanesNow& lanes() { return lanes_; }
  [[nodiscard]] const LanesNow& lanes() const { return lanes_; }
  [[nodiscard]] const AlikeLids& alike() const { return alike_; }
  [[nodiscard]] unsigned num_vls() const { return num_vls_; }
  [[nodiscard]] const std::vector<std::uint8_t>& levels_in_use() const { return prepared_.levels_in_use(); }
  [[nodiscard]] const std::vector<std::uint8_t>& spare_levels() const { return prepared_.spare_levels(); }
  [[nodiscard]] ForwardingTables& tables() { return tables_; }
  [[nodiscard]] PortNum entry(SwitchId s, Lid lid) const {
    return lid == held_ ? column_[index(s)] : tables_.at(s, lid);
  }
  void set(SwitchId s, Lid lid, PortNum port) {
    changes_.push_back({s, lid, tables_.at(s, lid)});
    tables_.set(s, lid, port);
    if (lid == held_) column_[index(s)] = port;
  }
  // The tables as they were before anything was set: to copy those of a large fabric takes milliseconds.
  [[nodiscard]] ForwardingTables give_back();
  // Its entries lie side by side as long as no other LID's do: rows of a large fabric are far apart in memory.
  void hold_column(Lid lid);
  void set_all_alike(SwitchId s, Lid lid, PortNum port) {
    for (const Lid one : alike_.of(lid)) set(s, one, port);
  }

  // Visits each channel from `s` to `t`, where LID `lid` is delivered. False: an entry is missing, and with it what is beyond.
  template <class Visit>
  bool follow(SwitchId s, SwitchId t, Lid lid, Visit&& visit) const {
    while (s != t) {
      ++num_steps_;
      const PortNum port = entry(s, lid);
      if (port == kNoPort) return false;
      visit(now_.channel(s, port));
      s = now_.peer(s, port).as_switch();
    }
    return true;
  }

  // `s`, and those that lead to this LID through it.
  void collect_behind(SwitchId s, Lid lid, std::vector<SwitchId>& behind) const;

  // What the path of a source may add to the dependencies: what agrees with their order as it is, which costs nothing to find
  // out, or all that closes no cycle.
  enum class Adds : std::uint8_t { kWhatAgrees, kWhatFits };
  // False: to find out has taken too long, and nothing fits any more but what agrees.
  [[nodiscard]] bool may_search() const { return order_.num_visited() <= kMostVisited + num_visited_by_steps_; }
  // Whether all that is sent at `s` to this LID may go along its path on this level. What it adds is noted in `added`, also
  // where the answer is no. REQUIRES: there is a path.
  [[nodiscard]] bool admit(SwitchId s, SwitchId t, Lid lid, std::uint8_t sl, Adds adds);
  // The same on the level that each source has.
  [[nodiscard]] bool admit_as_is(SwitchId s, SwitchId t, Lid lid, Adds adds);
  // Whether admit() would find that all agrees, on this level or on those that the sources have. REQUIRES: there is a path, and
  // since begin_column() its entries have changed at none but these switches, since begin_try() at none.
  [[nodiscard]] bool agrees(SwitchId s, SwitchId t, Lid lid, std::uint8_t sl);
  [[nodiscard]] bool agrees_as_is(SwitchId s, SwitchId t, Lid lid);
  void begin_column() { tails_.forget(); }
  void begin_batch(const std::vector<SwitchId>& switches);
  void begin_try() { tails_.begin_try(); }
  // Whether what is on this lane of a channel may go on by the next one on that lane. REQUIRES: lanes that the reference has.
  [[nodiscard]] bool admit_step(ChannelId channel, std::uint8_t vl, ChannelId next, std::uint8_t next_vl);
  // How much has been added; and takes back all that was added since.
  [[nodiscard]] std::size_t num_added() const { return added_.size(); }
  void take_back(std::size_t to);
  // Work that has been done, in steps along paths.
  [[nodiscard]] std::uint64_t work() const { return num_steps_ + kStepsPerVisit * order_.num_visited(); }
  // Vertices that searches for admit_step() have come to.
  [[nodiscard]] std::uint64_t num_visited_by_steps() const { return num_visited_by_steps_; }

  // Flows that cross a channel, relative to the mean of the reference's; and `flows` more of them.
  [[nodiscard]] double load(ChannelId c) const { return load_[index(c)]; }
  [[nodiscard]] double load_with(ChannelId c, double flows) const { return load_[index(c)] + flows * unit_; }
  // As full as the fullest channel has to be expected, now that others are gone.
  [[nodiscard]] double expected_fullest() const { return expected_fullest_; }
  void add_load(ChannelId c, double flows) { load_[index(c)] += flows * unit_; }
  // What `flows` more would cost there.
  [[nodiscard]] double price(ChannelId c, double flows) const;
  [[nodiscard]] std::uint32_t hosts(SwitchId s) const { return hosts_[s]; }
  // Takes the flows of `s` to this LID from the path that they had in the reference.
  void leave_old_path(SwitchId s, Lid lid, double flows);

 private:
  using Vertex = OrderedGraph::Vertex;
  // Vertices, by the searches of one attempt together: 10 to 20 ms. One lost link of 10 000 hosts takes a third of it; where
  // tens are lost, what does not agree with the order goes without.
  static constexpr std::uint64_t kMostVisited = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kStepsPerVisit = 4;

  [[nodiscard]] bool admit(SwitchId s, SwitchId t, Lid lid, PortNum in, std::uint8_t sl, Adds adds);
  [[nodiscard]] bool add(Vertex from, Vertex to, Adds adds);
  [[nodiscard]] bool agrees(SwitchId s, SwitchId t, Lid lid, PortNum in, std::uint8_t sl);
  [[nodiscard]] bool is_refused(Vertex from, Vertex to) const;
  void drop_lost_entries();
  void place_loads();

  const PreparedLanes& prepared_;
  const Survivors& alive_;
  const Fabric& now_;
  AlikeLids alike_;
  LanesNow lanes_;
  ForwardingTables tables_;
  struct Change {
    SwitchId at;
    Lid lid;
    PortNum was;
  };
  std::vector<Change> changes_;  // by set()
  Lid held_ = kNoLid;
  std::vector<PortNum> column_;  // of held_, per switch
  OrderedGraph order_;
  unsigned num_vls_;
  VirtualChannelNumbers vertices_;
  std::vector<std::pair<Vertex, Vertex>> added_;
  std::uint64_t num_visited_by_steps_ = 0;
  mutable std::uint64_t num_steps_ = 0;
  // Per vertex: what it cannot lead to; stays so when something is taken back.
  std::vector<std::vector<Vertex>> refused_;
  // What agrees with the order as it was when searches had come to so many vertices.
  KnownTails tails_;
  std::uint64_t tails_known_at_ = 0;
  struct TailHere {
    SwitchId at;
    std::uint8_t vl;
  };
  std::vector<TailHere> trail_;  // of agrees()
  IdVector<SwitchId, std::uint32_t> hosts_;
  std::vector<double> load_;  // per channel
  double unit_ = 1;           // of one flow
  double expected_fullest_ = 0;
};

}  // namespace espalier
