// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/faults.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/random_order.h"
#include "core/fabric/switch_roles.h"

namespace espalier {
namespace {

// What is gone. A link between two switches is one channel of the two, the one that link_of() names.
struct Loss {
  explicit Loss(const Fabric& fabric)
      : switches(fabric.num_switches()), endports(fabric.num_endports()), channels(fabric.num_channels()) {}

  IdVector<SwitchId, char> switches;
  IdVector<EndportId, char> endports;
  IdVector<ChannelId, char> channels;
};

Fabric rebuild(const Fabric& fabric, const Loss& loss) {
  FabricBuilder builder;
  IdVector<SwitchId, FabricBuilder::SwitchHandle> switch_handle(fabric.num_switches());
  IdVector<EndportId, FabricBuilder::EndportHandle> endport_handle(fabric.num_endports());
  const auto is_gone = [&](EndportId e) {
    const SwitchId leaf = fabric.at(e).leaf;
    return loss.endports[e] || (leaf != kNoSwitch && loss.switches[leaf]);
  };
  for (const SwitchId s : fabric.switches())
    if (!loss.switches[s]) switch_handle[s] = builder.add_switch(fabric.at(s));
  for (const EndportId e : fabric.endports())
    if (!is_gone(e)) endport_handle[e] = builder.add_endport(fabric.at(e));

  for (const ChannelId c : all_links(fabric)) {
    const SwitchId s = fabric.source(c);
    const PortNum port = fabric.port(c);
    const Peer& peer = fabric.peer(c);
    if (loss.channels[c] || loss.switches[s]) continue;
    if (peer.is_endport() && !is_gone(peer.as_endport()))
      builder.connect(switch_handle[s], port, endport_handle[peer.as_endport()], fabric.rate(s, port));
    if (peer.is_switch() && !loss.switches[peer.as_switch()])
      builder.connect(switch_handle[s], port, switch_handle[peer.as_switch()], peer.port, fabric.rate(s, port));
  }
  Result<Fabric> rest = std::move(builder).build();
  check(rest.has_value(), "a part of a valid fabric is a valid fabric");
  return *std::move(rest);
}

// ---- what can be drawn ----

std::vector<ChannelId> links_between_switches(const Fabric& fabric) {
  std::vector<ChannelId> links = all_links(fabric);
  std::erase_if(links, [&](ChannelId c) { return !fabric.peer(c).is_switch(); });
  return links;
}

std::vector<SwitchId> all_hostless(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  std::vector<SwitchId> hostless;
  for (const SwitchId s : fabric.switches())
    if (hosts[s] == 0) hostless.push_back(s);
  return hostless;
}

std::vector<EndportId> all_endports(const Fabric& fabric) {
  std::vector<EndportId> endports;
  for (const EndportId e : fabric.endports()) endports.push_back(e);
  return endports;
}

// ---- the draw ----

// Marks the first `count` of a random order of `candidates` as lost.
template <class Id>
Status lose(IdVector<Id, char>& lost, std::vector<Id> candidates, std::size_t count, std::uint64_t seed,
            std::string_view kind) {
  if (count > candidates.size())
    return fail(fmt::format("cannot remove {} {}: the fabric has {}", count, kind, candidates.size()));
  for (const Id id : RandomOrder(seed, kind).front(std::move(candidates), count)) lost[id] = 1;
  return {};
}

}  // namespace

Result<Fabric> degrade(const Fabric& fabric, const Damage& damage) {
  Loss loss(fabric);
  ESPALIER_TRY_STATUS(
      lose(loss.channels, links_between_switches(fabric), damage.links, damage.seed, "switch-to-switch links"));
  ESPALIER_TRY_STATUS(
      lose(loss.switches, all_hostless(fabric), damage.switches, damage.seed, "switches without end ports"));
  ESPALIER_TRY_STATUS(lose(loss.switches, all_spines(fabric), damage.spines, damage.seed, "spines"));
  ESPALIER_TRY_STATUS(lose(loss.endports, all_endports(fabric), damage.endports, damage.seed, "end ports"));
  return rebuild(fabric, loss);
}

Damage most_damage(const Fabric& fabric) {
  return {links_between_switches(fabric).size(), all_hostless(fabric).size(), all_spines(fabric).size(),
          fabric.num_endports()};
}

Fabric without(const Fabric& fabric, const Removal& removal) {
  Loss loss(fabric);
  for (const SwitchId s : removal.switches) {
    check(index(s) < fabric.num_switches(), "without: no such switch");
    loss.switches[s] = 1;
  }
  for (const EndportId e : removal.endports) {
    check(index(e) < fabric.num_endports(), "without: no such end port");
    loss.endports[e] = 1;
  }
  for (const ChannelId c : removal.links) {
    check(index(c) < fabric.num_channels() && fabric.peer(c).kind != Peer::Kind::kNone, "without: no such link");
    loss.channels[link_of(fabric, fabric.source(c), fabric.port(c))] = 1;
  }
  return rebuild(fabric, loss);
}

}  // namespace espalier
