// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// In-trees to LIDs that share channels evenly: each is chosen on the loads of all others, and improved when these have
// changed. A channel costs the fourth power of its load, so that the fullest count.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/engines/layers/lanes/lane_sets.h"
#include "core/engines/layers/shortest_hops.h"
#include "core/engines/layers/switch_graph.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

class LinksUp;  // orientation.h

class TreeSearch {
 public:
  // REQUIRES: `graph` outlives it.
  explicit TreeSearch(const SwitchGraph& graph);
  [[nodiscard]] const SwitchGraph& graph() const { return *graph_; }
  // The same paths where each LID has a tree of its own. REQUIRES: `graph` is of the same fabric.
  [[nodiscard]] TreeSearch on(const SwitchGraph& graph) const;

  // The channel by which packets for lids()[i] leave a switch; kNoChannel at its own, and where there is no path.
  [[nodiscard]] ChannelId next(std::size_t i, SwitchId s) const { return next_[i * graph_->num_switches() + index(s)]; }
  // What is sent over it, summed over all LIDs, by what it carries (SwitchGraph::weight), and what it began with
  // (SwitchGraph::taken); without that in the total.
  [[nodiscard]] double load(ChannelId c) const { return load_[index(c)]; }
  [[nodiscard]] double max_load() const;
  [[nodiscard]] double total_load() const;

  // Says that all trees are of shortest paths, until one is made otherwise: then their switches need not be sorted. Copies on
  // several threads read the same `hops`, so what has not been searched yet is searched now. REQUIRES: it keeps all.
  void all_are_shortest(std::shared_ptr<HopsToAll> hops);

  // Shortest paths to offset 0; `hops` are aimed at its switch.
  // A first tree: each switch takes what is cheapest for its own hosts, nearer ones first.
  void grow(std::size_t i, const ShortestHops& hops);
  // Or always the lowest port, whatever the load: dimension order, where ports are cabled by dimensions.
  void grow_by_ports(std::size_t i, const ShortestHops& hops);
  // Best responses: each switch whose path takes a channel that carries `hot` or more turns to the cheapest for all that
  // comes through it.
  void improve(std::size_t i, const ShortestHops& hops, double hot);
  // The same for trees that need not be of shortest paths, but have lanes for all and keep them.
  void improve_on_lanes(std::size_t i, const LaneSets& lanes, double hot);
  // `hops` are some of those that lead nearer: what takes none of them turns to one of them, where no channel then carries
  // more than `limit`.
  void turn_back(std::size_t i, const ShortestHops& hops, double limit);
  // A new tree, rather on paths that `lanes` allow, at any load.
  void route_shortest(std::size_t i, const ShortestHops& hops, const LaneSets& lanes);

  // For offsets above 0: leaves channels that lower offsets of the same port use, also for a longer path.
  void route_apart(std::size_t i);
  // Shortest ones among those that keep a lane for every switch (LaneSets). False, and nothing is changed, when some
  // switch finds none.
  [[nodiscard]] bool route_on_lanes(std::size_t i, const LaneSets& lanes);
  // For a LID with known flows: each of them, heavier ones first, on the lane and the path that cost least, an empty detour
  // rather than a full channel; what comes after the first kMostDetours, and all other switches, by as few hops as lanes
  // allow. False, and nothing is changed, when some switch finds no lane.
  [[nodiscard]] bool route_known_flows(std::size_t i, const LaneSets& lanes);
  static constexpr std::size_t kMostDetours = 16;
  // What the fullest channel carries that known flows to lids()[i] go over.
  [[nodiscard]] double known_max_load(std::size_t i) const;
  // What it costs to send `weight` more from s on, along the tree.
  [[nodiscard]] double price_from(std::size_t i, SwitchId s, double weight) const;
  // From s on along the tree, the tree as it is; `weight` may be negative.
  void load_path(std::size_t i, SwitchId s, double weight);
  // Up*/down*: down where a path down exists, else up to the nearest such switch.
  void route_up_down(std::size_t i, const LinksUp& links);
  // Its tree in tables, or in another search on the same graph.
  void take(std::size_t i, const ForwardingTables& tables);
  void take(std::size_t i, const TreeSearch& other);

  // Switches of lids()[i]'s tree, each after the one that it sends to.
  void inward(std::size_t i, std::vector<SwitchId>& order) const;
  // Per switch of `order` the lanes that allow its whole path to lids()[i]; all lanes where it has none.
  void lanes_of(std::size_t i, std::span<const SwitchId> order, const LaneSets& lanes,
                std::vector<LaneMask>& mask) const;
  // Tells `lanes` which dependencies the switches without a lane in `mask` need to reach lids()[i].
  void want_lanes(std::size_t i, std::span<const SwitchId> order, const std::vector<LaneMask>& mask,
                  LaneSets& lanes) const;
  // All its steps are to be allowed on the next lane.
  void require_steps(std::size_t i, LaneSets& lanes) const;

