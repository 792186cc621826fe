// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/fabric_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/try.h"

namespace espalier {
namespace {

bool before(const Switch& a, const Switch& b) { return a.guid < b.guid; }
bool before(const Endport& a, const Endport& b) {
  return std::pair(a.node_guid, a.port) < std::pair(b.node_guid, b.port);
}

// The order in which handles become ids: position in the result = id.
template <class Items>
LargeVector<std::uint32_t> sorted_order(const Items& items) {
  LargeVector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto less = [&](std::uint32_t a, std::uint32_t b) { return before(items.raw()[a], items.raw()[b]); };
  if (!std::is_sorted(order.begin(), order.end(), less)) std::sort(order.begin(), order.end(), less);
  return order;
}

LargeVector<std::uint32_t> inverse(const LargeVector<std::uint32_t>& order) {
  LargeVector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

// The items as ids say, most often the order in which they came.
template <class Id, class Handle, class T>
IdVector<Id, T> in_order(IdVector<Handle, T> items, const LargeVector<std::uint32_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return std::move(items).template renamed<Id>();
  IdVector<Id, T> sorted;
  sorted.reserve(items.size());
  for (const std::uint32_t i : order) sorted.push_back(std::move(items[Handle{i}]));
  return sorted;
}

std::string name_of(const LidOwner& who, const Fabric& fabric) {
  return who.kind == LidOwner::Kind::kSwitch ? fabric.label(SwitchId{who.id}) : fabric.label(EndportId{who.id});
}

// Writes `who` into owners[base .. base + 2^lmc), or says what is wrong with these LIDs. REQUIRES: room for all of them.
Status claim(LargeVector<LidOwner>& owners, const Fabric& fabric, LidOwner who, Lid base, std::uint8_t lmc) {
  if (lmc > kMaxLmc || index(base) % (std::size_t{1} << lmc) != 0 ||
      index(base) + (std::size_t{1} << lmc) - 1 > index(kMaxUnicastLid))
    return fail(fmt::format("{} has LID {} with LMC {}, which is not a unicast range aligned to 2^LMC",
                            name_of(who, fabric), index(base), lmc));
  for (const Lid lid : lids_of(base, lmc)) {
    LidOwner& slot = owners[index(lid)];
    if (slot.kind != LidOwner::Kind::kNone)
      return fail(
          fmt::format("LID {} belongs to {} and to {}", index(lid), name_of(slot, fabric), name_of(who, fabric)),
          "give each port its own LID range, or remove the LIDs to have them assigned");
    slot = who;
    slot.offset = static_cast<std::uint8_t>(index(lid) - index(base));
  }
  return {};
}

}  // namespace

FabricBuilder::FabricBuilder(const Fabric& fabric) {
  reserve(fabric.num_switches(), fabric.num_endports(), fabric.num_switch_links() + fabric.num_endports());
  for (const SwitchId s : fabric.switches()) add_switch(fabric.at(s));
  for (const EndportId e : fabric.endports()) add_endport(fabric.at(e));
  for (const SwitchId s : fabric.switches()) {
    for (const PortNum port : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, port);
      const SwitchHandle here{static_cast<std::uint32_t>(s)};
      if (peer.is_endport()) connect(here, port, EndportHandle{peer.id}, fabric.rate(s, port));
      if (peer.is_switch() &&
          std::pair(index(s), index(port)) < std::pair<std::size_t, std::size_t>(peer.id, index(peer.port)))
        connect(here, port, SwitchHandle{peer.id}, peer.port, fabric.rate(s, port));
    }
  }
}

void FabricBuilder::reserve(std::size_t num_switches, std::size_t num_endports, std::size_t num_links) {
  switches_.reserve(num_switches);
  endports_.reserve(num_endports);
  links_.reserve(num_links);
}

FabricBuilder::SwitchHandle FabricBuilder::add_switch(Switch s) { return switches_.push_back(std::move(s)); }

FabricBuilder::EndportHandle FabricBuilder::add_endport(Endport e) {
  e.leaf = kNoSwitch;
  e.leaf_port = kNoPort;
  return endports_.push_back(std::move(e));
}

void FabricBuilder::connect(SwitchHandle a, PortNum a_port, SwitchHandle b, PortNum b_port, LinkRate rate) {
  links_.push_back({a, a_port, Peer::Kind::kSwitch, static_cast<std::uint32_t>(b), b_port, rate});
}

void FabricBuilder::connect(SwitchHandle a, PortNum a_port, EndportHandle e, LinkRate rate) {
  links_.push_back({a, a_port, Peer::Kind::kEndport, static_cast<std::uint32_t>(e), kNoPort, rate});
}

Status FabricBuilder::assign_lids(std::uint8_t lmc, Numbering numbering) {
  const auto complete = [&] {
    const auto numbered = [](const auto& node) { return node.lid != kNoLid; };
    return std::all_of(switches_.begin(), switches_.end(), numbered) &&
           std::all_of(endports_.begin(), endports_.end(),
                       [&](const Endport& e) { return numbered(e) && e.lmc == lmc; });
  };
  if (numbering == Numbering::kKeepComplete && complete()) return {};

  const std::size_t step = std::size_t{1} << lmc;
  std::size_t next = 1;
  for (const std::uint32_t i : sorted_order(switches_)) {
    Switch& s = switches_[SwitchHandle{i}];
    s.lid = id_at<Lid>(next++);
    s.lmc = 0;
  }
  next = (next + step - 1) / step * step;
  if (next + endports_.size() * step > index(kMaxUnicastLid) + 1)
    return fail(fmt::format("{} switches and {} end ports with LMC {} need more than the {} unicast LIDs",
                            switches_.size(), endports_.size(), lmc, index(kMaxUnicastLid)),
                "choose a smaller LMC");
  for (const std::uint32_t i : sorted_order(endports_)) {
    Endport& e = endports_[EndportHandle{i}];
    e.lid = id_at<Lid>(next);
    e.lmc = lmc;
    next += step;
  }
  return {};
}

Status FabricBuilder::check_nodes(const Fabric& fabric) {
  for (std::size_t i = 1; i < fabric.num_switches(); ++i)
    if (fabric.at(id_at<SwitchId>(i - 1)).guid == fabric.at(id_at<SwitchId>(i)).guid)
      return fail(fmt::format("two switches have the GUID of {}", fabric.label(id_at<SwitchId>(i))));
  for (std::size_t i = 1; i < fabric.num_endports(); ++i) {
    const Endport& a = fabric.at(id_at<EndportId>(i - 1));
    const Endport& b = fabric.at(id_at<EndportId>(i));
    if (a.node_guid == b.node_guid && a.port == b.port)
      return fail(fmt::format("two end ports are port {} of node 0x{:016x} ({})", index(b.port), index(b.node_guid),
                              b.description));
  }
  return {};
}

void FabricBuilder::number_channels(Fabric& fabric) {
  std::size_t num_channels = 0;
  fabric.first_channel_.reserve(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) {
    fabric.first_channel_.push_back(static_cast<std::uint32_t>(num_channels));
    num_channels += fabric.at(s).num_ports + 1U;
  }
  fabric.channel_source_.reserve(num_channels);
  for (const SwitchId s : fabric.switches())
    fabric.channel_source_.insert(fabric.channel_source_.end(), fabric.at(s).num_ports + 1U, s);
  fabric.peers_.resize(fabric.channel_source_.size());
  fabric.rates_.resize(fabric.channel_source_.size());
}

Status FabricBuilder::plug(Fabric& fabric, SwitchId s, PortNum port, const Peer& peer, LinkRate rate) {
  if (port == kManagementPort || index(port) > fabric.at(s).num_ports)
    return fail(fmt::format("a cable is plugged into port {} of {}, which has only ports 1 to {}", index(port),
                            fabric.label(s), fabric.at(s).num_ports));
  const std::size_t c = index(fabric.channel(s, port));
  if (fabric.peers_[c].kind != Peer::Kind::kNone)
    return fail(fmt::format("port {} of {} has two cables", index(port), fabric.label(s)));
  fabric.peers_[c] = peer;
  fabric.rates_[c] = rate;
  return {};
}

Status FabricBuilder::plug_both_ends(Fabric& fabric, SwitchId a, std::uint32_t b, const Link& link) {
  const PortNum b_port = link.b_kind == Peer::Kind::kEndport ? fabric.endports_[EndportId{b}].port : link.b_port;
  if (Status ok = plug(fabric, a, link.a_port, {link.b_kind, b_port, b}, link.rate); !ok) return ok;
  if (link.b_kind == Peer::Kind::kSwitch) {
    ++fabric.num_switch_links_;
    const Peer back{Peer::Kind::kSwitch, link.a_port, static_cast<std::uint32_t>(a)};
    return plug(fabric, SwitchId{b}, link.b_port, back, link.rate);
  }
  Endport& e = fabric.endports_[EndportId{b}];
  if (e.leaf != kNoSwitch)
    return fail(fmt::format("port {} of {} has two cables", index(e.port), fabric.label(EndportId{b})));
  e.leaf = a;
  e.leaf_port = link.a_port;
  return {};
}

Status FabricBuilder::claim_lids(Fabric& fabric) {
  const auto claim_for = [&](LidOwner::Kind kind, std::size_t id, const auto& node) {
    return claim(fabric.owners_, fabric, {kind, 0, static_cast<std::uint32_t>(id)}, node.lid, node.lmc);
  };
  std::size_t num_lids = 1;
  const auto make_room = [&](const auto& node) {
    if (node.lid != kNoLid && node.lmc <= kMaxLmc)
      num_lids = std::max(num_lids, index(node.lid) + (std::size_t{1} << node.lmc));
  };
  std::for_each(fabric.switches_.begin(), fabric.switches_.end(), make_room);
  std::for_each(fabric.endports_.begin(), fabric.endports_.end(), make_room);
  fabric.owners_.resize(num_lids);
  for (const SwitchId s : fabric.switches())
    if (Status ok = claim_for(LidOwner::Kind::kSwitch, index(s), fabric.at(s)); !ok) return ok;
  for (const EndportId e : fabric.endports())
    if (Status ok = claim_for(LidOwner::Kind::kEndport, index(e), fabric.at(e)); !ok) return ok;
  fabric.top_lid_ = id_at<Lid>(fabric.owners_.size() - 1);
  return {};
}

Result<Fabric> FabricBuilder::build(Threads threads) && {
  const auto switch_order = sorted_order(switches_);
  const auto endport_order = sorted_order(endports_);
  Fabric fabric;
  fabric.switches_ = in_order<SwitchId>(std::move(switches_), switch_order);
  fabric.endports_ = in_order<EndportId>(std::move(endports_), endport_order);
  ESPALIER_TRY_STATUS(check_nodes(fabric));
  // From here on ids ascend with GUIDs, and no two nodes are the same.

  number_channels(fabric);
  const auto switch_id = inverse(switch_order);
  const auto endport_id = inverse(endport_order);
  const auto plug_all = [&]() -> Status {
    for (const Link& link : links_) {
      const std::uint32_t b = link.b_kind == Peer::Kind::kSwitch ? switch_id[link.b] : endport_id[link.b];
      ESPALIER_TRY_STATUS(plug_both_ends(fabric, SwitchId{switch_id[index(link.a)]}, b, link));
    }
    return {};
  };
  std::array<Status, 2> done;
  const auto step = [&](std::size_t i) { done[i] = i == 0 ? plug_all() : claim_lids(fabric); };
  if (threads == Threads::kArena)
    parallel_for(done.size(), step);
  else
    for (std::size_t i = 0; i < done.size(); ++i) step(i);
  for (const Status& status : done) ESPALIER_TRY_STATUS(status);
  // From here on each end of each link knows the other, and each LID its owner.
  return fabric;
}

Fabric FabricBuilder::replugged(Fabric fabric, const std::vector<Replug>& replugs) {
  std::size_t lost_ends = 0, new_ends = 0;
  for (const auto& [channel, peer, rate] : replugs) {
    Peer& plugged = fabric.peers_[index(channel)];
    lost_ends += plugged.is_switch() ? 1 : 0;
    new_ends += peer.is_switch() ? 1 : 0;
    plugged = peer;
    fabric.rates_[index(channel)] = rate;
  }
  fabric.num_switch_links_ = fabric.num_switch_links_ + new_ends / 2 - lost_ends / 2;
  return fabric;
}

}  // namespace espalier
