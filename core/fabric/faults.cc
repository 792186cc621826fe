// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/fabric/fabric_builder.h"

namespace espalier {
namespace {

// What is gone. A cable between two switches is one channel of the two, the one that link_of() names.
struct Loss {
  explicit Loss(const Fabric& fabric)
      : switches(fabric.num_switches()), endports(fabric.num_endports()), channels(fabric.num_channels()) {}

  IdVector<SwitchId, char> switches;
  IdVector<EndportId, char> endports;
  IdVector<ChannelId, char> channels;
};

// The lower channel of the cable in this port. REQUIRES: it has one.
ChannelId link_of(const Fabric& fabric, SwitchId s, PortNum port) {
  const Peer& peer = fabric.peer(s, port);
  const ChannelId here = fabric.channel(s, port);
  return peer.is_switch() ? std::min(here, fabric.channel(peer.as_switch(), peer.port)) : here;
}

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

  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels())) {
    const SwitchId s = fabric.source(c);
    const PortNum port = fabric.port(c);
    const Peer& peer = fabric.peer(c);
    if (loss.channels[c] || loss.switches[s] || peer.kind == Peer::Kind::kNone) continue;
    if (peer.is_endport() && !is_gone(peer.as_endport()))
      builder.connect(switch_handle[s], port, endport_handle[peer.as_endport()], fabric.rate(s, port));
    if (peer.is_switch() && !loss.switches[peer.as_switch()] && link_of(fabric, s, port) == c)
      builder.connect(switch_handle[s], port, switch_handle[peer.as_switch()], peer.port, fabric.rate(s, port));
  }
  Result<Fabric> rest = std::move(builder).build();
  check(rest.has_value(), "a part of a valid fabric is a valid fabric");
  return *std::move(rest);
}

// ---- what can be drawn ----

// Per switch: whether it carries an end port other than an Aggregation Node, which is a part of the switch itself.
IdVector<SwitchId, char> host_bearing(const Fabric& fabric) {
  IdVector<SwitchId, char> bearing(fabric.num_switches());
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    if (endport.leaf != kNoSwitch && endport.description.find("Aggregation Node") == std::string::npos)
      bearing[endport.leaf] = 1;
  }
  return bearing;
}

std::vector<ChannelId> all_links(const Fabric& fabric) {
  std::vector<ChannelId> links;
  for (const ChannelId c : IdRange<ChannelId>(fabric.num_channels()))
    if (fabric.peer(c).is_switch() && link_of(fabric, fabric.source(c), fabric.port(c)) == c) links.push_back(c);
  return links;
}

std::vector<SwitchId> all_hostless(const Fabric& fabric) {
  const IdVector<SwitchId, char> bearing = host_bearing(fabric);
  std::vector<SwitchId> hostless;
  for (const SwitchId s : fabric.switches())
    if (!bearing[s]) hostless.push_back(s);
  return hostless;
}

// Breadth first from all switches with hosts at once; the last layer, unless that is the switches with hosts.
std::vector<SwitchId> all_spines(const Fabric& fabric) {
  IdVector<SwitchId, char> seen = host_bearing(fabric);
  std::vector<SwitchId> layer, next;
  for (const SwitchId s : fabric.switches())
    if (seen[s]) next.push_back(s);
  std::size_t distance = 0;
  for (; !next.empty(); ++distance) {
    layer = std::exchange(next, {});
    for (const SwitchId s : layer) {
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) {
        const Peer& peer = fabric.peer(s, id_at<PortNum>(p));
        if (peer.is_switch() && !std::exchange(seen[peer.as_switch()], 1)) next.push_back(peer.as_switch());
      }
    }
  }
  if (distance < 2) return {};
  std::sort(layer.begin(), layer.end());
  return layer;
}

std::vector<EndportId> all_endports(const Fabric& fabric) {
  std::vector<EndportId> endports;
  for (const EndportId e : fabric.endports()) endports.push_back(e);
  return endports;
}

// ---- the draw ----

// Uniform in 0 .. bound-1. The standard fixes the output of the engine but not that of its distributions.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t bound) {
  const std::uint64_t unbiased = random.max() - random.max() % bound;
  for (;;) {
    const std::uint64_t value = random();
    if (value < unbiased) return value % bound;
  }
}

// Marks the first `count` of a random order of `candidates` as lost.
template <class Id>
Status lose(IdVector<Id, char>& lost, std::vector<Id> candidates, std::size_t count, std::uint64_t seed,
            std::string_view kind) {
  if (count > candidates.size())
    return fail(fmt::format("cannot remove {} {}: the fabric has {}", count, kind, candidates.size()));
  std::seed_seq sequence(kind.begin(), kind.end());  // the kind's own order
  std::uint32_t words[2];
  sequence.generate(words, words + 2);
  std::mt19937_64 random(seed ^ (std::uint64_t{words[0]} << 32 | words[1]));
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(candidates[i], candidates[i + draw_below(random, candidates.size() - i)]);
    lost[candidates[i]] = 1;
  }
  return {};
}

}  // namespace

Result<Fabric> degrade(const Fabric& fabric, const Damage& damage) {
  Loss loss(fabric);
  Status ok = lose(loss.channels, all_links(fabric), damage.links, damage.seed, "switch-to-switch links");
  if (ok) ok = lose(loss.switches, all_hostless(fabric), damage.switches, damage.seed, "switches without end ports");
  if (ok) ok = lose(loss.switches, all_spines(fabric), damage.spines, damage.seed, "spines");
  if (ok) ok = lose(loss.endports, all_endports(fabric), damage.endports, damage.seed, "end ports");
  if (!ok) return tl::unexpected(ok.error());
  return rebuild(fabric, loss);
}

Fabric without_link(const Fabric& fabric, SwitchId s, PortNum port) {
  check(index(s) < fabric.num_switches() && index(port) <= fabric.at(s).num_ports, "without_link: no such port");
  check(fabric.peer(s, port).kind != Peer::Kind::kNone, "without_link: the port has no cable");
  Loss loss(fabric);
  loss.channels[link_of(fabric, s, port)] = 1;
  return rebuild(fabric, loss);
}

Fabric without_switch(const Fabric& fabric, SwitchId s) {
  check(index(s) < fabric.num_switches(), "without_switch: no such switch");
  Loss loss(fabric);
  loss.switches[s] = 1;
  return rebuild(fabric, loss);
}

Fabric without_endport(const Fabric& fabric, EndportId e) {
  check(index(e) < fabric.num_endports(), "without_endport: no such end port");
  Loss loss(fabric);
  loss.endports[e] = 1;
  return rebuild(fabric, loss);
}

}  // namespace espalier