 private:
  // Where a switch sends, and what its channel carries, with powers: what more there costs is a polynomial of these, which
  // is summed over a path term by term.
  struct Step {
    double load = 0, squared = 0, cubed = 0;
    SwitchId up = kNoSwitch;
    float weight = 1;  // of its channel
    void carry(double sent) {
      load = sent;
      squared = sent * sent;
      cubed = squared * sent;
    }
    // `sent` may be negative.
    void carry_more(double sent) { carry(std::max(0.0, load + sent * weight)); }
    // What it costs to send as much more.
    [[nodiscard]] double more(double sent) const { return TreeSearch::more(load, sent * weight); }
    // What it costs that as much is sent now.
    [[nodiscard]] double last(double sent) const { return TreeSearch::more(load - sent * weight, sent * weight); }
  };
  // Two paths of equally many hops along the tree that is open, switch by switch, to where they meet.
  template <class Visit>
  void until_they_meet(SwitchId a, SwitchId b, Visit visit) const {
    while (a != b) {
      const Step& here = step_[index(a)];
      const Step& there = step_[index(b)];
      visit(here, there);
      a = here.up;
      b = there.up;
    }
  }
  void open(std::size_t i, std::span<const SwitchId> order);
  void close(std::size_t i, std::span<const SwitchId> order);
  [[nodiscard]] Hop cheapest(std::span<const Hop> hops, double weight) const;
  [[nodiscard]] bool is_cheaper(const Hop& hop, const Hop& than, double weight) const;
  [[nodiscard]] double saved(const Step& step, const Hop& before, const Hop& hop, double weight) const;
  [[nodiscard]] ChannelId& next(std::size_t i, SwitchId s) { return next_[i * graph_->num_switches() + index(s)]; }
  [[nodiscard]] SwitchId end(ChannelId c) const { return graph_->far(c); }
  [[nodiscard]] double cost(ChannelId c) const { return power(load_[index(c)] + unit_ * graph_->weight(c)); }
  // What it costs to send `weight` more over it.
  [[nodiscard]] double more(ChannelId c, double weight) const {
    return more(load_[index(c)], weight * graph_->weight(c));
  }
  [[nodiscard]] static double more(double before, double weight) {
    const double after = before + weight;
    return (after * after - before * before) * (after * after + before * before);
  }
  [[nodiscard]] static double power(double load) {
    const double f = load * load;
    return f * f;
  }
  void gather_own_flows(std::size_t i);
  void sort_by_hops(std::size_t i);
  template <class Turn>
  void turn_where_hot(std::size_t i, std::span<const SwitchId> order, double hot, Turn turn);
  void send_over(std::size_t i, SwitchId s, const Hop& hop);
  [[nodiscard]] double fullest_by(SwitchId s, const Hop& hop) const;
  template <class Nearer, class Allowed>
  [[nodiscard]] bool turn(std::size_t i, SwitchId s, std::span<const Hop> hops, Nearer nearer, Allowed allowed);
  // Of what takes `hop` and goes on along the tree.
  [[nodiscard]] LaneMask lanes_by(std::size_t i, const Hop& hop, const LaneSets& lanes) const {
    const ChannelId onward = next(i, hop.far);
    return onward == kNoChannel ? mask_[index(hop.far)]
                                : static_cast<LaneMask>(mask_[index(hop.far)] & lanes.allowed(hop.channel, onward));
  }
  [[nodiscard]] bool keeps_lanes(std::size_t i, SwitchId turning, const Hop& hop, const LaneSets& lanes);
  // Whether to take channels on which no lane is left.
  enum class Without : std::uint8_t { kRatherNot, kNot };
  [[nodiscard]] bool choose_nearer(std::size_t i, SwitchId s, const LaneSets& lanes, Without without);
  void start(std::size_t i, LaneMask lanes);
  // Joins to lids()[i]'s tree, layer by layer, what has no hops yet. The number of switches of the tree.
  [[nodiscard]] std::size_t join_others(std::size_t i, const LaneSets& lanes);
  [[nodiscard]] double find_path(std::size_t i, SwitchId from, double weight, const LaneSets& lanes, unsigned lane,
                                 double below);
  [[nodiscard]] bool join_known(std::size_t i, SwitchId from, double weight, const LaneSets& lanes);
  void take(std::size_t i, const TreeSearch& other, std::size_t other_i);
  void put_back(std::size_t i, std::span<const ChannelId> row);
  void add(std::size_t i, int sign);
  template <class Cost>
  void route_cheapest(std::size_t i, Cost cost);

  const SwitchGraph* graph_;
  std::vector<ChannelId> next_;  // per LID and switch
  std::vector<double> load_;
  std::shared_ptr<HopsToAll> shortest_;  // null: trees may be of longer paths
  double unit_ = 1;                      // a host's flow to a LID
  bool whole_ = true;                    // all that is sent is a whole number: then sums of powers are exact
  // Scratch, per switch:
  std::vector<Step> step_;  // of the tree that is open; until close() load_ is behind
  std::vector<double> flows_;
  std::vector<std::uint32_t> hops_;
  std::vector<double> cost_;
  std::vector<LaneMask> mask_;
  std::vector<std::pair<SwitchId, LaneMask>> trial_, turned_;
  std::vector<SwitchId> order_, by_hops_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint8_t> hot_;
  std::vector<ChannelId> found_, best_path_;
  std::vector<SwitchId> tree_;
  std::vector<std::pair<double, SwitchId>> heap_;
};

}  // namespace espalier
