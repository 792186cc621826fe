// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Trees of up*/down* paths to all LIDs of a graph, one after another, each on the loads of those before: as
// TreeSearch::route_up_down() makes them, in less time, since nothing is ever changed again. Switches are numbered from the
// root down, their links to switches above lie side by side with what these cost, and hops and cost of a path are one
// number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/engines/layers/orientation.h"
#include "core/engines/layers/switch_graph.h"

namespace espalier {

class UpDownSearch {
 public:
  // REQUIRES: `graph` has no known flows, and outlives it.
  UpDownSearch(const SwitchGraph& graph, const Orientation& orientation);

  // The port by which packets for lids()[i] leave a switch; kNoPort at its own, and where there is no path.
  [[nodiscard]] PortNum port(std::size_t i, SwitchId s) const { return ports_[i * graph_.num_switches() + index(s)]; }
  // Of the channels.
  [[nodiscard]] double max_load() const;
  [[nodiscard]] double total_load() const;

 private:
  using Place = std::uint32_t;  // of a switch, from the root down
  // From a switch to one above.
  struct Link {
    Place below, above;
    PortNum up, down;  // ports
  };
  // A channel costs the fourth power of what it will carry.
  struct Channels {
    std::vector<double> load;
    std::vector<float> cost;  // per link
  };

  void lay_out(const Orientation& orientation);
  void route(std::size_t i);
  void go_down(Place t);
  void go_up();
  void add_loads(double weight);
  void carry(Channels& channels, std::uint32_t link, double flow) const;

  const SwitchGraph& graph_;
  std::vector<PortNum> ports_;        // per LID and switch
  std::vector<Place> place_;          // per switch
  std::vector<double> hosts_;         // per place
  std::vector<std::uint32_t> first_;  // per place: its links
  std::vector<Link> links_;
  std::vector<Place> above_;  // per link, once more
  Channels up_, down_;
  double unit_ = 1;  // what a host adds
  // Of the tree at hand, per place: hops and cost of the path, and the link that it begins with.
  std::vector<std::uint32_t> hops_;
  std::vector<float> cost_;
  std::vector<std::uint32_t> link_;
  std::vector<std::uint8_t> goes_down_;
  std::vector<Place> down_order_;
  std::vector<double> flow_;
};

}  // namespace espalier
