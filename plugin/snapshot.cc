// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/snapshot.h"

#include <algorithm>
#include <utility>

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
struct Owner {
  enum class Kind : std::uint8_t { kNone, kSwitch, kEndport };
  Kind kind = Kind::kNone;
  std::uint32_t handle = 0;
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
      if (end.number != LivePorts::kNone) owners_[end.number] = {Owner::Kind::kEndport, endports};
      ++endports;
    }
    for (std::uint32_t i = 0; i < read_.switches.size(); ++i) {
      const Readings::Switch& s = read_.switches[i];
      if (s.first != LivePorts::kNone)
        std::fill_n(owners_.begin() + s.first, s.table_size, Owner{Owner::Kind::kSwitch, i});
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
    if (owner.kind == Owner::Kind::kNone || !other.may_carry || other.remote != number) return {};
    if (owner.kind == Owner::Kind::kSwitch && owner.handle == owners_[number].handle) return {};
    return {port.remote, owner};
  }

 private:
  const Readings& read_;
  std::vector<Owner> owners_;  // by number of port
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

Result<Fabric> fabric_of(const Readings& read) {
  FabricBuilder builder;
  std::vector<const Readings::End*> port0(read.live.size());  // by number
  for (const Readings::End& end : read.ends) {
    if (end.node_type != IB_NODE_TYPE_SWITCH && end.at != nullptr)
      static_cast<void>(builder.add_endport(endport_of(read, end)));
    if (end.number != LivePorts::kNone) port0[end.number] = &end;
  }
  for (const Readings::Switch& from : read.switches) {
    Switch s = switch_of(read, from);
    const Readings::End* const end = from.first == LivePorts::kNone ? nullptr : port0[from.first];
    if (end != nullptr) std::tie(s.lid, s.lmc) = std::pair(end->lid, end->lmc);
    static_cast<void>(builder.add_switch(std::move(s)));
  }
  const Links links(read);
  for (std::uint32_t i = 0; i < read.switches.size(); ++i)
    for (std::uint32_t p = 1; p < num_ports(read.switches[i]); ++p) {
      const std::uint32_t number = read.switches[i].first + p;
      const auto [remote, owner] = links.of(number);
      if (remote == LivePorts::kNone || (owner.kind == Owner::Kind::kSwitch && owner.handle < i)) continue;
      const Readings::Port& port = read.ports[number];
      if (owner.kind == Owner::Kind::kSwitch)
        builder.connect(SwitchHandle{i}, id_at<PortNum>(p), SwitchHandle{owner.handle},
                        PortNum{read.ports[remote].port_num}, port.rate);
      else
        builder.connect(SwitchHandle{i}, id_at<PortNum>(p), EndportHandle{owner.handle}, port.rate);
    }
  return std::move(builder).build();
}

}  // namespace

Result<Fabric> take_snapshot(const osm_opensm& osm) { return fabric_of(read_subnet(osm)); }

Snapshots::Snapshots() = default;
Snapshots::~Snapshots() = default;

// The last fabric, or one with other links between switches. Null: something else is new as well.
std::shared_ptr<const Fabric> Snapshots::relinked(const Readings& now) const {
  const Readings& was = *readings_;
  if (!(now.live == was.live && now.switches == was.switches && now.ends == was.ends && now.text == was.text))
    return nullptr;
  const Links links(now);
  std::vector<std::uint32_t> changed;  // and the other ends, old and new
  for (std::uint32_t number = 0; number < now.ports.size(); ++number) {
    if (now.ports[number] == was.ports[number]) continue;
    changed.push_back(number);
    for (const std::uint32_t remote : {now.ports[number].remote, was.ports[number].remote})
      if (remote != LivePorts::kNone) changed.push_back(remote);
  }
  if (changed.empty()) return fabric_;
  sort_unique(changed);
  std::vector<FabricBuilder::Replug> replugs;
  for (const std::uint32_t number : changed) {
    const Owner& here = links.owner(number);
    const auto [remote, there] = links.of(number);
    if (here.kind != Owner::Kind::kSwitch || there.kind == Owner::Kind::kEndport) return nullptr;
    const Readings::Switch& sw = now.switches[here.handle];
    const std::uint32_t p = number - sw.first;
    const ChannelId channel = fabric_->channel(fabric_->find_switch(sw.guid), id_at<PortNum>(p));
    if (p == 0 || p >= num_ports(sw) || fabric_->peer(channel).is_endport()) return nullptr;
    if (there.kind == Owner::Kind::kNone) {
      replugs.push_back({channel, {}, {}});
      continue;
    }
    const SwitchId far = fabric_->find_switch(now.switches[there.handle].guid);
    const Peer peer{Peer::Kind::kSwitch, PortNum{now.ports[remote].port_num}, static_cast<std::uint32_t>(far)};
    replugs.push_back({channel, peer, now.ports[there.handle < here.handle ? remote : number].rate});
  }
  return std::make_shared<const Fabric>(FabricBuilder::replugged(*fabric_, replugs));
}

Result<std::shared_ptr<const Fabric>> Snapshots::take(const osm_opensm& osm) {
  auto now = std::make_unique<const Readings>(read_subnet(osm, readings_.get()));
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
