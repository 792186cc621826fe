// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/lane_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/ordered_graph.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/dragonfly/parity_sign.h"
#include "core/engines/table_columns.h"

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;
constexpr std::uint8_t kNoSl = 0xFF;

// With the SLs of all paths to it.
struct Column : TableColumn {
  std::uint32_t preferred = 0;    // class of destinations
  std::vector<std::uint8_t> sls;  // per source switch; kNoSl: its path ascends with none
};

std::vector<Column> columns_of(const Fabric& fabric, const ForwardingTables& tables, const ServiceLevels* preferred) {
  const auto preferred_of = [&](Lid lid) { return preferred == nullptr ? 0 : preferred->destination_class(lid); };
  std::vector<Column> columns;
  for (TableColumn& column : table_columns(fabric, tables, preferred_of)) {
    const std::uint32_t of_column = preferred_of(column.lids.front());
    columns.push_back({std::move(column), of_column, {}});
  }
  return columns;
}

// The SLs that a search may use.
struct UsableSls {
  UsableSls(const SlPlan& of, unsigned max_vls) : plan(of) {
    for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
      if (plan.vls_of(sl) > 0 && plan.vls_of(sl) <= max_vls) {
        sls.push_back(sl);
        num_vls = std::max(num_vls, plan.vls_of(sl));
      }
  }

  [[nodiscard]] bool has(std::uint8_t sl) const { return std::ranges::binary_search(sls, sl); }

  const SlPlan& plan;
  std::vector<std::uint8_t> sls;  // ascending
  unsigned num_vls = 1;
};

// The hops by which packets come to the LIDs of one column.
class ColumnHops {
 public:
  ColumnHops(const Dragonfly& dragonfly, const SlPlan& plan, const TableColumn& column)
      : dragonfly_(dragonfly), plan_(plan), column_(column) {}

  [[nodiscard]] bool end_at(SwitchId s) const {
    const PortNum port = column_.ports[index(s)];
    return port == kNoPort || port == kManagementPort || !dragonfly_.fabric().peer(s, port).is_switch();
  }
  // REQUIRES: !end_at(s), here and below.
  [[nodiscard]] SwitchId next(SwitchId s) const {
    return dragonfly_.fabric().peer(s, column_.ports[index(s)]).as_switch();
  }
  [[nodiscard]] ChannelId channel(SwitchId s) const { return dragonfly_.fabric().channel(s, column_.ports[index(s)]); }
  // What a packet takes from `s` that came in by a port of this class.
  [[nodiscard]] LaneHop hop(SwitchId s, PortClass in, std::uint8_t sl) const {
    const PortClass out = dragonfly_.port_class(s, column_.ports[index(s)]);
    return {s, next(s), out, plan_.vl(turn_at(dragonfly_, s, in, out), sl)};
  }

 private:
  const Dragonfly& dragonfly_;
  const SlPlan& plan_;
  const TableColumn& column_;
};

// A path on the lanes of one SL.
class PathOnLanes {
 public:
  PathOnLanes(const Dragonfly& dragonfly, const UsableSls& usable) : dragonfly_(dragonfly), usable_(usable) {}

  // The path from `s` with this SL; false where there are no such lanes.
  bool take(const Column& column, SwitchId s, std::uint8_t sl) {
    steps_.clear();
    if (!usable_.has(sl)) return false;
    const ColumnHops hops(dragonfly_, usable_.plan, column);
    PortClass in = PortClass::kTerminal;
    for (; !hops.end_at(s) && steps_.size() <= dragonfly_.fabric().num_switches(); s = hops.next(s)) {
      const LaneHop hop = hops.hop(s, in, sl);
      if (hop.vl >= usable_.num_vls) return false;
      steps_.push_back({hops.channel(s), hop.vl});
      in = hop.port_class;
    }
    return true;
  }

  struct Step {
    ChannelId channel;
    std::uint8_t vl;
  };
  // REQUIRES: the last take() was true.
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }

 private:
  const Dragonfly& dragonfly_;
  const UsableSls& usable_;
  std::vector<Step> steps_;
};

