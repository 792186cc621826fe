// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/new_equipment/extend_reference.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_index.h"
#include "core/fabric/fabric_builder.h"
#include "core/repair/reference/stray_entries.h"
#include "core/tree/rank.h"

namespace espalier {
namespace {

using SwitchHandle = FabricBuilder::SwitchHandle;
using EndportHandle = FabricBuilder::EndportHandle;

// The union of both fabrics; where they contradict each other, `now` is right.
class Union {
 public:
  Union(const Fabric& reference, const Fabric& now) : reference_(reference), builder_(now) {
    for (const SwitchId s : now.switches()) {
      switches_[now.at(s).guid] = SwitchHandle{static_cast<std::uint32_t>(s)};
      claim(now.at(s));
    }
    for (const EndportId e : now.endports()) {
      known_.insert({now.at(e).node_guid, now.at(e).port});
      claim(now.at(e));
    }
    for (const SwitchId s : now.switches())
      for (const PortNum p : now.ports(s))
        if (now.peer(s, p).kind != Peer::Kind::kNone) used_.insert({static_cast<std::uint32_t>(s), p});
  }

  Result<Fabric> build() && {
    for (const SwitchId s : reference_.switches()) {
      Switch ghost = reference_.at(s);
      if (switches_.contains(ghost.guid)) continue;
      if (!claim(ghost)) ghost.lid = kNoLid;
      const Guid guid = ghost.guid;
      switches_[guid] = builder_.add_switch(std::move(ghost));
    }
    for (const EndportId e : reference_.endports()) add_endport(e);
    for (const SwitchId s : reference_.switches())
      for (const PortNum p : reference_.ports(s)) add_link(s, p);
    return std::move(builder_).build();
  }

 private:
  bool claim(const auto& owner) {
    for (const Lid lid : lids_of(owner))
      if (lids_.contains(lid)) return false;
    for (const Lid lid : lids_of(owner)) lids_.insert(lid);
    return true;
  }

  // Whether the port is free, and exists.
  [[nodiscard]] bool is_free(SwitchHandle s, PortNum port) {
    return index(port) <= builder_.at(s).num_ports && !used_.contains({static_cast<std::uint32_t>(s), port});
  }

  void add_endport(EndportId e) {
    Endport ghost = reference_.at(e);
    if (known_.contains({ghost.node_guid, ghost.port})) return;
    if (!claim(ghost)) ghost.lid = kNoLid;
    const SwitchId leaf = ghost.leaf;
    const PortNum port = ghost.leaf_port;
    const LinkRate rate = leaf == kNoSwitch ? LinkRate{} : reference_.rate(leaf, port);
    const EndportHandle handle = builder_.add_endport(std::move(ghost));
    if (leaf == kNoSwitch) return;
    const SwitchHandle s = switches_.at(reference_.at(leaf).guid);
    if (!is_free(s, port)) return;
    used_.insert({static_cast<std::uint32_t>(s), port});
    builder_.connect(s, port, handle, rate);
  }

  void add_link(SwitchId s, PortNum port) {
    const Peer& peer = reference_.peer(s, port);
    if (!peer.is_switch() || std::pair(index(s), index(port)) > std::pair(std::size_t{peer.id}, index(peer.port)))
      return;
    const SwitchHandle a = switches_.at(reference_.at(s).guid);
    const SwitchHandle b = switches_.at(reference_.at(peer.as_switch()).guid);
    if (!is_free(a, port) || !is_free(b, peer.port) || (a == b && port == peer.port)) return;
    used_.insert({static_cast<std::uint32_t>(a), port});
    used_.insert({static_cast<std::uint32_t>(b), peer.port});
    builder_.connect(a, port, b, peer.port, reference_.rate(s, port));
  }

