// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/snapshot.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/sort_unique.h"
#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "plugin/opensm.h"
#include "plugin/readings.h"

namespace espalier {
namespace {

using SwitchHandle = FabricBuilder::SwitchHandle;
using EndportHandle = FabricBuilder::EndportHandle;

// Whose port it is: the place among the switches of the readings, or the handle of an end port.
class Owner {
 public:
  Owner() = default;
  static Owner of_switch(std::uint32_t place) { return Owner(2 * place); }
  static Owner of_endport(std::uint32_t handle) { return Owner(2 * handle + 1); }
  [[nodiscard]] bool is_none() const { return value_ == kNone; }
  [[nodiscard]] bool is_switch() const { return !is_none() && value_ % 2 == 0; }
  [[nodiscard]] bool is_endport() const { return !is_none() && value_ % 2 != 0; }
  // REQUIRES: it is not none.
  [[nodiscard]] std::uint32_t handle() const { return value_ / 2; }
  bool operator==(const Owner&) const = default;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  explicit Owner(std::uint32_t value) : value_(value) {}
  std::uint32_t value_ = kNone;
};

// The link that this port has, if it carries packets. A link between two switches is that of the one with the lower
// handle, whose rate counts.
struct Link {
  std::uint32_t remote = LivePorts::kNone;
  Owner owner;
};

class Links {
 public:
  explicit Links(const Readings& readings) : read_(readings), owners_(readings.live.size()) {
    std::uint32_t endports = 0;
    for (const Readings::End& end : read_.ends) {
      if (end.node_type == IB_NODE_TYPE_SWITCH || end.at == nullptr) continue;
      if (end.number != LivePorts::kNone) owners_[end.number] = Owner::of_endport(endports);
      ++endports;
    }
    for (std::uint32_t i = 0; i < read_.switches.size(); ++i) {
      const Readings::Switch& s = read_.switches[i];
      if (s.first != LivePorts::kNone) std::fill_n(owners_.begin() + s.first, s.table_size, Owner::of_switch(i));
    }
  }

  [[nodiscard]] const Owner& owner(std::uint32_t number) const { return owners_[number]; }

  // REQUIRES: `number` is that of a port of a switch.
  [[nodiscard]] Link of(std::uint32_t number) const {
    const Readings::Port& port = read_.ports[number];
    if (!port.may_carry) return {};
    if (port.remote == LivePorts::kNone) return {};
    const Readings::Port& other = read_.ports[port.remote];
    const Owner& owner = owners_[port.remote];
    if (owner.is_none() || !other.may_carry || other.remote != number) return {};
    if (owner.is_switch() && owner == owners_[number]) return {};
    return {port.remote, owner};
  }