std::size_t most_ports(const Fabric& fabric) {
  std::size_t most = 0;
  for (const SwitchId s : fabric.switches()) most = std::max<std::size_t>(most, fabric.at(s).num_ports);
  return most;
}

// The dependencies of all paths so far.
class LaneGraph {
 public:
  LaneGraph(const Dragonfly& dragonfly, unsigned num_vls)
      : dragonfly_(dragonfly),
        fabric_(dragonfly.fabric()),
        num_vls_(num_vls),
        num_vertices_(fabric_.num_channels() * num_vls),
        words_((most_ports(fabric_) + 1) * num_vls / 64 + 1),
        known_(num_vertices_ * words_),
        graph_(ascending_order()) {}

  // The dependencies of all paths that have an SL. REQUIRES: these ascend.
  void add_ascending(const UsableSls& usable, const std::vector<Column>& columns) {
    parallel_for(columns.size(), [&](std::size_t i) { note_ascending(usable, columns[i]); });
    for (std::size_t from = 0; from < num_vertices_; ++from)
      for (std::size_t word = 0; word < words_; ++word)
        for (std::uint64_t left = known_[from * words_ + word]; left != 0; left &= left - 1)
          static_cast<void>(graph_.add(
              static_cast<Vertex>(from),
              behind(static_cast<Vertex>(from), word * 64 + static_cast<std::size_t>(std::countr_zero(left)))));
  }

  // All dependencies of the path, or none where they would close a cycle.
  bool add(const PathOnLanes& path) {
    std::vector<std::pair<Step, Step>> added;
    for (std::size_t i = 1; i < path.steps().size(); ++i) {
      const Step from = path.steps()[i - 1];
      const Step to = path.steps()[i];
      if ((known_word(from, to) & mask(to)) != 0) continue;
      if (!graph_.add(vertex(from), vertex(to))) {
        for (; !added.empty(); added.pop_back()) {
          const auto [first, second] = added.back();
          graph_.remove(vertex(first), vertex(second));
          known_word(first, second) &= ~mask(second);
        }
        return false;
      }
      known_word(from, to) |= mask(to);
      added.emplace_back(from, to);
    }
    return true;
  }

 private:
  using Step = PathOnLanes::Step;

  [[nodiscard]] Vertex vertex(Step step) const { return static_cast<Vertex>(index(step.channel) * num_vls_ + step.vl); }
  // A step's place among those that may follow one channel.
  [[nodiscard]] std::size_t place(Step step) const { return index(fabric_.port(step.channel)) * num_vls_ + step.vl; }
  [[nodiscard]] Vertex behind(Vertex from, std::size_t place) const {
    const SwitchId s = fabric_.peer(id_at<ChannelId>(from / num_vls_)).as_switch();
    return vertex({fabric_.channel(s, id_at<PortNum>(place / num_vls_)), static_cast<std::uint8_t>(place % num_vls_)});
  }
  [[nodiscard]] std::uint64_t& known_word(Step from, Step to) { return known_[vertex(from) * words_ + place(to) / 64]; }
  [[nodiscard]] std::uint64_t mask(Step to) const { return std::uint64_t{1} << place(to) % 64; }

  // Follows each path to where another one with its SL has come in the same way: what is behind is known.
  void note_ascending(const UsableSls& usable, const Column& column) {
    const ColumnHops hops(dragonfly_, usable.plan, column);
    IdVector<SwitchId, std::array<std::uint16_t, 2>> followed(fabric_.num_switches());  // by local and global ports in
    for (SwitchId s : fabric_.switches()) {
      const std::uint8_t sl = column.sls[index(s)];
      if (sl == kNoSl || hops.end_at(s)) continue;
      LaneHop before = hops.hop(s, PortClass::kTerminal, sl);
      for (SwitchId at = before.to; !hops.end_at(at); s = at, at = before.to) {
        const LaneHop hop = hops.hop(at, before.port_class, sl);
        const Step to{hops.channel(at), hop.vl};
        std::atomic_ref(known_word({hops.channel(s), before.vl}, to)).fetch_or(mask(to), std::memory_order_relaxed);
        std::uint16_t& sls = followed[at][before.port_class == PortClass::kGlobal ? 1 : 0];
        if ((sls >> sl & 1) != 0) break;
        sls = static_cast<std::uint16_t>(sls | 1U << sl);
        before = hop;
      }
    }
  }

