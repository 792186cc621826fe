// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/multicast/multicast.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/tree/rank.h"
#include "plugin/multicast/shared_trunks.h"
#include "plugin/opensm.h"
#include "plugin/snapshot.h"
#include "plugin/subnet/live_ports.h"
#include "plugin/subnet/live_switches.h"

namespace espalier {
namespace {

// A member: the switch it hangs on and the port there; port 0 when the switch itself is the member.
struct Member {
  osm_switch_t* sw;
  std::uint8_t port;
};

// What stands in the way of a group, in the terms of the snapshot that was used.
enum class Outcome : std::uint8_t { kJoined, kStale };

const osm_mgrp_t& group_of(const cl_list_item_t* item) {
  // list_item is not the first member of osm_mgrp_t (OpenSM's cl_item_obj needs GNU C).
  return *reinterpret_cast<const osm_mgrp_t*>(reinterpret_cast<const char*>(item) - offsetof(osm_mgrp_t, list_item));
}

// Where the member ports of all groups of this MLID hang, each port once. Ports without a link are skipped.
std::vector<Member> members_of(const osm_mgrp_box_t& box, const LivePorts& live) {
  std::vector<Member> members;
  std::set<const osm_port_t*> seen;
  for (const cl_list_item_t* g = cl_qlist_head(&box.mgrp_list); g != cl_qlist_end(&box.mgrp_list);
       g = cl_qlist_next(g)) {
    const cl_qmap_t& ports = group_of(g).mcm_port_tbl;
    for (const cl_map_item_t* i = cl_qmap_head(&ports); i != cl_qmap_end(&ports); i = cl_qmap_next(i)) {
      const osm_port_t* port = reinterpret_cast<const osm_mcm_port_t*>(i)->port;
      if (!seen.insert(port).second) continue;
      if (port->p_node->sw != nullptr) {
        members.push_back({port->p_node->sw, 0});
      } else if (port->p_physp != nullptr && live.has(port->p_physp->p_remote_physp) &&
                 port->p_physp->p_remote_physp->p_node->sw != nullptr) {
        members.push_back({port->p_physp->p_remote_physp->p_node->sw, port->p_physp->p_remote_physp->port_num});
      }
    }
  }
  return members;
}

// OpenSM sends a switch the blocks that it has once had an entry in, and none of the others: what a former subnet manager
// left there stays, and packets follow it, in a loop if a cable has moved since. So the block of this MLID counts as
// used in all switches, which makes OpenSM send it, empty or not.
void have_block_sent(const osm_opensm_t& osm, std::uint16_t mlid) {
  const auto block = static_cast<std::int16_t>((mlid - IB_LID_MCAST_START_HO) / IB_MCAST_BLOCK_SIZE);
  const cl_qmap_t& switches = osm.subn.sw_guid_tbl;
  for (cl_map_item_t* i = cl_qmap_head(&switches); i != cl_qmap_end(&switches); i = cl_qmap_next(i)) {
    auto& sw = *reinterpret_cast<osm_switch_t*>(i);
    if (osm_switch_supports_mcast(&sw) != 0)
      sw.mcast_tbl.max_block_in_use = std::max(sw.mcast_tbl.max_block_in_use, block);
  }
}

osm_switch_t* live_switch(const osm_opensm_t& osm, Guid guid) {
  return osm_get_switch_by_guid(&osm.subn, cl_hton64(index(guid)));
}

// Whether the link is still the one in the snapshot.
bool is_live(const LivePorts& live, const osm_switch_t& sw, PortNum port, const osm_switch_t& remote,
             PortNum remote_port) {
  if (index(port) >= sw.p_node->physp_tbl_size) return false;
  const osm_physp_t& here = sw.p_node->physp_table[index(port)];
  if (osm_physp_is_valid(&here) == 0 || !live.has(here.p_remote_physp)) return false;
  return here.p_remote_physp->p_node->sw == &remote && here.p_remote_physp->port_num == index(remote_port);
}

// Builds the trees of one MLID, one for each connected component that has members.
class GroupBuilder {
 public:
  GroupBuilder(osm_opensm_t& osm, const LivePorts& live, const Fabric& fabric, const FatTree& tree, MulticastPlan& plan,
               std::uint16_t mlid)
      : osm_(osm), live_(live), fabric_(fabric), tree_(tree), plan_(plan), mlid_(mlid) {}

