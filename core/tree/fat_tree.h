// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What shape it has: a Fabric whose switches have levels and whose switch-to-switch links have a direction.
//
// A FatTree is only made by rank(), so an engine that takes one cannot be called on something unranked.
// Invariants, all proven at construction:
//   1. Every link between two switches of the fabric, those that are set aside excepted, is in exactly one PortGroup at
//      each of its ends, as an up-group at the lower end and as a down-group at the upper end.
//   2. The directions contain no cycle: ascending() lists every switch after all switches below it. Up-then-down paths
//      are therefore free of credit loops on any fabric, tree or not.
//   3. Groups of a switch are ordered by the GUID of the remote switch, ports within a group by the remote port.
#pragma once

#include <span>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/tree/cabling/irregularity.h"
#include "core/tree/order/host_place.h"

namespace espalier {

// Height above the leaves; a leaf is 0 (Gliksberg 2022, ch. 4). OpenSM's "rank" runs the other way.
enum class Level : std::uint8_t {};

// The parallel links from one switch to another (thesis: group g with remote switch Omega_g).
struct PortGroup {
  SwitchId remote = kNoSwitch;
  std::uint32_t first_port = 0;  // into FatTree's port array, see FatTree::ports()
  std::uint32_t num_ports = 0;
};

// What a tree knows besides levels and directions, and hands on to trees that are made from it.
struct TreeContext {
  std::vector<Irregularity> irregularities = {};
  std::vector<HostPlace> ghosts = {};  // where hosts were seen before, ascending; may name places that are taken
  std::vector<ChannelId> set_aside =
      {};  // ascending; both channels of each link that no route may take (wrong_links.h)
};

class FatTree {
 public:
  // `level` and `position` per switch: of a link's two ends the one with the higher position is the upper.
  // REQUIRES: positions are distinct; `fabric` outlives the tree.
  FatTree(const Fabric& fabric, IdVector<SwitchId, Level> level, const IdVector<SwitchId, std::uint32_t>& position,
          TreeContext context);

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] Level level(SwitchId s) const { return level_[s]; }
  // Highest level + 1; 0 for a fabric without switches.
  [[nodiscard]] std::size_t num_levels() const { return num_levels_; }
  // Every switch, each one after all that are below it.
  [[nodiscard]] std::span<const SwitchId> ascending() const { return ascending_; }

  [[nodiscard]] std::span<const PortGroup> up_groups(SwitchId s) const {
    return {groups_.data() + first_up_[s], first_down_[s] - first_up_[s]};
  }
  [[nodiscard]] std::span<const PortGroup> down_groups(SwitchId s) const {
    return {groups_.data() + first_down_[s], first_up_end(s) - first_down_[s]};
  }
  [[nodiscard]] std::span<const PortNum> ports(const PortGroup& group) const {
    return {ports_.data() + group.first_port, group.num_ports};
  }

  // Connected components are numbered from 0 in the order of their lowest switch id.
  [[nodiscard]] std::uint32_t component(SwitchId s) const { return component_[s]; }
  [[nodiscard]] std::uint32_t num_components() const { return num_components_; }

  // End ports that carry the users' traffic, switch by switch: everything but Aggregation Nodes.
  [[nodiscard]] std::span<const EndportId> hosts(SwitchId s) const {
    return {hosts_.data() + first_host_[index(s)], first_host_[index(s) + 1] - first_host_[index(s)]};
  }

  // What does not fit a perfect fat tree, worst first: the list in which an admin looks for cabling errors.
  [[nodiscard]] const std::vector<Irregularity>& irregularities() const { return context_.irregularities; }

  [[nodiscard]] const TreeContext& context() const { return context_; }

 private:
  [[nodiscard]] std::uint32_t first_up_end(SwitchId s) const {
    return index(s) + 1 < first_up_.size() ? first_up_[id_at<SwitchId>(index(s) + 1)]
                                           : static_cast<std::uint32_t>(groups_.size());
  }
  void build_groups(const IdVector<SwitchId, std::uint32_t>& position);
  void build_hosts();

  const Fabric* fabric_;
  IdVector<SwitchId, Level> level_;
  std::size_t num_levels_ = 0;
  std::vector<SwitchId> ascending_;
  LargeVector<PortGroup> groups_;                 // switch by switch: up-groups, then down-groups
  IdVector<SwitchId, std::uint32_t> first_up_;    // into groups_
  IdVector<SwitchId, std::uint32_t> first_down_;  // into groups_
  LargeVector<PortNum> ports_;
  IdVector<SwitchId, std::uint32_t> component_;
  std::uint32_t num_components_ = 0;
  std::vector<EndportId> hosts_;
  std::vector<std::uint32_t> first_host_;
  TreeContext context_;
};

}  // namespace espalier
