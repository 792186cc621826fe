// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/generators/site_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/endport_role.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/draw.h"
#include "core/fabric/generators/made_up_nodes.h"
#include "core/fabric/random_order.h"
#include "core/fabric/rules/host_name.h"
#include "core/fabric/switch_roles.h"

namespace espalier {
namespace {

struct Link {
  SwitchId a;
  PortNum a_port;
  Peer b;
  LinkRate rate;
};

// REQUIRES: there is a faster speed.
LinkRate twice(LinkRate rate) { return {rate.width, static_cast<LinkSpeed>(static_cast<int>(rate.speed) + 1)}; }

// The hosts of each leaf as one list after the other, those of the first two leaves in turn, those of the next two, ...
std::vector<EndportId> in_turns(const std::vector<std::vector<EndportId>>& of_leaf) {
  std::vector<EndportId> hosts;
  for (std::size_t leaf = 0; leaf < of_leaf.size(); leaf += 2) {
    const std::size_t end = std::min(leaf + 2, of_leaf.size());
    for (std::size_t i = 0, before = ~std::size_t{0}; before != hosts.size(); ++i) {
      before = hosts.size();
      for (std::size_t l = leaf; l < end; ++l)
        if (i < of_leaf[l].size()) hosts.push_back(of_leaf[l][i]);
    }
  }
  return hosts;
}

class SiteDraft {
 public:
  SiteDraft(const Fabric& fabric, std::uint64_t seed)
      : fabric_(fabric), seed_(seed), guid_of_(fabric.num_switches()), ports_(fabric.num_switches()) {
    for (const SwitchId s : fabric.switches()) {
      guid_of_[s] = fabric.at(s).guid;
      ports_[s] = fabric.at(s).num_ports;
    }
    for (const ChannelId c : all_links(fabric)) {
      const SwitchId s = fabric.source(c);
      links_.push_back({s, fabric.port(c), fabric.peer(c), fabric.rate(s, fabric.port(c))});
    }
    gone_.resize(fabric.num_endports());
    for (const EndportId e : fabric.endports()) description_.push_back(fabric.at(e).description);
  }

  // The i-th leaf keeps a random number of its hosts, those with the lowest ports.
  void empty_leaves() {
    const std::vector<SwitchId> leaves = switches_with_hosts(fabric_);
    for (const SwitchId leaf : leaves) {
      std::vector<std::pair<PortNum, EndportId>> hosts;
      for (const EndportId e : fabric_.endports())
        if (fabric_.at(e).leaf == leaf && is_host(fabric_.at(e))) hosts.emplace_back(fabric_.at(e).leaf_port, e);
      std::sort(hosts.begin(), hosts.end());
      std::vector<std::size_t> numbers(hosts.size() + 1);
      std::iota(numbers.begin(), numbers.end(), std::size_t{0});
      const std::string kind = fmt::format("hosts of switch {}", index(leaf));
      const std::size_t kept = RandomOrder(seed_, kind).front(std::move(numbers), 1).front();
      for (std::size_t i = kept; i < hosts.size(); ++i) gone_[index(hosts[i].second)] = 1;
    }
  }

  void shuffle_guids() {
    std::vector<Guid> guids(guid_of_.begin(), guid_of_.end());
    const std::size_t count = guids.size();
    guids = RandomOrder(seed_, "GUIDs of switches").front(std::move(guids), count);
    for (const SwitchId s : fabric_.switches()) guid_of_[s] = guids[index(s)];
  }

