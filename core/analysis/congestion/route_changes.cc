// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/analysis/congestion/route_changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/congestion/channel_load.h"
#include "core/analysis/routes/host_routes.h"
#include "core/base/parallel.h"
#include "core/fabric/endport_index.h"
#include "core/fabric/same_switches.h"

namespace espalier {
namespace {

// Who is who in the other fabric.
class Match {
 public:
  Match(const Fabric& from, const Fabric& to) : switch_(same_switches(from, to)), channel_(from.num_channels()) {
    const EndportIndex endports = EndportIndex::of_cabled(to);
    for (const EndportId e : from.endports()) endport_.push_back(endports.find(from.at(e).port_guid));
    for (std::size_t c = 0; c < channel_.size(); ++c) channel_[c] = find_channel(from, to, id_at<ChannelId>(c));
  }

  [[nodiscard]] SwitchId of(SwitchId s) const { return s == kNoSwitch ? kNoSwitch : switch_[s]; }
  [[nodiscard]] EndportId of(EndportId e) const { return endport_[e]; }
  // The same link in the same direction between two switches; kNoChannel when it is not there.
  [[nodiscard]] ChannelId of(ChannelId c) const { return channel_[index(c)]; }

 private:
  [[nodiscard]] ChannelId find_channel(const Fabric& from, const Fabric& to, ChannelId c) const {
    const Peer& peer = from.peer(c);
    if (!peer.is_switch()) return kNoChannel;
    const SwitchId source = switch_[from.source(c)];
    if (source == kNoSwitch || index(from.port(c)) > to.at(source).num_ports) return kNoChannel;
    const bool same = is_same_link(peer, to.peer(source, from.port(c)), switch_);
    return same ? to.channel(source, from.port(c)) : kNoChannel;
  }

  IdVector<SwitchId, SwitchId> switch_;
  IdVector<EndportId, EndportId> endport_;
  std::vector<ChannelId> channel_;
};

void list_what_is_only_in(const Routed& state, const Match& match, std::vector<SwitchId>& switches,
                          std::vector<EndportId>& hosts, std::vector<ChannelId>& links) {
  for (const SwitchId s : state.fabric.switches())
    if (match.of(s) == kNoSwitch) switches.push_back(s);
  for (const EndportId e : state.hosts)
    if (match.of(e) == kNoEndport) hosts.push_back(e);
  for (std::size_t i = 0; i < state.fabric.num_channels(); ++i) {
    const ChannelId c = id_at<ChannelId>(i);
    const Peer& peer = state.fabric.peer(c);
    if (!peer.is_switch() || match.of(c) != kNoChannel) continue;
    if (match.of(state.fabric.source(c)) == kNoSwitch || match.of(peer.as_switch()) == kNoSwitch) continue;
    if (state.fabric.channel(peer.as_switch(), peer.port) >= c) links.push_back(c);
  }
}

bool same_owner(const Routed& before, const Routed& after, const Match& match, Lid lid) {
  if (lid > before.fabric.top_lid() || lid > after.fabric.top_lid()) return false;
  const LidOwner& x = before.fabric.owner(lid);
  const LidOwner& y = after.fabric.owner(lid);
  if (x.kind == LidOwner::Kind::kNone || x.kind != y.kind || x.offset != y.offset) return false;
  return x.kind == LidOwner::Kind::kSwitch ? match.of(SwitchId{x.id}) == SwitchId{y.id}
                                           : match.of(EndportId{x.id}) == EndportId{y.id};
}

void count_entries(const Routed& before, const Routed& after, const Match& match, RouteChanges& changes) {
  const std::size_t width = std::min(before.tables.width(), after.tables.width());
  for (std::size_t i = 1; i < width; ++i) {
    const Lid lid = id_at<Lid>(i);
    if (!same_owner(before, after, match, lid)) continue;
    for (const SwitchId s : before.fabric.switches()) {
      const SwitchId t = match.of(s);
      if (t == kNoSwitch) continue;
      ++changes.num_entries;
      changes.entries_changed += before.tables.at(s, lid) == after.tables.at(t, lid) ? 0U : 1U;
    }
  }
}

struct FlowCounts {
  std::uint64_t forced = 0;
  std::uint64_t unforced = 0;
  std::uint64_t lost = 0;
  std::uint64_t won = 0;

