// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/traffic_classes.h"

#include <algorithm>
#include <array>

namespace espalier::packets {
namespace {

struct Limits {
  double low;
  double high;
};
// Tuned in the dissertation for 18 nodes on a router (within groups) and 4 (between groups), table 4.4.
struct LimitsOf {
  Limits local;
  Limits global;
};
constexpr std::array<LimitsOf, 2> kLimits = {LimitsOf{{0.8, 4}, {0.33, 0.6}}, LimitsOf{{0.35, 0.9}, {0.8, 3.1}}};

Impact class_of(double impact, const Limits& limits) {
  if (impact < limits.low) return Impact::kBenign;
  return impact > limits.high ? Impact::kAdversarial : Impact::kMixed;
}

constexpr Treatment ugal(double offset) { return {Treatment::Kind::kUgal, offset}; }
constexpr Treatment kCalm = {Treatment::Kind::kMinimalIfCalm, 64};
constexpr Treatment kMinimal = {Treatment::Kind::kMinimal, 0};
constexpr Treatment kValiant = {Treatment::Kind::kValiant, 0};
using Row = std::array<Treatment, 3>;  // by local class
using Table = std::array<Row, 3>;      // by global class
constexpr std::array<Table, 2> kTables = {
    Table{Row{kCalm, ugal(-4), ugal(-48)}, Row{kCalm, ugal(-20), ugal(-64)}, Row{ugal(48), ugal(-40), kValiant}},
    Table{Row{kMinimal, ugal(-30), ugal(-80)}, Row{ugal(900), ugal(-50), ugal(-95)},
          Row{ugal(500), ugal(-70), kValiant}}};

// The counters of policies/tpr.cc, as rates.
class Rates {
 public:
  Rates(const Network& network, const Dragonfly& dragonfly)
      : network_(network),
        dragonfly_(dragonfly),
        to_member_(std::size_t{network.num_routers()} * dragonfly.group_size(), 0),
        to_group_(std::size_t{network.num_routers()} * dragonfly.num_groups(), 0),
        through_group_(to_group_.size(), 0),
        between_groups_(std::size_t{dragonfly.num_groups()} * dragonfly.num_groups(), 0),
        through_port_(network.num_ports(), 0) {}

  void add(const FlowLoad& flow) {
    const Router source = network_.router_of(flow.source);
    const Router target = network_.router_of(flow.destination);
    if (source == target) return;
    const std::uint32_t to = dragonfly_.group(target);
    if (dragonfly_.group(source) == to) {
      to_member_[source * dragonfly_.group_size() + dragonfly_.member(target)] += flow.load;
      walk(source, source, target, to, flow.load);
      return;
    }
    to_group_[source * dragonfly_.num_groups() + to] += flow.load;
    between_groups_[dragonfly_.group(source) * dragonfly_.num_groups() + to] += flow.load;
    cross(source, source, target, flow.load);
  }

  [[nodiscard]] std::vector<TrafficClass> classes() const {
    std::vector<TrafficClass> all;
    for (Router r = 0; r < network_.num_routers(); ++r) {
      add_within_group(r, all);
      add_between_groups(r, all);
    }
    return all;
  }

 private:
  // The flow leaves router r by a port; it started at `source`, and goes to a group.
  void pass(Router source, Router r, Port port, std::uint32_t group, double load) {
    if (r == source) return;
    through_group_[r * dragonfly_.num_groups() + group] += load;
    if (dragonfly_.group(r) == dragonfly_.group(source)) through_port_[port] += load / dragonfly_.num_parallel(port);
  }
  // From router r to one of another group, by way of a third where no link joins the two.
  void cross(Router source, Router r, Router target, double load) {
    const std::uint32_t to = dragonfly_.group(target);
    const auto exits = dragonfly_.exits(dragonfly_.group(r), to);
    const double share = load / static_cast<double>(exits.size());
    for (const Dragonfly::Exit& exit : exits) {
      walk(source, r, exit.router, to, share);
      pass(source, exit.router, exit.port, to, share);
      const Router entry = network_.ports[exit.port].neighbor;
      if (dragonfly_.group(entry) == to)
        walk(source, entry, target, to, share);
      else
        cross(source, entry, target, share);
    }
  }
  void add_within_group(Router r, std::vector<TrafficClass>& all) const {
    for (std::uint32_t m = 0; m < dragonfly_.group_size(); ++m) {
      const double load = to_member_[r * dragonfly_.group_size() + m];
      if (load > 0)
        all.push_back({Extent::kWithinGroup, r, m, load, {load, through_port_[dragonfly_.local_port(r, m)]}});
    }
  }
  void add_between_groups(Router r, std::vector<TrafficClass>& all) const {
    const std::size_t groups = dragonfly_.num_groups();
    const std::uint32_t here = dragonfly_.group(r);
    for (std::uint32_t g = 0; g < groups; ++g) {
      const double load = to_group_[r * groups + g];
      if (load == 0) continue;
      const double local = local_impact(dragonfly_, here, g, load, between_groups_[here * groups + g]);
      all.push_back({Extent::kBetweenGroups, r, g, load, {local, through_group_[r * groups + g]}});
    }
  }
  // Within a group.
  void walk(Router source, Router r, Router to, std::uint32_t group, double load) {
    while (r != to) {
      const Port port = dragonfly_.local_port(r, dragonfly_.member(to));
      pass(source, r, port, group, load);
      r = network_.ports[port].neighbor;
    }
  }

  const Network& network_;
  const Dragonfly& dragonfly_;
  std::vector<double> to_member_;       // by router and member: DestC
  std::vector<double> to_group_;        // by router and group: DestGrpC
  std::vector<double> through_group_;   // by router and group: Thr_GrpC
  std::vector<double> between_groups_;  // by group and group: the sum of to_group_
  std::vector<double> through_port_;    // by port: Port_thr
};

}  // namespace

double local_impact(const Dragonfly& dragonfly, std::uint32_t here, std::uint32_t there, double own, double of_group) {
  // Limits are for Edison, where 96 routers share 68 links to another group.
  constexpr double kRoutersToALink = 96.0 / 68;
  if (!dragonfly.linked(here, there)) return own;
  return std::min(own, of_group / static_cast<double>(dragonfly.exits(here, there).size()) / kRoutersToALink);
}

Impact local_class(Extent extent, double local) {
  return class_of(local, kLimits[static_cast<std::size_t>(extent)].local);
}
Impact global_class(Extent extent, double global) {
  return class_of(global, kLimits[static_cast<std::size_t>(extent)].global);
}

Treatment treatment(Extent extent, const Impacts& impacts) {
  return kTables[static_cast<std::size_t>(extent)][static_cast<std::size_t>(global_class(extent, impacts.global))]
                [static_cast<std::size_t>(local_class(extent, impacts.local))];
}

std::vector<TrafficClass> classify(const Network& network, const Dragonfly& dragonfly,
                                   std::span<const FlowLoad> flows) {
  Rates rates(network, dragonfly);
  for (const FlowLoad& flow : flows) rates.add(flow);
  return rates.classes();
}

}  // namespace espalier::packets
