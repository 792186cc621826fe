// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/modifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/draw.h"
#include "core/fabric/generators/made_up_nodes.h"
#include "core/fabric/random_order.h"
#include "core/fabric/switch_roles.h"

namespace espalier {
namespace {

LinkRate slower(LinkRate rate) {
  if (rate.speed > LinkSpeed::kSdr) return {rate.width, static_cast<LinkSpeed>(static_cast<int>(rate.speed) - 1)};
  return {static_cast<std::uint8_t>(rate == LinkRate{} ? 4 : 1), LinkSpeed::kSdr};
}

// All but those of the lowest rate.
std::vector<ChannelId> cables_to_slow_down(const Fabric& fabric) {
  std::vector<ChannelId> cables = all_links(fabric);
  std::erase_if(cables, [&](ChannelId c) {
    const LinkRate rate = fabric.rate(fabric.source(c), fabric.port(c));
    return slower(rate) == rate;
  });
  return cables;
}

std::vector<Guid> host_adapters(const Fabric& fabric) {
  std::vector<Guid> adapters;
  for (const EndportId e : fabric.endports()) {
    const Endport& endport = fabric.at(e);
    if (endport.kind == EndportKind::kChannelAdapter && !is_aggregation_node(endport) &&
        (adapters.empty() || adapters.back() != endport.node_guid))  // ids ascend with (node GUID, port)
      adapters.push_back(endport.node_guid);
  }
  return adapters;
}

// The fabric while it is being changed. Handles of switches are their ids.
class Draft {
 public:
  explicit Draft(const Fabric& fabric)
      : fabric_(fabric), used_(fabric.num_switches()), next_lid_(index(fabric.top_lid()) + 1), lmc_(most_lmc(fabric)) {
    for (const SwitchId s : fabric.switches()) {
      builder_.add_switch(fabric.at(s));
      used_[s].assign(fabric.at(s).num_ports + std::size_t{1}, 0);
      guids_.insert(fabric.at(s).guid);
    }
    for (const EndportId e : fabric.endports()) guids_.insert({fabric.at(e).node_guid, fabric.at(e).port_guid});
  }

  // REQUIRES: both sorted.
  void copy(const std::vector<Guid>& missing, const std::vector<ChannelId>& slow) {
    const auto is_missing = [&](const Endport& e) {
      return std::binary_search(missing.begin(), missing.end(), e.node_guid);
    };
    IdVector<EndportId, FabricBuilder::EndportHandle> handle(fabric_.num_endports());
    for (const EndportId e : fabric_.endports())
      if (!is_missing(fabric_.at(e))) handle[e] = builder_.add_endport(fabric_.at(e));
    for (const ChannelId c : all_links(fabric_)) {
      const SwitchId s = fabric_.source(c);
      const PortNum port = fabric_.port(c);
      const Peer& peer = fabric_.peer(c);
      const LinkRate as_was = fabric_.rate(s, port);
      const LinkRate rate = std::binary_search(slow.begin(), slow.end(), c) ? slower(as_was) : as_was;
      if (peer.is_endport() && is_missing(fabric_.at(peer.as_endport()))) continue;
      used_[s][index(port)] = 1;
      if (peer.is_endport()) {
        builder_.connect(handle_of(s), port, handle[peer.as_endport()], rate);
      } else {
        used_[peer.as_switch()][index(peer.port)] = 1;
        builder_.connect(handle_of(s), port, handle_of(peer.as_switch()), peer.port, rate);
      }
    }
  }

  void link(SwitchId a, SwitchId b) {
    const PortNum port = lowest_free_port(a);
    builder_.connect(handle_of(a), port, handle_of(b), lowest_free_port(b), first_rate(a));
  }

  void add_service_host(SwitchId s, std::string description) {
    add_adapter(s, lowest_free_port(s), service_guid_, std::move(description));
  }

  void add_aggregation_node(SwitchId s) {
    add_adapter(s, new_port(s), aggregation_guid_, "Mellanox Technologies Aggregation Node");
  }

  Result<Fabric> finish() && {
    for (const SwitchId s : fabric_.switches()) {
      const std::size_t ports = used_[s].size() - 1;
      ESPALIER_TRY_STATUS(check_ports("modify", fabric_.label(s), ports));
      builder_.at(handle_of(s)).num_ports = static_cast<std::uint8_t>(ports);
    }
    if (next_lid_ > index(kMaxUnicastLid) + 1)
      return fail(fmt::format("modify: the new end ports need LIDs up to {}; the highest is {}", next_lid_ - 1,
                              index(kMaxUnicastLid)));
    return std::move(builder_).build();
  }

 private:
  static FabricBuilder::SwitchHandle handle_of(SwitchId s) { return id_at<FabricBuilder::SwitchHandle>(index(s)); }