  // Those of channel adapters whose first port hangs on a leaf; its other ports go with it.
  void deal_names(SiteChanges::HostNames how) {
    std::map<Guid, std::vector<EndportId>> ports;  // per adapter
    for (const EndportId e : fabric_.endports())
      if (is_host(fabric_.at(e)) && fabric_.at(e).leaf != kNoSwitch) ports[fabric_.at(e).node_guid].push_back(e);
    std::vector<std::vector<EndportId>> of_leaf(fabric_.num_switches());
    std::vector<std::string> names;
    for (const auto& [node, all] : ports) {
      of_leaf[index(fabric_.at(all.front()).leaf)].push_back(all.front());
      names.push_back(fabric_.at(all.front()).description);
    }
    std::erase_if(of_leaf, [](const auto& hosts) { return hosts.empty(); });
    std::stable_sort(names.begin(), names.end(), natural_less);
    std::vector<EndportId> hosts = in_turns(of_leaf);
    if (how == SiteChanges::HostNames::kRandom) {
      const std::size_t count = hosts.size();
      hosts = RandomOrder(seed_, "names of hosts").front(std::move(hosts), count);
    }
    for (std::size_t i = 0; i < hosts.size(); ++i)
      for (const EndportId e : ports[fabric_.at(hosts[i]).node_guid]) description_[index(e)] = names[i];
  }

  Status swap_uplinks(std::size_t pairs) {
    const auto hosts = count_hosts(fabric_);
    std::vector<std::size_t> uplinks;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (links_[i].b.is_switch() && (hosts[links_[i].a] > 0) != (hosts[links_[i].b.as_switch()] > 0))
        uplinks.push_back(i);
    if (pairs > uplinks.size() / 2)
      return fail(fmt::format("cannot swap {}: the fabric has {}",
                              counted(pairs, "pair of uplinks", "pairs of uplinks"), uplinks.size() / 2));
    ESPALIER_TRY(const auto drawn, draw(std::move(uplinks), 2 * pairs, seed_, "ends of swapped uplinks"));
    for (std::size_t i = 0; i < drawn.size(); i += 2) {
      Link& x = links_[drawn[i]];
      Link& y = links_[drawn[i + 1]];
      for (Link* link : {&x, &y})  // the leaf first
        if (hosts[link->a] == 0)
          *link = {link->b.as_switch(), link->b.port,
                   Peer{Peer::Kind::kSwitch, link->a_port, static_cast<std::uint32_t>(index(link->a))}, link->rate};
      std::swap(x.b, y.b);
    }
    return {};
  }

  Status add_stray_links(std::size_t count) {
    std::set<std::pair<SwitchId, SwitchId>> neighbors;
    for (const Link& link : links_)
      if (link.b.is_switch() && link.b.as_switch() != link.a) neighbors.insert(std::minmax(link.a, link.b.as_switch()));
    std::vector<SwitchId> all;
    for (const SwitchId s : fabric_.switches()) all.push_back(s);
    const std::size_t pairs = all.empty() ? 0 : all.size() * (all.size() - 1) / 2;
    if (count > pairs - neighbors.size())
      return fail(fmt::format("cannot add {}: the fabric has {} that are not neighbors", counted(count, "stray link"),
                              counted(pairs - neighbors.size(), "pair of switches", "pairs of switches")));
    const LinkRate rate = links_.empty() ? kMadeUpRate : links_.front().rate;
    for (std::uint64_t trial = 0; count > 0; ++trial) {
      const auto ends = RandomOrder(seed_, fmt::format("stray link {}", trial)).front(all, 2);
      if (!neighbors.insert(std::minmax(ends[0], ends[1])).second) continue;
      for (const SwitchId s : ends) ESPALIER_TRY_STATUS(check_ports("modify", fabric_.label(s), ++ports_[s]));
      links_.push_back(
          {ends[0], id_at<PortNum>(ports_[ends[0]]),
           Peer{Peer::Kind::kSwitch, id_at<PortNum>(ports_[ends[1]]), static_cast<std::uint32_t>(index(ends[1]))},
           rate});
      --count;
    }
    return {};
  }

