// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Engine `layers`: any connected fabric, any LMC, as many virtual lanes as links have, one included.
//
// Shortest paths, spread evenly, on a graph that is no tree close credit loops; so routes are put on several lanes,
// each without a loop of its own (layered routing: LASH, Skeie et al. 2002; DFSSSP, Domke et al. 2011; FatPaths, Besta
// et al. 2020). The service level is the lane, from end to end, and depends on the source's switch and the destination
// LID.
//
//   0. On tori, meshes and HyperX dimension order, where it carries hardly more than any shortest paths have to, and has
//      lanes (dimensions.h); where there is one left, it has room for a multicast tree. On a damaged HyperX the trees of
//      step 1 begin with dimension order, and leave it only where channels would be fuller than the fullest has to be: a
//      permutation fills channels over which few hosts send more evenly.
//   1. Trees of shortest paths to all LIDs, each on the loads of the others, improved where channels are full, until the
//      fullest carries hardly more than on any shortest paths (tree_search.h, shortest_hops.h). LIDs of one switch share a
//      tree as far as that leaves steps small enough to balance: fewer trees need fewer dependencies, and so fewer lanes.
//      Slow links begin with a load, so that they get as much less.
//   2. Lanes, each as full of the dependencies that these trees need as goes without a loop (lane_sets.h). If all
//      routes find one of the lanes that there are: done. Where paths are long, one lane or two are tried before the trees
//      are improved to the end, since these often show that there are too few.
//   3. Otherwise dimension order, where ports are cabled by dimensions, improved within the lanes that it needs and two
//      more for what the trees of step 1 want, the last of which has room for a multicast tree as well: done if its
//      fullest channel carries hardly more than in step 1. Where few routes are left over, also other shortest paths on
//      what the lanes allow, and lanes for these.
//   4. Where that does not do, lane 0 takes trees that alone carry every pair: up*/down* from the best of several roots
//      (Autonet); where the fabric resembles a tree, what the engine for trees makes of it; or paths on what one lane
//      allows beside up*/down* in rows (orientation.h): whichever are emptiest. The other lanes are filled as before, and
//      trees routed anew on what the lanes allow; those of lane 0 stay where that leaves out a switch. So one lane is
//      never worse than up*/down*. If step 3 has found lanes, all this ends early unless it comes near. All this is found
//      on few trees; the last passes are over more.
//
// Nue (Domke, Hoefler and Matsuoka, HPDC 2016) also keeps within a given number of lanes, by searching paths in the
// channel dependency graph; here lanes are fixed first, and the search is breadth first over switches.
//
// A routing of somebody else's that carries less on its fullest channel is taken in place of all these, without any
// search where shortest paths can hardly be emptier: for dragonflies that of their own engine can be, and for whole trees
// that of the engine for trees.
//
// LID offsets above 0 avoid the channels of the lower ones, at the price of detours.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/engines/routing_engine.h"

namespace espalier {

// Tables and lanes of another engine; nothing where it has none for this fabric.
using OtherRouting = std::function<std::optional<Routing>(const Fabric&)>;

class Layers : public RoutingEngine {
 public:
  // At most `max_vls` lanes, 1 to 15.
  // `tree_engine`, if any, needs one lane, and may decline. `other`, if any, is asked where each host has one LID.
  Layers(std::string_view name, unsigned max_vls, std::shared_ptr<const RoutingEngine> tree_engine = nullptr,
         OtherRouting other = {})
      : name_(name), max_vls_(max_vls), tree_engine_(std::move(tree_engine)), other_(std::move(other)) {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  // Never fails.
  [[nodiscard]] Result<Routing> route(const FatTree& tree) const override;

 private:
  std::string name_;
  unsigned max_vls_;
  std::shared_ptr<const RoutingEngine> tree_engine_;
  OtherRouting other_;
};

}  // namespace espalier