 private:
  const Readings& read_;
  LargeVector<Owner> owners_;  // by number of port
};

Switch switch_of(const Readings& read, const Readings::Switch& from) {
  Switch s;
  s.guid = from.guid;
  s.description = read.text.c_str() + from.description;
  s.num_ports = from.num_ports;
  s.port0 = from.port0;
  s.lft_capacity = from.lft_capacity;
  return s;
}

Endport endport_of(const Readings& read, const Readings::End& from) {
  Endport e;
  e.node_guid = from.node_guid;
  e.port_guid = from.port_guid;
  e.description = read.text.c_str() + from.description;
  e.port = PortNum{from.port};
  e.kind = from.node_type == IB_NODE_TYPE_ROUTER ? EndportKind::kRouter : EndportKind::kChannelAdapter;
  e.lid = from.lid;
  e.lmc = from.lmc;
  return e;
}

std::uint32_t num_ports(const Readings::Switch& s) {
  return s.first == LivePorts::kNone ? 0 : std::min<std::uint32_t>(s.num_ports + 1U, s.table_size);
}

void add_nodes(const Readings& read, const Links& links, FabricBuilder& builder) {
  std::vector<const Readings::End*> port0(read.switches.size());
  for (const Readings::End& end : read.ends) {
    if (end.node_type != IB_NODE_TYPE_SWITCH && end.at != nullptr)
      static_cast<void>(builder.add_endport(endport_of(read, end)));
    if (end.number == LivePorts::kNone || !links.owner(end.number).is_switch()) continue;
    const std::uint32_t place = links.owner(end.number).handle();
    if (end.number == read.switches[place].first) port0[place] = &end;
  }
  for (std::size_t place = 0; place < read.switches.size(); ++place) {
    Switch s = switch_of(read, read.switches[place]);
    if (port0[place] != nullptr) std::tie(s.lid, s.lmc) = std::pair(port0[place]->lid, port0[place]->lmc);
    static_cast<void>(builder.add_switch(std::move(s)));
  }
}

void add_links(const Readings& read, const Links& links, FabricBuilder& builder) {
  for (std::uint32_t i = 0; i < read.switches.size(); ++i)
    for (std::uint32_t p = 1; p < num_ports(read.switches[i]); ++p) {
      const std::uint32_t number = read.switches[i].first + p;
      const auto [remote, owner] = links.of(number);
      if (remote == LivePorts::kNone || (owner.is_switch() && owner.handle() < i)) continue;
      const Readings::Port& port = read.ports[number];
      if (owner.is_switch())
        builder.connect(SwitchHandle{i}, id_at<PortNum>(p), SwitchHandle{owner.handle()},
                        PortNum{read.ports[remote].port_num}, port.rate);
      else
        builder.connect(SwitchHandle{i}, id_at<PortNum>(p), EndportHandle{owner.handle()}, port.rate);
    }
}

Result<Fabric> fabric_of(const Readings& read) {
  FabricBuilder builder;
  builder.reserve(read.switches.size(), read.ends.size(), read.live.size() / 2);
  const Links links(read);
  parallel_for(2, [&](std::size_t i) { (i == 0 ? add_nodes : add_links)(read, links, builder); });
  return std::move(builder).build(FabricBuilder::Threads::kArena);
}

}  // namespace

Result<Fabric> take_snapshot(const osm_opensm& osm) { return fabric_of(read_subnet(osm)); }

// The last fabric, or one with other links between switches. Null: something else is new as well.
std::shared_ptr<const Fabric> Snapshots::relinked(const Readings& now) const {
  const Readings& was = *readings_;
  if (!(now.live == was.live && now.switches == was.switches && now.ends == was.ends && now.text == was.text))
    return nullptr;
  std::vector<std::uint32_t> changed;  // and the other ends, old and new
  for (std::uint32_t number = 0; number < now.ports.size(); ++number) {
    if (now.ports[number] == was.ports[number]) continue;
    changed.push_back(number);
    for (const std::uint32_t remote : {now.ports[number].remote, was.ports[number].remote})
      if (remote != LivePorts::kNone) changed.push_back(remote);
  }
  if (changed.empty()) return fabric_;
  sort_unique(changed);
  const Links links(now);
  std::vector<FabricBuilder::Replug> replugs;
  for (const std::uint32_t number : changed) {
    const Owner& here = links.owner(number);
    const auto [remote, there] = links.of(number);
    if (!here.is_switch() || there.is_endport()) return nullptr;
    const Readings::Switch& sw = now.switches[here.handle()];
    const std::uint32_t p = number - sw.first;
    const ChannelId channel = fabric_->channel(fabric_->find_switch(sw.guid), id_at<PortNum>(p));
    if (p == 0 || p >= num_ports(sw) || fabric_->peer(channel).is_endport()) return nullptr;
    if (there.is_none()) {
      replugs.push_back({channel, {}, {}});
      continue;
    }
    const SwitchId far = fabric_->find_switch(now.switches[there.handle()].guid);
    const Peer peer{Peer::Kind::kSwitch, PortNum{now.ports[remote].port_num}, static_cast<std::uint32_t>(far)};
    replugs.push_back({channel, peer, now.ports[there.handle() < here.handle() ? remote : number].rate});
  }
  return std::make_shared<const Fabric>(FabricBuilder::replugged(*fabric_, replugs));
}

Result<std::shared_ptr<const Fabric>> Snapshots::take(const osm_opensm& osm) { return take(osm, LidsRead::kConfirmed); }

Result<std::shared_ptr<const Fabric>> Snapshots::take(const osm_opensm& osm, LidsRead lids) {
  auto now = std::make_shared<const Readings>(read_subnet(osm, readings_.get(), lids));
  std::shared_ptr<const Fabric> fabric;
  if (readings_ && fabric_) fabric = relinked(*now);
  if (!fabric) {
    fabric_.reset();
    ESPALIER_TRY(Fabric whole, fabric_of(*now));
    fabric = std::make_shared<const Fabric>(std::move(whole));
  }
  fabric_ = std::move(fabric);
  readings_ = std::move(now);
  return fabric_;
}

}  // namespace espalier