  const Fabric& reference_;
  FabricBuilder builder_;
  std::map<Guid, SwitchHandle> switches_;
  std::set<std::pair<Guid, PortNum>> known_;
  std::set<std::pair<std::uint32_t, PortNum>> used_;
  std::set<Lid> lids_;
};

// Levels and positions of the reference, and of what it does not know those of `ranked`.
void orient(const Reference& reference, const FatTree& ranked, Reference& extended) {
  const Fabric& fabric = extended.fabric;
  extended.level = IdVector<SwitchId, Level>(fabric.num_switches());
  extended.position = IdVector<SwitchId, std::uint32_t>(fabric.num_switches());
  std::vector<SwitchId> order;
  IdVector<SwitchId, std::uint32_t> old_position(fabric.num_switches());
  for (const SwitchId s : ranked.ascending()) {
    const SwitchId old = reference.fabric.find_switch(fabric.at(s).guid);
    extended.level[s] = old == kNoSwitch ? ranked.level(s) : reference.level[old];
    old_position[s] = old == kNoSwitch ? 0xFFFFFFFF : reference.position[old];
    order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) {
    return std::tuple(extended.level[a], old_position[a]) < std::tuple(extended.level[b], old_position[b]);
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) extended.position[order[i]] = i;
}

// Per LID of the extended reference: the LID of the same owner in the old one; kNoLid: it has none, or hangs on no switch
// any more, so that its entries would follow no path that anybody keeps free of loops.
std::vector<Lid> old_lids(const Fabric& old, const Fabric& extended) {
  std::map<std::tuple<LidOwner::Kind, Guid, PortNum, unsigned>, Lid> known;
  const auto key = [](const Fabric& fabric, Lid lid) {
    const LidOwner& owner = fabric.owner(lid);
    if (owner.kind == LidOwner::Kind::kSwitch)
      return std::tuple(owner.kind, fabric.at(SwitchId{owner.id}).guid, kManagementPort, unsigned{owner.offset});
    const Endport& e = fabric.at(EndportId{owner.id});
    return std::tuple(owner.kind, e.node_guid, e.port, unsigned{owner.offset});
  };
  for (std::size_t lid = 1; lid <= index(old.top_lid()); ++lid)
    if (old.is_in_use(id_at<Lid>(lid))) known[key(old, id_at<Lid>(lid))] = id_at<Lid>(lid);
  std::vector<Lid> was(index(extended.top_lid()) + 1, kNoLid);
  for (std::size_t lid = 1; lid < was.size(); ++lid) {
    if (extended.destination_switch(id_at<Lid>(lid)) == kNoSwitch) continue;
    const auto found = known.find(key(extended, id_at<Lid>(lid)));
    if (found != known.end()) was[lid] = found->second;
  }
  return was;
}

// Which ports of a switch lead to the same port of the same switch in both fabrics.
std::array<bool, 256> kept_ports(const Fabric& old_fabric, SwitchId old, const Fabric& fabric, SwitchId s) {
  std::array<bool, 256> kept{};
  for (std::size_t p = 1; p <= std::min(old_fabric.at(old).num_ports, fabric.at(s).num_ports); ++p) {
    const Peer& was = old_fabric.peer(old, id_at<PortNum>(p));
    const Peer& is = fabric.peer(s, id_at<PortNum>(p));
    kept[p] = was.is_switch() && is.is_switch() && was.port == is.port &&
              old_fabric.at(was.as_switch()).guid == fabric.at(is.as_switch()).guid;
  }
  return kept;
}

void fill_tables(const Reference& reference, Reference& extended) {
  const Fabric& fabric = extended.fabric;
  const std::vector<Lid> was = old_lids(reference.fabric, fabric);
  extended.tables = ForwardingTables(fabric.num_switches(), fabric.top_lid());
  for (const SwitchId s : fabric.switches()) {
    const SwitchId old = reference.fabric.find_switch(fabric.at(s).guid);
    if (old == kNoSwitch) continue;
    const std::array<bool, 256> kept = kept_ports(reference.fabric, old, fabric, s);
    for (std::size_t lid = 1; lid < was.size(); ++lid)
      if (const PortNum port = was[lid] != kNoLid ? reference.tables.at(old, was[lid]) : kNoPort; kept[index(port)])
        extended.tables.set(s, id_at<Lid>(lid), port);
  }
  for (std::size_t lid = 1; lid < was.size(); ++lid) {
    const LidOwner& owner = fabric.owner(id_at<Lid>(lid));
    const SwitchId t = fabric.destination_switch(id_at<Lid>(lid));
    if (t == kNoSwitch) continue;
    const bool is_switch = owner.kind == LidOwner::Kind::kSwitch;
    extended.tables.set(t, id_at<Lid>(lid), is_switch ? kManagementPort : fabric.at(EndportId{owner.id}).leaf_port);
  }
}

// In their order.
std::vector<EndportId> hosts_left(const Reference& reference, const Fabric& extended) {
  const EndportIndex endports(extended);
  std::vector<EndportId> hosts;
  for (const EndportId e : reference.hosts)
    if (const EndportId left = endports.find(reference.fabric.at(e).port_guid); left != kNoEndport)
      hosts.push_back(left);
  return hosts;
}

}  // namespace

bool covers(const Survivors& alive, const Fabric& now) {
  if (alive.has_contradictions) return false;
  if (!alive.has_new_links) return true;
  const auto part = connected_components(now);
  std::map<std::uint32_t, std::uint32_t> part_left;  // of the present parts: what is left of the reference
  for (const SwitchId s : now.switches()) {
    if (alive.before[s] == kNoSwitch) continue;
    if (!part_left.try_emplace(part[s], alive.component[alive.before[s]]).second &&
        part_left[part[s]] != alive.component[alive.before[s]])
      return false;
  }
  return true;
}

Result<Reference> extend(const Reference& reference, const Fabric& now) {
  ESPALIER_TRY(Fabric both, Union(reference.fabric, now).build());
  Reference extended{reference.engine, std::move(both), {}, {}, {}, {}};
  ESPALIER_TRY(const FatTree ranked, rank(extended.fabric));
  orient(reference, ranked, extended);
  fill_tables(reference, extended);
  extended.hosts = hosts_left(reference, extended.fabric);
  drop_stray_entries(extended);
  return extended;
}

}  // namespace espalier
