// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/lane_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/ordered_graph.h"
#include "core/dragonfly/parity_sign.h"

namespace espalier {
namespace {

using Vertex = OrderedGraph::Vertex;
constexpr std::uint8_t kNoSl = 0xFF;

class Search {
 public:
  Search(const Dragonfly& dragonfly, const ForwardingTables& tables, const SlPlan& plan, unsigned max_vls)
      : dragonfly_(dragonfly), fabric_(dragonfly.fabric()), tables_(tables), plan_(plan) {
    for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
      if (plan.vls_of(sl) > 0 && plan.vls_of(sl) <= max_vls) {
        sls_.push_back(sl);
        num_vls_ = std::max(num_vls_, plan.vls_of(sl));
      }
    known_.resize(fabric_.num_channels() * num_vls_);
    graph_.emplace(ascending_order());
  }

  // The channels from `s` to where `lid` is delivered.
  void follow(SwitchId s, Lid lid) {
    path_.clear();
    for (std::size_t steps = 0; steps <= fabric_.num_switches(); ++steps) {
      const PortNum port = tables_.at(s, lid);
      if (port == kNoPort || port == kManagementPort || !fabric_.peer(s, port).is_switch()) return;
      path_.push_back(fabric_.channel(s, port));
      s = fabric_.peer(s, port).as_switch();
    }
  }

  // The first SL with which every step ascends, `preferred` before others; kNoSl: none.
  [[nodiscard]] std::uint8_t ascending_sl(std::uint8_t preferred) {
    hops_.clear();
    if (path_.size() < 2) return 0;
    if (put_on_lanes(preferred) && all_ascend()) return preferred;
    for (const std::uint8_t sl : sls_)
      if (put_on_lanes(sl) && all_ascend()) return sl;
    return kNoSl;
  }
  // The first SL with which the path closes no cycle.
  [[nodiscard]] std::uint8_t fitting_sl() {
    for (const std::uint8_t sl : sls_)
      if (put_on_lanes(sl) && add_path()) return sl;
    return kNoSl;
  }
  // REQUIRES: the last answer of ascending_sl() was an SL.
  void add_ascending_path() { add_path(); }

 private:
  // The lanes of the path with this SL; false where there are none.
  bool put_on_lanes(std::uint8_t sl) {
    if (std::find(sls_.begin(), sls_.end(), sl) == sls_.end()) return false;
    hops_.clear();
    PortClass in = PortClass::kTerminal;
    for (const ChannelId c : path_) {
      const SwitchId from = fabric_.source(c);
      const PortClass out = dragonfly_.port_class(from, fabric_.port(c));
      const std::uint8_t vl = plan_.vl(turn_at(dragonfly_, from, in, out), sl);
      if (vl >= num_vls_) return false;
      hops_.push_back({from, fabric_.peer(c).as_switch(), out, vl});
      in = out;
    }
    return true;
  }
  [[nodiscard]] bool all_ascend() const {
    for (std::size_t i = 1; i < hops_.size(); ++i)
      if (!ascends(dragonfly_, hops_[i - 1], hops_[i])) return false;
    return true;
  }
  // All dependencies of the path, or none.
  bool add_path() {
    std::vector<std::pair<Vertex, Vertex>> added;
    for (std::size_t i = 1; i < hops_.size(); ++i) {
      const Vertex from = vertex(path_[i - 1], hops_[i - 1].vl);
      const Vertex to = vertex(path_[i], hops_[i].vl);
      std::vector<Vertex>& known = known_[from];
      if (std::find(known.begin(), known.end(), to) != known.end()) continue;
      if (!graph_->add(from, to)) {
        for (; !added.empty(); added.pop_back()) {
          graph_->remove(added.back().first, added.back().second);
          known_[added.back().first].pop_back();
        }
        return false;
      }
      known.push_back(to);
      added.emplace_back(from, to);
    }
    return true;
  }

  [[nodiscard]] Vertex vertex(ChannelId c, std::uint8_t vl) const {
    return static_cast<Vertex>(index(c) * num_vls_ + vl);
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
        keys.emplace_back(vl, kind == PortClass::kGlobal ? 1 : 0, type, place, vertex(id_at<ChannelId>(c), vl));
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
  const ForwardingTables& tables_;
  const SlPlan& plan_;
  unsigned num_vls_ = 1;
  std::vector<std::uint8_t> sls_;
  std::vector<std::vector<Vertex>> known_;  // per virtual channel: the dependencies in the graph
  std::optional<OrderedGraph> graph_;
  std::vector<ChannelId> path_;
  std::vector<LaneHop> hops_;
};

}  // namespace

Result<LaneSearch> search_lanes(const Dragonfly& dragonfly, const ForwardingTables& tables, const SlPlan& plan,
                                const ServiceLevels* preferred, unsigned max_vls) {
  const Fabric& fabric = dragonfly.fabric();
  Search search(dragonfly, tables, plan, max_vls);
  const std::size_t num_lids = index(fabric.top_lid()) + 1;
  std::vector<std::vector<std::uint8_t>> sls(num_lids);  // per LID and switch
  std::vector<std::pair<SwitchId, Lid>> irregular;
  for (std::size_t i = 1; i < num_lids; ++i) {
    const Lid lid = id_at<Lid>(i);
    if (fabric.destination_switch(lid) == kNoSwitch) continue;
    sls[i].assign(fabric.num_switches(), 0);
    for (const SwitchId s : fabric.switches()) {
      const std::uint8_t wanted = preferred == nullptr
                                      ? std::uint8_t{0}
                                      : preferred->of_classes(dragonfly.group(s), preferred->destination_class(lid));
      search.follow(s, lid);
      const std::uint8_t sl = search.ascending_sl(wanted);
      if (sl == kNoSl) {
        irregular.emplace_back(s, lid);
        continue;
      }
      search.add_ascending_path();
      sls[i][index(s)] = sl;
    }
  }
  for (const auto& [s, lid] : irregular) {
    search.follow(s, lid);
    const std::uint8_t sl = search.fitting_sl();
    if (sl == kNoSl)
      return fail(fmt::format("with {} virtual lanes there is no deadlock-free path from switch {} to LID {}", max_vls,
                              fabric.label(s), index(lid)));
    sls[index(lid)][index(s)] = sl;
  }

  std::map<std::vector<std::uint8_t>, std::uint32_t> classes;
  for (const auto& column : sls) classes.try_emplace(column, static_cast<std::uint32_t>(classes.size()));
  LaneSearch result{ServiceLevels(fabric.top_lid(), std::max<std::size_t>(1, fabric.num_switches()), classes.size()),
                    irregular.size()};
  for (std::size_t i = 1; i < num_lids; ++i) {
    const Lid lid = id_at<Lid>(i);
    if (const SwitchId s = fabric.destination_switch(lid); s != kNoSwitch)
      result.levels.set_source_class(lid, static_cast<std::uint32_t>(index(s)));
    result.levels.set_destination_class(lid, classes.at(sls[i]));
  }
  for (const auto& [column, c] : classes)
    for (std::size_t s = 0; s < column.size(); ++s) result.levels.set(static_cast<std::uint32_t>(s), c, column[s]);
  return result;
}

}  // namespace espalier
