// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// mcast_build_stree: one multicast group -> the multicast tables of OpenSM's switches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/analysis/soundness/dependencies/channel_dependencies.h"
#include "core/base/result.h"
#include "core/fabric/lanes.h"
#include "plugin/multicast/multicast_tree.h"
#include "plugin/multicast/own_lane.h"

extern "C" {
struct osm_opensm;
struct osm_mgrp_box;
}

namespace espalier {

// The service levels of the groups that partitions.conf makes; bit q: SL q.
[[nodiscard]] std::uint32_t levels_of_partitions(const osm_opensm& osm);

// What multicast keeps between callbacks: our own snapshot with its trunks, no pointer of OpenSM's. It outlives the run
// that made it, since groups come and go without one; OpenSM may even lose or regain leaf switches without one (unicast
// cache). Hence each link is looked up in the live objects before it is used, and what no longer fits is made anew.
class MulticastState {
 public:
  // After a routing run: groups are built on this fabric from now on. REQUIRES: `tree` is of `*fabric`.
  // `unicast`: what its channels wait for, and its lanes; nothing: one lane. Once multicast has had a lane of its own, it has
  // one as long as one is free: with it the service levels of unicast would come and go.
  // Where nothing has changed since the last run, its trees stay as they are.
  struct Unicast {
    std::shared_ptr<const ChannelDependencies> dependencies;
    std::shared_ptr<const Lanes> lanes;
    unsigned max_vls = 1;  // data lanes of the links
  };
  struct Adopted {
    bool sound = true;  // else in some connected component multicast can close a credit loop with unicast
    std::shared_ptr<const OwnLane> own_lane;  // to be used in place of the lanes of `unicast`, or it is not sound
  };
  Adopted adopt(const osm_opensm& osm, std::shared_ptr<const Fabric> fabric, std::shared_ptr<const FatTree> tree,
                const std::optional<Unicast>& unicast);
  // The same without OpenSM's lock. `support` is what support_of() found.
  Adopted adopt(std::shared_ptr<const Fabric> fabric, std::shared_ptr<const FatTree> tree,
                IdVector<SwitchId, McastSupport> support, const std::optional<Unicast>& unicast);
  // One to adopt what comes next in its place, and in the same way. REQUIRES: OpenSM's lock is held.
  [[nodiscard]] MulticastState successor() const {
    MulticastState next;
    next.is_alone_ = is_alone_;
    return next;
  }
  // REQUIRES: OpenSM's lock is held.
  [[nodiscard]] static IdVector<SwitchId, McastSupport> support_of(const osm_opensm& osm, const Fabric& fabric);

  // Builds the tree of the group's MLID, whose bits OpenSM has cleared on every switch. All members count alike, full,
  // non- and send-only ones, as in OpenSM's own builder. Fewer than two members need no tree.
  // Errors: members that cannot be joined, by name; the others are.
  [[nodiscard]] Status build(osm_opensm& osm, osm_mgrp_box& group);

 private:
  // What trees beside unicast on lanes were made of.
  struct Sources {
    std::weak_ptr<const ChannelDependencies> dependencies;
    std::weak_ptr<const Lanes> lanes;
    unsigned max_vls = 1;
    IdVector<SwitchId, McastSupport> support;
  };
  [[nodiscard]] bool is_known(const FatTree& tree, const Unicast& unicast,
                              const IdVector<SwitchId, McastSupport>& support) const;
  [[nodiscard]] Adopted make_plan(const Unicast& unicast, const IdVector<SwitchId, McastSupport>& support);
  [[nodiscard]] Status renew(const osm_opensm& osm);

  std::shared_ptr<const Fabric> fabric_;
  std::shared_ptr<const FatTree> tree_;
  std::optional<MulticastPlan> plan_;
  bool is_alone_ = false;             // on its lane
  std::optional<Sources> made_from_;  // of plan_
  Adopted adopted_;                   // with plan_
};

}  // namespace espalier
