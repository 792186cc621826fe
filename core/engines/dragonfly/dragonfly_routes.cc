// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/dragonfly_routes.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

// The intermediate groups and detour routers of hosts are dealt round, so that any group's hosts together use all of them
// alike: number `i` counts a group's hosts times their offsets above 0. A group behind slow links has its turn less often.
void deal_middle(const Dragonfly& dragonfly, const Codewords* codewords, std::uint32_t group, std::size_t i,
                 LidRoute& route) {
  const std::size_t others = dragonfly.num_groups() - 1;
  for (std::size_t step = 0; step < others; ++step) {
    const std::size_t middle = (group + 1 + (i + step) % others) % dragonfly.num_groups();
    if (dragonfly.exits(middle, group).empty() || !dragonfly.is_whole(middle)) continue;
    if (codewords != nullptr && codewords->sls(middle, middle, group) == 0) continue;
    if (i / others % dragonfly.slowness(group, middle) != 0) continue;
    route.middle = static_cast<std::uint32_t>(middle);
    const std::vector<SwitchId>& routers = dragonfly.routers(middle);
    route.middle_detour = routers[(i / others + middle) % routers.size()];
    return;
  }
}

// LIDs first .. end-1 of switches of one group, without an intermediate group; kNoGroup: anything else.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t group = kNoGroup;
};

std::vector<Run> runs_to_groups(const Dragonfly& dragonfly, const std::vector<LidRoute>& routes) {
  const auto group_of = [&](const LidRoute& route) {
    return route.to == kNoSwitch || route.middle != kNoGroup ? kNoGroup : dragonfly.group(route.to);
  };
  std::vector<Run> runs;
  for (std::uint32_t lid = 1; lid < routes.size(); ++lid) {
    const std::uint32_t group = group_of(routes[lid]);
    if (runs.empty() || runs.back().group != group) runs.push_back({lid, lid, group});
    runs.back().end = lid + 1;
  }
  return runs;
}

class PortChooser {
 public:
  PortChooser(const Dragonfly& dragonfly, const GroupPaths& paths, const Codewords* codewords, Detours detours,
              SwitchId s)
      : dragonfly_(dragonfly), paths_(paths), codewords_(codewords), detours_(detours), s_(s) {}

  // The port for all packets that go the shortest path to the group; kNoPort: that depends on the LID.
  [[nodiscard]] PortNum only_port(std::uint32_t group) const {
    if (paths_.group_hops(dragonfly_.group(s_), group) != 1) return kNoPort;
    const auto ports = paths_.toward(s_, group);
    return ports.size() == 1 ? ports[0] : kNoPort;
  }

  [[nodiscard]] PortNum port(const LidRoute& route) const {
    if (route.to == s_) return route.last_port;
    const std::uint32_t here = dragonfly_.group(s_);
    const std::uint32_t goal = dragonfly_.group(route.to);
    if (here == goal) return port_within(route);
    const std::uint32_t target = aim(dragonfly_, route, here, codewords_);
    if (target == route.middle || here != route.middle) return toward(s_, target, route.variant);
    return port_in_middle(route, goal);
  }

 private:
  // Any of the ports, by variant; kNoPort where the group cannot be reached.
  [[nodiscard]] PortNum toward(SwitchId s, std::uint32_t target, std::size_t variant) const {
    std::size_t turn = variant;
    if (paths_.group_hops(dragonfly_.group(s), target) != 1) {
      const std::vector<std::uint32_t> next = paths_.next_groups(dragonfly_.group(s), target);
      if (next.empty()) return kNoPort;
      target = next[turn % next.size()];
      turn /= next.size();
    }
    const auto ports = paths_.toward(s, target);
    return ports[(turn + dragonfly_.router(s)) % ports.size()];
  }

  [[nodiscard]] SwitchId behind(SwitchId s, PortNum port) const {
    return dragonfly_.fabric().peer(s, port).as_switch();
  }
  [[nodiscard]] bool may_turn(SwitchId before, SwitchId at, SwitchId after) const {
    return detours_ == Detours::kAll || dragonfly_.local_turn_allowed(before, at, after);
  }
  // Whether a hop of a detour carries less than the direct one from here.
  [[nodiscard]] bool is_slower(SwitchId s, PortNum port, PortNum direct) const {
    const Fabric& fabric = dragonfly_.fabric();
    return fabric.rate(s, port).mbps() < fabric.rate(s_, direct).mbps();
  }
  // The port to a neighbor in the group, or kNoPort.
  [[nodiscard]] PortNum link_to(SwitchId s, SwitchId neighbor, std::size_t variant) const {
    if (s == neighbor) return kNoPort;
    const auto ports = paths_.within(s, dragonfly_.router(neighbor));
    if (ports.empty() || behind(s, ports[0]) != neighbor) return kNoPort;
    return ports[variant % ports.size()];
  }

  [[nodiscard]] PortNum port_within(const LidRoute& route) const {
    const auto ports = paths_.within(s_, dragonfly_.router(route.to));
    const PortNum direct = ports[(route.variant + dragonfly_.router(s_)) % ports.size()];
    const SwitchId detour = route.destination_detour;
    if (detour == kNoSwitch || detour == route.to || behind(s_, direct) != route.to) return direct;
    const PortNum port = link_to(s_, detour, route.variant);
    const PortNum after = link_to(detour, route.to, 0);
    if (port == kNoPort || after == kNoPort || !may_turn(s_, detour, route.to)) return direct;
    return is_slower(s_, port, direct) || is_slower(detour, after, direct) ? direct : port;
  }