  FlowCounts operator+(const FlowCounts& other) const {
    return {forced + other.forced, unforced + other.unforced, lost + other.lost, won + other.won};
  }
};

// Ranks of both mean the same hosts. Hosts that are on one leaf before and on one after have the same paths.
void count_flows(const HostRoutes& before, const HostRoutes& after, const Match& match, RouteChanges& changes) {
  struct Place {
    std::uint32_t num_hosts = 0;
  };
  std::map<std::pair<SwitchId, SwitchId>, Place> places;
  for (std::size_t rank = 0; rank < before.num_hosts(); ++rank)
    ++places[{before.leaf(rank), after.leaf(rank)}].num_hosts;

  const auto count_to = [&](std::size_t rank, FlowCounts& counts, std::vector<ChannelId>& old_path,
                            std::vector<ChannelId>& new_path) {
    for (const auto& [leaf, place] : places) {
      const bool own = leaf == std::pair(before.leaf(rank), after.leaf(rank));
      const std::uint32_t hosts = place.num_hosts - (own ? 1U : 0U);
      old_path.clear();
      new_path.clear();
      const bool arrived = before.follow(leaf.first, rank, [&](ChannelId c) { old_path.push_back(match.of(c)); });
      const bool arrives = after.follow(leaf.second, rank, [&](ChannelId c) { new_path.push_back(c); });
      const bool intact = match.of(leaf.first) == leaf.second && match.of(before.leaf(rank)) == after.leaf(rank) &&
                          std::count(old_path.begin(), old_path.end(), kNoChannel) == 0;
      if (arrived != arrives)
        (arrived ? counts.lost : counts.won) += hosts;
      else if (arrived && (!intact || old_path != new_path))
        (intact ? counts.unforced : counts.forced) += hosts;
    }
  };
  const FlowCounts counts = parallel_reduce(
      before.num_hosts(), 1, FlowCounts{},
      [&](std::size_t first, std::size_t last, FlowCounts part) {
        std::vector<ChannelId> old_path;
        std::vector<ChannelId> new_path;
        for (std::size_t rank = first; rank < last; ++rank) count_to(rank, part, old_path, new_path);
        return part;
      },
      [](const FlowCounts& a, const FlowCounts& b) { return a + b; });
  changes.flows_forced = counts.forced;
  changes.flows_unforced = counts.unforced;
  changes.flows_lost = counts.lost;
  changes.flows_won = counts.won;
  const std::uint64_t n = before.num_hosts();
  changes.num_flows = n == 0 ? 0 : n * (n - 1);
}

// Flows from and to these hosts that arrive. `is_gone`: by rank.
std::uint64_t count_flows_of(const HostRoutes& routes, const std::vector<bool>& is_gone) {
  struct Hosts {
    std::uint64_t all = 0;
    std::uint64_t gone = 0;
  };
  std::map<SwitchId, Hosts> on_leaf;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank) {
    ++on_leaf[routes.leaf(rank)].all;
    on_leaf[routes.leaf(rank)].gone += is_gone[rank] ? 1U : 0U;
  }
  std::uint64_t count = 0;
  for (std::size_t rank = 0; rank < routes.num_hosts(); ++rank)
    for (const auto& [leaf, hosts] : on_leaf) {
      const std::uint64_t own = leaf == routes.leaf(rank) ? 1 : 0;
      const std::uint64_t senders = is_gone[rank] ? hosts.all - own : hosts.gone;
      if (senders > 0 && routes.follow(leaf, rank, [](ChannelId) {})) count += senders;
    }
  return count;
}

void compare_loads(const HostRoutes& before, const HostRoutes& after, const Match& match, const Match& back,
                   RouteChanges& changes) {
  const TrafficPattern all_to_all{TrafficPattern::Kind::kAllToAll, 1};
  const ChannelLoads was = channel_loads(before, all_to_all, 0);
  const ChannelLoads is = channel_loads(after, all_to_all, 0);
  changes.max_before = was.max();
  changes.max_after = is.max();
  for (std::size_t i = 0; i < was.flows.size(); ++i) {
    const ChannelId there = match.of(id_at<ChannelId>(i));
    const std::uint64_t now = there == kNoChannel ? 0 : is.flows[index(there)];
    if (now != was.flows[i]) changes.loads.push_back({id_at<ChannelId>(i), there, was.flows[i], now});
  }
  for (std::size_t i = 0; i < is.flows.size(); ++i)
    if (is.flows[i] > 0 && back.of(id_at<ChannelId>(i)) == kNoChannel)
      changes.loads.push_back({kNoChannel, id_at<ChannelId>(i), 0, is.flows[i]});
  const auto rise = [](const LoadChange& change) {
    return static_cast<std::int64_t>(change.flows_after) - static_cast<std::int64_t>(change.flows_before);
  };
  std::stable_sort(changes.loads.begin(), changes.loads.end(),
                   [&](const LoadChange& a, const LoadChange& b) { return rise(a) > rise(b); });
}

}  // namespace

RouteChanges compare_routes(const Routed& before, const Routed& after) {
  const Match match(before.fabric, after.fabric);
  const Match back(after.fabric, before.fabric);
  RouteChanges changes;
  list_what_is_only_in(before, match, changes.switches_gone, changes.hosts_gone, changes.links_gone);
  list_what_is_only_in(after, back, changes.switches_new, changes.hosts_new, changes.links_new);
  count_entries(before, after, match, changes);

  std::vector<EndportId> hosts_before;
  std::vector<EndportId> hosts_after;
  std::vector<bool> is_gone;
  for (const EndportId e : before.hosts) {
    is_gone.push_back(match.of(e) == kNoEndport);
    if (match.of(e) == kNoEndport) continue;
    hosts_before.push_back(e);
    hosts_after.push_back(match.of(e));
  }
  const HostRoutes old_routes(before.fabric, before.tables, hosts_before);
  const HostRoutes new_routes(after.fabric, after.tables, hosts_after);
  count_flows(old_routes, new_routes, match, changes);
  if (!changes.hosts_gone.empty())
    changes.flows_gone = count_flows_of(HostRoutes(before.fabric, before.tables, before.hosts), is_gone);
  compare_loads(old_routes, new_routes, match, back, changes);
  return changes;
}

}  // namespace espalier
