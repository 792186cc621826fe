// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/soundness/changes/sound_lanes.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/soundness/changes/virtual_channel_numbers.h"
#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/dependencies/entry_columns.h"
#include "core/analysis/soundness/entry_checker.h"
#include "core/base/check.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kColumnsAtOnce = 64;
// Vertices that searches in the order may come to: where more is new, the whole graph is looked at sooner.
constexpr std::uint64_t kMostVisited = std::uint64_t{1} << 16;
constexpr std::uint64_t kVisitedByStep = 32;  // at least, on large fabrics

// A dependency that the tables of before have not made.
struct NewStep {
  ChannelId from;
  std::uint8_t vl;
  PortNum port;
  std::uint8_t next_vl;
};

// Adds what the paths that differ depend on.
class ChangedPaths {
 public:
  ChangedPaths(const TablesOnLanes& now, const LaneChanges& changes, ChannelDependencies& graph)
      : now_(now), changes_(changes), graph_(graph), first_link_(now.fabric.num_switches() + 1, 0) {
    for (const SwitchId s : now.fabric.switches()) {
      for (const PortNum p : now.fabric.ports(s))
        if (const Peer& peer = now.fabric.peer(s, p); peer.is_switch()) links_.push_back({peer.as_switch(), peer.port});
      first_link_[index(s) + 1] = links_.size();
    }
  }

  // False: some packet loops, or an SL2VL table throws it away.
  [[nodiscard]] bool follow_all() {
    std::atomic<bool> is_right = true;
    const std::vector<Lid>& lids = changes_.lids();
    added_.resize((lids.size() + kColumnsAtOnce - 1) / kColumnsAtOnce);
    parallel_for(added_.size(), [&](std::size_t i) {
      const std::size_t first = i * kColumnsAtOnce;
      const auto block = std::span(lids).subspan(first, std::min(kColumnsAtOnce, lids.size() - first));
      const EntryColumns columns(now_.fabric, now_.rows, block);
      Scratch scratch{{}, {}, added_[i]};
      for (std::size_t k = 0; k < block.size() && is_right.load(std::memory_order_relaxed); ++k)
        if ((k == 0 || !is_like(block[k], columns.column(k), block[k - 1], columns.column(k - 1))) &&
            !follow_to(block[k], columns.column(k), scratch))
          is_right = false;
    });
    return is_right;
  }
  // What has been added, by LIDs; each once.
  [[nodiscard]] const std::vector<std::vector<NewStep>>& added() const { return added_; }

 private:
  // The other end of a link.
  struct Link {
    SwitchId next;
    PortNum port;
  };
  struct Scratch {
    std::vector<SwitchId> from;          // whose paths are to be followed
    std::vector<std::uint8_t> is_there;  // per switch: in `from`
    std::vector<NewStep>& added;
  };
  using Column = std::span<const PortNum>;

  // Whether the same paths to both are to be followed, as to hosts of one switch.
  [[nodiscard]] bool is_like(Lid lid, Column column, Lid other, Column other_column) const {
    const ServiceLevels& levels = now_.lanes.levels();
    return levels.destination_class(lid) == levels.destination_class(other) &&
           changes_.is_new(lid) == changes_.is_new(other) && std::ranges::equal(column, other_column) &&
           std::ranges::equal(changes_.entries(lid), changes_.entries(other)) &&
           std::ranges::equal(changes_.levels(lid), changes_.levels(other));
  }

  void insert(SwitchId s, Scratch& scratch) const {
    if (std::exchange(scratch.is_there[index(s)], std::uint8_t{1}) == 0) scratch.from.push_back(s);
  }

  void collect(Lid lid, Column column, Scratch& scratch) const {
    scratch.from.clear();
    scratch.is_there.assign(column.size(), 0);
    if (changes_.is_new(lid)) {
      for (const SwitchId s : now_.fabric.switches()) insert(s, scratch);
      return;
    }
    for (const SwitchId s : changes_.entries(lid)) insert(s, scratch);
    for (std::size_t i = 0; i < scratch.from.size(); ++i)
      for (std::size_t k = first_link_[index(scratch.from[i])]; k < first_link_[index(scratch.from[i]) + 1]; ++k)
        if (column[index(links_[k].next)] == links_[k].port) insert(links_[k].next, scratch);
    for (const SwitchId s : changes_.levels(lid)) insert(s, scratch);
  }

  [[nodiscard]] bool follow_to(Lid lid, Column column, Scratch& scratch) {
    collect(lid, column, scratch);
    const ServiceLevels& levels = now_.lanes.levels();
    const std::uint32_t destination = levels.destination_class(lid);
    for (const SwitchId s : scratch.from)
      for (const LaneSource& source : now_.sources[s])
        if (!follow(s, source.in, levels.of_classes(source.source_class, destination), column, scratch.added))
          return false;
    return true;
  }

