// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Three-level trees as the scheduler sees them: pods of leaves and middle switches, and planes above them.
//
// Two leaves are in one *pod* when they share a middle switch; two middle switches are in one *plane* when they share a
// top switch. In a tree as one builds them a pod has one middle switch in each plane, so a leaf's link upward is a
// choice of plane, and a middle switch's link upward a choice among the tops of its plane. Both together fix the path
// (Stein 2024, 6.1).
//
//   FT(3;8,8,16): 16 pods of 8 leaves, 8 planes, 8 tops in each plane.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/leaf_spine/host_tree.h"

namespace espalier {

struct PodTree {
  // Leaves, servers, and an uplink for each plane: links between leaves and middle switches. Its uplinks name no spine.
  HostTree below;
  std::vector<std::uint32_t> pod_of_leaf;
  std::uint32_t num_pods = 0;
  std::size_t num_tops = 0;  // of a plane, at most

  std::vector<SwitchId> middle;  // [pod * planes + plane]; kNoSwitch: none has a link
  std::vector<SwitchId> top;     // [plane * num_tops + number]; kNoSwitch: the plane has fewer
  // Per plane the links between its middle switches and its tops: pods as leaves, tops as spines, no servers.
  std::vector<LeafSpine> above;
  std::vector<PortNum> up_port;    // [(plane * pods + pod) * num_tops + number]: at the middle switch
  std::vector<PortNum> down_port;  // at the top

  [[nodiscard]] std::size_t num_planes() const { return above.size(); }
  [[nodiscard]] SwitchId middle_at(std::size_t pod, std::size_t plane) const {
    return middle[pod * num_planes() + plane];
  }
  [[nodiscard]] std::size_t link(std::size_t plane, std::size_t pod, std::size_t number) const {
    return (plane * num_pods + pod) * num_tops + number;
  }
};

// Errors, each naming a switch: servers above other servers; parallel links; a fourth level; a pod with two middle
// switches in one plane; a middle switch without top.
[[nodiscard]] Result<PodTree> three_level_tree(const FatTree& tree, std::span<const EndportId> servers);

// How many phases the links between pods need at least, beside what phase_bound() says of `below.shape`: k servers of
// a pod with u links to tops send k (P - k) flows over them.
[[nodiscard]] std::uint32_t pod_bound(const PodTree& tree);

}  // namespace espalier