  // All virtual channels in an order in which every step that ascends() allows leads upward.
  [[nodiscard]] std::vector<Vertex> ascending_order() const {
    using Key = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint32_t, Vertex>;
    std::vector<Key> keys;
    for (std::size_t c = 0; c < fabric_.num_channels(); ++c)
      for (std::uint8_t vl = 0; vl < num_vls_; ++vl) {
        const auto [type, place] = local_key(id_at<ChannelId>(c));
        const PortClass kind =
            dragonfly_.port_class(fabric_.source(id_at<ChannelId>(c)), fabric_.port(id_at<ChannelId>(c)));
        keys.emplace_back(vl, kind == PortClass::kGlobal ? 1 : 0, type, place, vertex({id_at<ChannelId>(c), vl}));
      }
    std::sort(keys.begin(), keys.end());
    std::vector<Vertex> order;
    order.reserve(keys.size());
    for (const Key& key : keys) order.push_back(std::get<4>(key));
    return order;
  }
  // The place of a local channel i -> j among those of its lane: its type, then j, falling where the sign is -.
  [[nodiscard]] std::pair<std::uint8_t, std::uint32_t> local_key(ChannelId c) const {
    const SwitchId from = fabric_.source(c);
    if (dragonfly_.port_class(from, fabric_.port(c)) != PortClass::kLocal) return {std::uint8_t{0}, 0U};
    const SwitchId to = fabric_.peer(c).as_switch();
    if (dragonfly_.kind() == Dragonfly::Kind::kLeavesAndSpines)
      return {dragonfly_.is_leaf(from) ? std::uint8_t{1} : std::uint8_t{0}, 0U};
    const std::uint32_t i = dragonfly_.router(from);
    const std::uint32_t j = dragonfly_.router(to);
    return {static_cast<std::uint8_t>(hop_type(i, j)), i < j ? j : ~j};
  }

  const Dragonfly& dragonfly_;
  const Fabric& fabric_;
  unsigned num_vls_;
  std::size_t num_vertices_;
  std::size_t words_;                 // per virtual channel
  std::vector<std::uint64_t> known_;  // per virtual channel and place of a step behind it: in the graph
  OrderedGraph graph_;
};

// With which SLs the paths of one column ascend. Paths from the same switch on are looked at once.
class Ascents {
 public:
  Ascents(const Dragonfly& dragonfly, const UsableSls& usable, const Column& column)
      : dragonfly_(dragonfly),
        usable_(usable),
        hops_(dragonfly, usable.plan, column),
        tails_(dragonfly.fabric().num_switches()) {}

  // The first, `preferred` before others; kNoSl: none.
  [[nodiscard]] std::uint8_t first_sl(SwitchId s, std::uint8_t preferred) {
    if (hops_.end_at(s) || hops_.end_at(hops_.next(s))) return 0;
    if (usable_.has(preferred) && ascends_from(s, PortClass::kTerminal, preferred)) return preferred;
    const auto sl = std::ranges::find_if(
        usable_.sls, [&](std::uint8_t other) { return ascends_from(s, PortClass::kTerminal, other); });
    return sl == usable_.sls.end() ? kNoSl : *sl;
  }

 private:
  struct Tail {  // a bit for each SL
    std::uint16_t known = 0;
    std::uint16_t ascending = 0;
  };

  // Whether all its steps from there on ascend.
  bool ascends_from(SwitchId s, PortClass in, std::uint8_t sl) {  // NOLINT(misc-no-recursion): a path
    const LaneHop first = hops_.hop(s, in, sl);
    return hops_.end_at(first.to) || (ascends(dragonfly_, first, hops_.hop(first.to, first.port_class, sl)) &&
                                      tail_ascends(first.to, first.port_class, sl));
  }
  bool tail_ascends(SwitchId s, PortClass in, std::uint8_t sl) {  // NOLINT(misc-no-recursion): a path
    Tail& tail = tails_[s][in == PortClass::kGlobal ? 1 : 0];
    const auto bit = static_cast<std::uint16_t>(1U << sl);
    if ((tail.known & bit) == 0) {
      tail.known |= bit;
      if (ascends_from(s, in, sl)) tail.ascending |= bit;
    }
    return (tail.ascending & bit) != 0;
  }