  // kStale: OpenSM's subnet is no longer that of the snapshot; nothing was written.
  Outcome join_all(const std::vector<Member>& members) {
    std::map<std::uint32_t, std::vector<SwitchId>> joined;  // by component
    std::vector<Member> reached;
    for (const Member& member : members) {
      const SwitchId s = fabric_.find_switch(Guid{cl_ntoh64(osm_node_get_node_guid(member.sw->p_node))});
      if (s == kNoSwitch) return Outcome::kStale;
      const Trunk* trunk = plan_.trunk(tree_.component(s), mlid_);
      if (trunk == nullptr || !trunk->contains(s)) {
        lost_.insert(s);
      } else {
        joined[tree_.component(s)].push_back(s);
        reached.push_back(member);
      }
    }
    std::vector<Member> ports;  // of switches, that carry the group
    for (const auto& [component, switches] : joined)
      for (const TreeEdge& edge : join(*plan_.trunk(component, mlid_), switches)) {
        osm_switch_t* upper = live_switch(osm_, fabric_.at(edge.upper).guid);
        osm_switch_t* lower = live_switch(osm_, fabric_.at(edge.lower).guid);
        if (upper == nullptr || lower == nullptr || !is_live(live_, *upper, edge.upper_port, *lower, edge.lower_port))
          return Outcome::kStale;
        ports.push_back({upper, static_cast<std::uint8_t>(edge.upper_port)});
        ports.push_back({lower, static_cast<std::uint8_t>(edge.lower_port)});
      }
    for (const auto& list : {reached, ports})
      for (const Member& entry : list) osm_mcast_tbl_set(&entry.sw->mcast_tbl, mlid_, entry.port);
    return Outcome::kJoined;
  }

  // Members' switches that no tree reaches.
  [[nodiscard]] const std::set<SwitchId>& lost() const { return lost_; }

