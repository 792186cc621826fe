// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// In-trees to LIDs that share channels evenly: each is chosen on the loads of all others, and chosen anew when these
// have changed (rip-up and reroute). A channel costs the fourth power of its load, so that the fullest count.
#pragma once

#include <vector>

#include "core/engines/layers/lane_sets.h"
#include "core/engines/layers/switch_graph.h"
#include "core/fabric/forwarding_tables.h"

namespace espalier {

// An orientation of all channels, see orientation.h.
struct Orientation;

class TreeSearch {
 public:
  // REQUIRES: `graph` outlives it.
  explicit TreeSearch(const SwitchGraph& graph);

  // The channel by which packets for lids()[i] leave a switch; kNoChannel at its own, and where there is no way.
  [[nodiscard]] ChannelId next(std::size_t i, SwitchId s) const { return next_[i * graph_->num_switches() + index(s)]; }
  // What is sent over it, summed over all LIDs.
  [[nodiscard]] double load(ChannelId c) const { return load_[index(c)]; }
  [[nodiscard]] double max_load() const;
  [[nodiscard]] double total_load() const;

  // Shortest paths. Offsets above 0 leave channels that lower offsets of the same port use, also for a longer way.
  // With `lanes`, rather on paths that these allow, at any load.
  void route_shortest(std::size_t i, const LaneSets* lanes = nullptr);
  // Shortest paths, always over the lowest port that is on one, whatever the load: dimension order, where ports are
  // cabled by dimensions.
  void route_by_ports(std::size_t i);
  // Shortest ones among those that keep a lane for every switch (LaneSets). False, and nothing is changed, when some
  // switch finds none.
  [[nodiscard]] bool route_on_lanes(std::size_t i, const LaneSets& lanes);
  // Whatever way costs least, for a LID with known flows: an empty detour rather than a full channel.
  void route_around(std::size_t i);
  // Up*/down*: down where a path down exists, else up to the nearest such switch.
  void route_up_down(std::size_t i, const Orientation& orientation);
  // Its tree in tables, or in another search on the same graph.
  void take(std::size_t i, const ForwardingTables& tables);
  void take(std::size_t i, const TreeSearch& other);

  // Per switch the lanes that allow its whole path to lids()[i].
  void lanes_of(std::size_t i, const LaneSets& lanes, std::vector<LaneMask>& mask) const;
  // Tells `lanes` which dependencies the switches without a lane in `mask` need to reach lids()[i].
  void want_lanes(std::size_t i, const std::vector<LaneMask>& mask, LaneSets& lanes) const;

  // All its steps are to be allowed on the next lane.
  void require_steps(std::size_t i, LaneSets& lanes) const;

  // Switches of lids()[i]'s tree, each after the one that it sends to.
  [[nodiscard]] std::vector<SwitchId> inward(std::size_t i) const;

 private:
  [[nodiscard]] ChannelId& next(std::size_t i, SwitchId s) { return next_[i * graph_->num_switches() + index(s)]; }
  [[nodiscard]] SwitchId end(ChannelId c) const { return graph_->fabric().peer(c).as_switch(); }
  [[nodiscard]] double cost(ChannelId c) const { return power(load_[index(c)] + unit_); }
  // What it costs to send `weight` more over it.
  [[nodiscard]] double more(ChannelId c, double weight) const {
    return power(load_[index(c)] + weight) - power(load_[index(c)]);
  }
  [[nodiscard]] static double power(double load) {
    const double f = load * load;
    return f * f;
  }
  [[nodiscard]] double price_from(std::size_t i, SwitchId s, double weight) const;
  // Whether to take channels on which no lane is left.
  enum class Without : std::uint8_t { kRatherNot, kNot };
  // Breadth first from the LID's switch; choose(SwitchId) for each other, when all that are nearer have chosen.
  template <class Choose>
  void search_breadth_first(std::size_t i, Choose choose);
  [[nodiscard]] bool choose_nearer(std::size_t i, SwitchId s, const LaneSets* lanes, Without without);
  void start(std::size_t i, LaneMask lanes);
  void add(std::size_t i, int sign);
  void route_apart(std::size_t i);
  template <class Cost>
  void route_cheapest(std::size_t i, Cost cost);

  const SwitchGraph* graph_;
  std::vector<ChannelId> next_;  // per LID and switch
  std::vector<double> load_;
  double unit_ = 1;                 // a host's flow to a LID
  std::vector<std::uint8_t> used_;  // per channel: lower offsets of the port at hand that use it
  Lid used_of_ = kNoLid;
  // Scratch, per switch:
  std::vector<std::uint32_t> hops_;
  std::vector<double> cost_;
  std::vector<LaneMask> mask_;
  std::vector<SwitchId> queue_;
};

}  // namespace espalier