  // Over the detour router, which goes on by its own ports, out of the group or to the router that has the exit.
  [[nodiscard]] PortNum port_in_middle(const LidRoute& route, std::uint32_t goal) const {
    const PortNum direct = toward(s_, goal, route.variant);
    if (dragonfly_.port_class(s_, direct) == PortClass::kGlobal || route.middle_detour == kNoSwitch) return direct;
    const PortNum port = link_to(s_, route.middle_detour, route.variant);
    if (port == kNoPort || route.middle_detour == behind(s_, direct) || is_slower(s_, port, direct)) return direct;
    const PortNum after = toward(route.middle_detour, goal, route.variant);
    if (dragonfly_.port_class(route.middle_detour, after) == PortClass::kGlobal) return port;
    if (is_slower(route.middle_detour, after, direct)) return direct;
    const SwitchId exit = behind(route.middle_detour, after);
    const PortNum out = exit == s_ ? kNoPort : toward(exit, goal, route.variant);
    const bool leaves = out != kNoPort && dragonfly_.port_class(exit, out) == PortClass::kGlobal;
    return leaves && may_turn(s_, route.middle_detour, exit) ? port : direct;
  }

  const Dragonfly& dragonfly_;
  const GroupPaths& paths_;
  const Codewords* codewords_;
  Detours detours_;
  SwitchId s_;
};

}  // namespace

std::vector<LidRoute> choose_routes(const Dragonfly& dragonfly, PathSet paths, const Codewords* codewords) {
  const Fabric& fabric = dragonfly.fabric();
  std::vector<LidRoute> routes(index(fabric.top_lid()) + 1);
  for (const SwitchId s : fabric.switches())
    for (const Lid lid : lids_of(fabric.at(s))) routes[index(lid)] = {s, kManagementPort, dragonfly.router(s)};

  std::vector<std::uint32_t> hosts_so_far(dragonfly.num_groups(), 0);
  for (const SwitchId s : fabric.switches())
    for (const PortNum p : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, p);
      if (!peer.is_endport() || fabric.at(peer.as_endport()).lid == kNoLid) continue;
      const Endport& endport = fabric.at(peer.as_endport());
      const std::uint32_t group = dragonfly.group(s);
      const std::uint32_t number = hosts_so_far[group]++;
      const std::size_t offsets = (std::size_t{1} << endport.lmc) - 1;
      for (std::size_t k = 0; k <= offsets; ++k) {
        LidRoute& route = routes[index(endport.lid) + k];
        route = {s, p, static_cast<std::uint32_t>(number + k)};
        if (paths == PathSet::kMinimal || k == 0 || !is_host(endport) || dragonfly.num_groups() < 2) continue;
        deal_middle(dragonfly, codewords, group, number * offsets + k - 1, route);
        // Detours in the last group spread what routers of a group send each other, but make paths of others longer:
        // half the offsets have one.
        if (2 * k > offsets + 1 || !dragonfly.is_whole(group)) continue;
        const std::vector<SwitchId>& routers = dragonfly.routers(group);
        route.destination_detour = routers[(dragonfly.router(s) + k + index(p)) % routers.size()];
      }
    }
  return routes;
}

std::uint32_t aim(const Dragonfly& dragonfly, const LidRoute& route, std::uint32_t from, const Codewords* codewords) {
  const std::uint32_t goal = dragonfly.group(route.to);
  if (route.middle == kNoGroup || from == route.middle) return goal;
  if (!dragonfly.is_whole(from) || dragonfly.exits(from, route.middle).empty()) return goal;
  if (codewords != nullptr && codewords->sls(from, route.middle, goal) == 0) return goal;
  // Whatever the LID, since all of the same two groups have the same SL.
  return dragonfly.slowness(from, route.middle) > dragonfly.slowness(from, goal) ? goal : route.middle;
}

ForwardingTables fill_tables(const Dragonfly& dragonfly, const GroupPaths& paths, const std::vector<LidRoute>& routes,
                             const Codewords* codewords, Detours detours) {
  const Fabric& fabric = dragonfly.fabric();
  ForwardingTables tables(fabric.num_switches(), fabric.top_lid());
  const std::vector<Run> runs = runs_to_groups(dragonfly, routes);
  parallel_for(fabric.num_switches(), [&](std::size_t i) {
    const SwitchId s = id_at<SwitchId>(i);
    const PortChooser chooser(dragonfly, paths, codewords, detours, s);
    const auto row = tables.row(s);
    for (const Run& run : runs) {
      const PortNum only = run.group == kNoGroup ? kNoPort : chooser.only_port(run.group);
      if (only != kNoPort)
        std::fill(row.begin() + run.first, row.begin() + run.end, only);
      else
        for (std::size_t lid = run.first; lid < run.end; ++lid)
          if (routes[lid].to != kNoSwitch) row[lid] = chooser.port(routes[lid]);
    }
  });
  return tables;
}

}  // namespace espalier