 private:
  osm_opensm_t& osm_;
  const LivePorts& live_;
  const Fabric& fabric_;
  const FatTree& tree_;
  MulticastPlan& plan_;
  std::uint16_t mlid_;
  std::set<SwitchId> lost_;
};

}  // namespace

std::uint32_t levels_of_partitions(const osm_opensm& osm) {
  std::uint32_t sls = 0;
  const cl_fmap_t& groups = osm.subn.mgrp_mgid_tbl;
  for (const cl_fmap_item_t* i = cl_fmap_head(&groups); i != cl_fmap_end(&groups); i = cl_fmap_next(i)) {
    const auto& group = *reinterpret_cast<const osm_mgrp_t*>(i);  // whose first member it is
    if (group.well_known == 0) continue;
    std::uint8_t sl = 0;
    ib_member_get_sl_flow_hop(group.mcmember_rec.sl_flow_hop, &sl, nullptr, nullptr);
    sls |= 1U << sl;
  }
  return sls;
}

IdVector<SwitchId, McastSupport> MulticastState::support_of(const osm_opensm& osm, const Fabric& fabric) {
  IdVector<SwitchId, McastSupport> support(fabric.num_switches(), McastSupport::kNo);
  const IdVector<SwitchId, osm_switch_t*> switches = live_switches(osm, fabric);
  for (const SwitchId s : fabric.switches()) {
    const osm_switch_t* const sw = switches[s];
    if (sw != nullptr && osm_switch_supports_mcast(sw) != 0) support[s] = McastSupport::kYes;
  }
  return support;
}

bool MulticastState::is_known(const FatTree& tree, const Unicast& unicast,
                              const IdVector<SwitchId, McastSupport>& support) const {
  return plan_ && made_from_ && tree_.get() == &tree && made_from_->dependencies.lock() == unicast.dependencies &&
         made_from_->lanes.lock() == unicast.lanes && made_from_->max_vls == unicast.max_vls &&
         std::ranges::equal(made_from_->support, support);
}

MulticastState::Adopted MulticastState::make_plan(const Unicast& unicast,
                                                  const IdVector<SwitchId, McastSupport>& support) {
  SharedTrunks shared = share_trunks(*tree_, *unicast.dependencies, *unicast.lanes, support);
  plan_->share(std::move(shared.by_component));
  const bool needs_none = shared.unsound.empty();
  if (needs_none && !is_alone_) return {};
  std::optional<OwnLane> own_lane = with_own_lane(*unicast.lanes, unicast.max_vls);
  is_alone_ = own_lane.has_value();
  return {is_alone_ || needs_none, own_lane ? std::make_shared<const OwnLane>(*std::move(own_lane)) : nullptr};
}

MulticastState::Adopted MulticastState::adopt(const osm_opensm& osm, std::shared_ptr<const Fabric> fabric,
                                              std::shared_ptr<const FatTree> tree,
                                              const std::optional<Unicast>& unicast) {
  IdVector<SwitchId, McastSupport> support = support_of(osm, *fabric);
  return adopt(std::move(fabric), std::move(tree), std::move(support), unicast);
}

MulticastState::Adopted MulticastState::adopt(std::shared_ptr<const Fabric> fabric, std::shared_ptr<const FatTree> tree,
                                              IdVector<SwitchId, McastSupport> support,
                                              const std::optional<Unicast>& unicast) {
  if (unicast && is_known(*tree, *unicast, support)) return adopted_;
  plan_.reset();
  made_from_.reset();
  tree_ = std::move(tree);
  fabric_ = std::move(fabric);
  plan_.emplace(*tree_, support);
  if (!unicast) return adopted_ = {};
  adopted_ = make_plan(*unicast, support);
  made_from_ = {unicast->dependencies, unicast->lanes, unicast->max_vls, std::move(support)};
  return adopted_;
}

Status MulticastState::renew(const osm_opensm& osm) {
  ESPALIER_TRY(Fabric snapshot, take_snapshot(osm));
  auto fabric = std::make_shared<const Fabric>(std::move(snapshot));
  ESPALIER_TRY(FatTree tree, rank(*fabric));
  // Until the next run it is not known which trees go with the lanes.
  (void)adopt(osm, std::move(fabric), std::make_shared<const FatTree>(std::move(tree)), std::nullopt);
  return {};
}

Status MulticastState::build(osm_opensm& osm, osm_mgrp_box& group) {
  osm_purge_mtree(&osm.sm, &group);  // a tree that another engine left; nothing reads it
  have_block_sent(osm, group.mlid);
  const LivePorts live(osm.subn);
  const std::vector<Member> members = members_of(group, live);
  if (members.size() < 2) return {};

  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt > 0 || !plan_)
      if (Status ok = renew(osm); !ok) return ok;
    GroupBuilder builder(osm, live, *fabric_, *tree_, *plan_, group.mlid);
    if (builder.join_all(members) == Outcome::kStale) continue;
    if (builder.lost().empty()) return {};
    return fail(
        fmt::format("MLID 0x{:x}: no path to {} with members, the first being {}", group.mlid,
                    counted(builder.lost().size(), "switch", "switches"), fabric_->label(*builder.lost().begin())),
        "it does not support multicast, or none of its neighbors does");
  }
  return fail(fmt::format("MLID 0x{:x}: the subnet keeps changing while its tree is being built", group.mlid));
}

}  // namespace espalier