  const Dragonfly& dragonfly_;
  const UsableSls& usable_;
  ColumnHops hops_;
  IdVector<SwitchId, std::array<Tail, 2>> tails_;  // by local and global ports in
};

// Gives each path of the columns the first SL with which it ascends, if there is one. Returns how many have none.
std::uint64_t ascend(const Dragonfly& dragonfly, const UsableSls& usable, const ServiceLevels* preferred,
                     std::vector<Column>& columns) {
  parallel_for(columns.size(), [&](std::size_t i) {
    Column& column = columns[i];
    Ascents ascents(dragonfly, usable, column);
    column.sls.reserve(dragonfly.fabric().num_switches());
    for (const SwitchId s : dragonfly.fabric().switches())
      column.sls.push_back(ascents.first_sl(
          s, preferred == nullptr ? std::uint8_t{0} : preferred->of_classes(dragonfly.group(s), column.preferred)));
  });
  std::uint64_t left = 0;
  for (const Column& column : columns)
    left += column.lids.size() * static_cast<std::uint64_t>(std::ranges::count(column.sls, kNoSl));
  return left;
}

// Gives the others the first SL with which they close no cycle.
Status fit_others(const Dragonfly& dragonfly, const UsableSls& usable, unsigned max_vls, std::vector<Column>& columns) {
  const Fabric& fabric = dragonfly.fabric();
  LaneGraph graph(dragonfly, usable.num_vls);
  PathOnLanes path(dragonfly, usable);
  graph.add_ascending(usable, columns);
  for (Column& column : columns)
    for (const SwitchId s : fabric.switches()) {
      if (column.sls[index(s)] != kNoSl) continue;
      const auto sl = std::ranges::find_if(
          usable.sls, [&](std::uint8_t of_plan) { return path.take(column, s, of_plan) && graph.add(path); });
      if (sl == usable.sls.end())
        return fail(fmt::format("with {} there is no deadlock-free path from switch {} to LID {}",
                                counted(max_vls, "virtual lane"), fabric.label(s), index(column.lids.front())));
      column.sls[index(s)] = *sl;
    }
  return {};
}

// By switch of the source, and by what SLs the columns have.
ServiceLevels levels_of(const Fabric& fabric, const std::vector<Column>& columns) {
  std::map<std::vector<std::uint8_t>, std::uint32_t> classes;  // from 1 on; 0 is for LIDs that nobody has
  for (const Column& column : columns) classes.try_emplace(column.sls, static_cast<std::uint32_t>(classes.size() + 1));
  ServiceLevels levels(fabric.top_lid(), std::max<std::size_t>(1, fabric.num_switches()), classes.size() + 1);
  for (const Column& column : columns) {
    const std::uint32_t of_column = classes.at(column.sls);
    for (const Lid lid : column.lids) {
      levels.set_source_class(lid, static_cast<std::uint32_t>(index(column.to)));
      levels.set_destination_class(lid, of_column);
    }
  }
  for (const auto& [sls, c] : classes)
    for (std::size_t s = 0; s < sls.size(); ++s) levels.set(static_cast<std::uint32_t>(s), c, sls[s]);
  return levels;
}

}  // namespace

Result<LaneSearch> search_lanes(const Dragonfly& dragonfly, const ForwardingTables& tables, const SlPlan& plan,
                                const ServiceLevels* preferred, unsigned max_vls) {
  const UsableSls usable(plan, max_vls);
  std::vector<Column> columns = columns_of(dragonfly.fabric(), tables, preferred);
  const std::uint64_t num_irregular = ascend(dragonfly, usable, preferred, columns);
  if (num_irregular > 0) {
    ESPALIER_TRY_STATUS(fit_others(dragonfly, usable, max_vls, columns));
  }
  return LaneSearch{levels_of(dragonfly.fabric(), columns), num_irregular};
}

}  // namespace espalier