  [[nodiscard]] bool follow(SwitchId s, PortNum in, std::uint8_t sl, Column column, std::vector<NewStep>& added) {
    ChannelId last = kNoChannel;
    std::uint8_t last_vl = 0;
    for (std::size_t hops = 0; column[index(s)] != kNoPort; ++hops) {
      const PortNum out = column[index(s)];
      const std::uint8_t vl = now_.lanes.vl(s, in, out, sl);
      if (vl >= now_.lanes.num_vls() || hops == column.size()) return false;
      if (last != kNoChannel && graph_.add_beside_others(last, last_vl, out, vl))
        added.push_back({last, last_vl, out, vl});
      last = now_.fabric.channel(s, out);
      last_vl = vl;
      const Peer& peer = now_.fabric.peer(last);
      s = peer.as_switch();
      in = peer.port;
    }
    return true;
  }

  const TablesOnLanes& now_;
  const LaneChanges& changes_;
  ChannelDependencies& graph_;
  std::vector<std::size_t> first_link_;  // per switch, and one more
  std::vector<Link> links_;
  std::vector<std::vector<NewStep>> added_;  // per block of LIDs
};

// Whether each entry is right by itself.
bool are_locally_right(const EntryChecker& checker, const TablesOnLanes& now) {
  std::atomic<bool> are_right = true;
  parallel_for(now.fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    std::vector<PortNum> buffer;
    RowFindings findings;
    checker.check_row(s, now.rows.row(s).in_one_piece(buffer), findings);
    if (findings.count != 0) are_right = false;
  });
  return are_right;
}

// Dependencies of `before`, a graph of `then`, on links that are left.
void add_old(const ChannelDependencies& before, const Fabric& then, const Fabric& now, const LaneChanges& changes,
             ChannelDependencies& graph) {
  parallel_for(now.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    for (const PortNum port : now.ports(s)) {
      if (!changes.is_old_link(s, port)) continue;
      const SwitchId next = now.peer(s, port).as_switch();
      const ChannelId was = then.channel(changes.before(s), port);
      for (unsigned vl = 0; vl < before.num_vls(); ++vl)
        before.for_each_next(before.virtual_channel(was, static_cast<std::uint8_t>(vl)), [&](VirtualChannelId v) {
          const PortNum out = then.port(before.channel(v));
          if (changes.is_old_link(next, out))
            graph.add(now.channel(s, port), static_cast<std::uint8_t>(vl), out, before.vl(v));
        });
    }
  });
}

// Whether these steps close no cycle with what is in the order, as far as that is soon seen.
bool fit_into(const OrderedGraph& before_them, const std::vector<std::vector<NewStep>>& steps, const TablesOnLanes& now,
              const TablesOnLanes& before, const LaneChanges& changes) {
  std::size_t count = 0;
  for (const std::vector<NewStep>& some : steps) count += some.size();
  if (count == 0) return true;
  if (count * kVisitedByStep > kMostVisited) return false;
  const Fabric& fabric = now.fabric;
  OrderedGraph order = before_them;
  const VirtualChannelNumbers numbers(before.fabric, fabric, changes.before(), now.lanes.num_vls());
  order.grow(numbers.num_new());
  for (const std::vector<NewStep>& some : steps)
    for (const NewStep& step : some) {
      const SwitchId next = fabric.peer(step.from).as_switch();
      const auto from = numbers.of(fabric.source(step.from), fabric.port(step.from), step.vl);
      if (order.num_visited() > kMostVisited || !order.add(from, numbers.of(next, step.port, step.next_vl)))
        return false;
    }
  return true;
}

}  // namespace

SoundLanes::SoundLanes(const Fabric& fabric, const ForwardingTables& tables, const Lanes& lanes,
                       std::shared_ptr<const ChannelDependencies> graph, const OrderedGraph& order)
    : tables_(fabric, TableRows(tables), lanes), graph_(std::move(graph)), order_(order) {}

std::optional<VerifyReport> SoundLanes::verify_change(const Fabric& now, const TableRows& tables,
                                                      const Lanes& lanes) const {
  check(tables.num_switches() == now.num_switches(), "verify_change: tables of another fabric");
  if (lanes.num_vls() != graph_->num_vls()) return std::nullopt;
  const EntryChecker checker(now, tables.width(), nullptr);
  const TablesOnLanes tables_now(now, tables, lanes);
  if (!are_locally_right(checker, tables_now)) return std::nullopt;
  const LaneChanges changes(tables_, tables_now);
  const auto graph = std::make_shared<ChannelDependencies>(now, lanes.num_vls());
  add_old(*graph_, tables_.fabric, now, changes, *graph);
  ChangedPaths paths(tables_now, changes, *graph);
  if (!paths.follow_all()) return std::nullopt;
  if (!fit_into(order_, paths.added(), tables_now, tables_, changes) && has_credit_loop(*graph)) return std::nullopt;
  VerifyReport report;
  report.num_entries = checker.num_entries();
  report.num_dependencies = graph->num_dependencies();
  report.dependencies = graph;
  return report;
}

}  // namespace espalier