  PortNum new_port(SwitchId s) {
    used_[s].push_back(1);
    return id_at<PortNum>(std::min<std::size_t>(used_[s].size() - 1, 255));  // too many: finish() refuses
  }

  PortNum lowest_free_port(SwitchId s) {
    const auto at = std::find(used_[s].begin() + 1, used_[s].end(), 0);
    if (at == used_[s].end()) return new_port(s);
    *at = 1;
    return id_at<PortNum>(static_cast<std::size_t>(at - used_[s].begin()));
  }

  [[nodiscard]] LinkRate first_rate(SwitchId s) const {
    for (const PortNum p : fabric_.ports(s))
      if (fabric_.peer(s, p).kind != Peer::Kind::kNone) return fabric_.rate(s, p);
    return kMadeUpRate;
  }

  void add_adapter(SwitchId s, PortNum port, std::uint64_t& guid, std::string description) {
    while (guids_.contains(Guid{guid}) || guids_.contains(Guid{guid + 1})) guid += 16;
    Endport e;
    e.node_guid = Guid{guid};
    e.port_guid = Guid{guid + 1};
    guid += 16;
    e.description = std::move(description);
    const std::size_t lids = std::size_t{1} << lmc_;
    const std::size_t lid = (next_lid_ + lids - 1) / lids * lids;
    next_lid_ = lid + lids;
    e.lmc = lmc_;
    e.lid = id_at<Lid>(std::min<std::size_t>(lid, 0xFFFF));  // too high: finish() refuses
    builder_.connect(handle_of(s), port, builder_.add_endport(std::move(e)), first_rate(s));
  }

  const Fabric& fabric_;
  FabricBuilder builder_;
  IdVector<SwitchId, std::vector<char>> used_;  // per port, 0 included: whether it has a link
  std::unordered_set<Guid> guids_;              // of the fabric
  std::uint64_t aggregation_guid_ = 0x0002c90200000000;
  std::uint64_t service_guid_ = 0x0002c90300000000;
  std::size_t next_lid_;
  std::uint8_t lmc_;
};

}  // namespace

Result<Fabric> modify(const Fabric& fabric, const Modifiers& modifiers) {
  const std::uint64_t seed = modifiers.seed;
  std::vector<Guid> adapters = host_adapters(fabric);
  if (modifiers.empty_places > adapters.size())
    return fail(fmt::format("cannot leave {} empty: the fabric has {}", counted(modifiers.empty_places, "place"),
                            counted(adapters.size(), "host")));
  const auto last = adapters.end() - static_cast<std::ptrdiff_t>(modifiers.empty_places);
  const std::vector<Guid> gone(last, adapters.end());
  adapters.erase(last, adapters.end());
  ESPALIER_TRY(auto missing, draw(std::move(adapters), modifiers.missing_hosts, seed, "missing hosts"));
  missing.insert(missing.end(), gone.begin(), gone.end());
  ESPALIER_TRY(auto slow, draw(cables_to_slow_down(fabric), modifiers.slow_links, seed, "slow cables"));
  if (modifiers.leaf_links > fabric.num_switches() || modifiers.service_hosts > index(kMaxUnicastLid))
    return fail("cannot add that many links between leaves or service hosts");
  ESPALIER_TRY(const auto linked,
               draw(switches_with_hosts(fabric), 2 * modifiers.leaf_links, seed, "ends of links between leaves"));
  std::vector<SwitchId> spines = modifiers.service_hosts > 0 ? all_spines(fabric) : std::vector<SwitchId>{};
  if (modifiers.service_hosts > 0 && spines.empty())
    return fail("cannot have service hosts on spines: no switch is farther from the hosts than the others");
  const std::size_t num_spines = spines.size();
  spines = RandomOrder(seed, "service hosts").front(std::move(spines), num_spines);
  std::sort(missing.begin(), missing.end());
  std::sort(slow.begin(), slow.end());

  Draft draft(fabric);
  draft.copy(missing, slow);
  for (std::size_t i = 0; i < linked.size(); i += 2) draft.link(linked[i], linked[i + 1]);
  for (std::size_t i = 0; i < modifiers.service_hosts; ++i)
    draft.add_service_host(spines[i % num_spines], fmt::format("service {}", i));
  if (modifiers.aggregation_nodes == Modifiers::AggregationNodes::kOnEverySwitch) {
    IdVector<SwitchId, char> has_one(fabric.num_switches());
    for (const EndportId e : fabric.endports())
      if (is_aggregation_node(fabric.at(e)) && fabric.at(e).leaf != kNoSwitch) has_one[fabric.at(e).leaf] = 1;
    for (const SwitchId s : fabric.switches())
      if (!has_one[s]) draft.add_aggregation_node(s);
  }
  return std::move(draft).finish();
}

}  // namespace espalier