  // A link between two switches of the next generation is one of that generation, as any other link of theirs.
  Status speed_up(std::size_t spines, std::size_t leaves) {
    ESPALIER_TRY(std::vector<SwitchId> fast,
                 draw(spines > 0 ? all_spines(fabric_) : std::vector<SwitchId>{}, spines, seed_, "fast spines"));
    ESPALIER_TRY(const auto fast_leaves, draw(switches_with_hosts(fabric_), leaves, seed_, "fast leaves"));
    fast.insert(fast.end(), fast_leaves.begin(), fast_leaves.end());
    const auto is_fast = [&](SwitchId s) { return std::find(fast.begin(), fast.end(), s) != fast.end(); };
    for (Link& link : links_) {
      if (!is_fast(link.a) && !(link.b.is_switch() && is_fast(link.b.as_switch()))) continue;
      if (link.rate.speed == LinkSpeed::kXdr || link.rate.speed == LinkSpeed::kUnknown)
        return fail(
            fmt::format("a link of {} cannot run twice as fast: {}", fabric_.label(link.a),
                        link.rate.speed == LinkSpeed::kXdr ? "there is no speed above XDR" : "its speed is not known"),
            "slow other links down instead, as with --mixed-speeds");
      link.rate = twice(link.rate);
    }
    return {};
  }

  Status throttle(std::size_t count) {
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (links_[i].b.is_switch()) links.push_back(i);
    ESPALIER_TRY(const auto drawn, draw(std::move(links), count, seed_, "throttled links"));
    for (const std::size_t i : drawn) links_[i].rate.width = 1;
    return {};
  }

  Result<Fabric> finish() && {
    FabricBuilder builder;
    IdVector<SwitchId, FabricBuilder::SwitchHandle> s_handle(fabric_.num_switches());
    IdVector<EndportId, FabricBuilder::EndportHandle> e_handle(fabric_.num_endports());
    for (const SwitchId s : fabric_.switches()) {
      Switch changed = fabric_.at(s);
      changed.guid = guid_of_[s];
      changed.num_ports = static_cast<std::uint8_t>(ports_[s]);
      s_handle[s] = builder.add_switch(std::move(changed));
    }
    for (const EndportId e : fabric_.endports())
      if (gone_[index(e)] == 0) {
        Endport changed = fabric_.at(e);
        changed.description = description_[index(e)];
        e_handle[e] = builder.add_endport(std::move(changed));
      }
    for (const Link& link : links_) {
      if (link.b.is_switch())
        builder.connect(s_handle[link.a], link.a_port, s_handle[link.b.as_switch()], link.b.port, link.rate);
      else if (gone_[link.b.id] == 0)
        builder.connect(s_handle[link.a], link.a_port, e_handle[link.b.as_endport()], link.rate);
    }
    return std::move(builder).build();
  }

 private:
  const Fabric& fabric_;
  std::uint64_t seed_;
  IdVector<SwitchId, Guid> guid_of_;
  IdVector<SwitchId, std::size_t> ports_;
  std::vector<Link> links_;
  std::vector<char> gone_;                // per end port
  std::vector<std::string> description_;  // the same
};

}  // namespace

Result<Fabric> change(const Fabric& fabric, const SiteChanges& changes) {
  SiteDraft draft(fabric, changes.seed);
  ESPALIER_TRY_STATUS(draft.speed_up(changes.fast_spines, changes.fast_leaves));
  ESPALIER_TRY_STATUS(draft.throttle(changes.throttled_links));
  ESPALIER_TRY_STATUS(draft.swap_uplinks(changes.swapped_uplinks));
  ESPALIER_TRY_STATUS(draft.add_stray_links(changes.stray_links));
  if (changes.leaves == SiteChanges::Leaves::kUneven) draft.empty_leaves();
  if (changes.host_names != SiteChanges::HostNames::kAsTheyAre) draft.deal_names(changes.host_names);
  if (changes.guids == SiteChanges::Guids::kShuffled) draft.shuffle_guids();
  return std::move(draft).finish();
}

}  // namespace espalier
