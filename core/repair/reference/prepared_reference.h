// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Everything about a Reference that each repair needs and no fault changes, computed once: its tree and costs, the
// loads of its tables, which dependencies between channels its tables and its orientation allow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/soundness/changes/sound_tables.h"
#include "core/base/flat_lists.h"
#include "core/engines/detours/channel_order.h"
#include "core/repair/memory/patched_tables.h"
#include "core/repair/reference/class_loads.h"
#include "core/repair/reference/living_loads.h"
#include "core/repair/reference/reference.h"
#include "core/tree/costs.h"
#include "core/tree/fat_tree.h"

namespace espalier {

inline constexpr std::uint32_t kNoLeaf = 0xFFFFFFFF;

using SwitchLists = FlatLists<SwitchId>;

class PreparedReference {
 public:
  // A reference of which some entries are missing or lead astray is welcome: repair chooses these anew.
  explicit PreparedReference(Reference reference);
  PreparedReference(const PreparedReference&) = delete;
  PreparedReference& operator=(const PreparedReference&) = delete;

  [[nodiscard]] const Reference& reference() const { return reference_; }
  [[nodiscard]] const Fabric& fabric() const { return reference_.fabric; }
  [[nodiscard]] const FatTree& tree() const { return tree_; }
  [[nodiscard]] const UpDownCosts& costs() const { return costs_; }
  [[nodiscard]] const ClassLoads& loads() const { return loads_; }
  // A view of them without flows from and to hosts that are gone. REQUIRES: this outlives it.
  [[nodiscard]] ClassLoads living_loads(const Survivors& alive) const { return living_loads_.of(*this, alive); }
  // From a leaf to a LID of a host, as loads() count it.
  [[nodiscard]] ClassLoads::Flow flow(std::uint32_t leaf, std::size_t lid) const {
    return loads_.flow(leaf, leaf_[destination_[lid]], host_place_[lid]);
  }
  // Allows what the tables do, and every up-down path as far as that closes no cycle with it.
  [[nodiscard]] const ChannelOrder& order() const { return order_; }
  // Whether the tables follow the orientation, but for few entries, and order() allows all up-down paths beside them, so
  // that any may be chosen. Otherwise (tables of one root, or of no tree) every entry that breaks is chosen among the
  // dependencies that the order allows.
  [[nodiscard]] bool is_oriented() const { return is_oriented_; }
  // Whether verify() has no complaint about the tables.
  [[nodiscard]] bool is_sound() const { return sound_.has_value(); }
  // Whether every entry of a connected pair leads somewhere.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

  // verify(now, tables), in less time where the tables are repaired ones of this reference.
  [[nodiscard]] VerifyReport verify_change(const Fabric& now, const ForwardingTables& tables) const;
  [[nodiscard]] VerifyReport verify_change(const Fabric& now, const PatchedTables& tables) const;

  // The switch at which traffic for this LID of the reference arrives; kNoSwitch: unused.
  [[nodiscard]] SwitchId destination(std::size_t lid) const { return destination_[lid]; }
  [[nodiscard]] std::size_t num_lids() const { return destination_.size(); }
  [[nodiscard]] bool is_host_lid(std::size_t lid) const { return is_host_lid_[lid] != 0; }
  // The place of the host of a LID among all, as jobs number them.
  [[nodiscard]] std::uint32_t host_place(std::size_t lid) const { return host_place_[lid]; }
  // Switches with hosts, in topological order, and the place of each there; kNoLeaf: no hosts.
  [[nodiscard]] const std::vector<SwitchId>& leaves() const { return leaves_; }
  [[nodiscard]] std::uint32_t leaf(SwitchId s) const { return leaf_[s]; }
  // Whether no switch is below s.
  [[nodiscard]] bool is_bottom(SwitchId s) const { return is_bottom_[index(s)] != 0; }
  // Whether those below s are.
  [[nodiscard]] bool is_above_bottom_only(SwitchId s) const { return is_above_bottom_only_[index(s)] != 0; }
  // Switches with hosts below s, or s itself.
  [[nodiscard]] std::span<const SwitchId> leaves_below(SwitchId s) const { return below_.at(index(s)); }
  // Switches that have no up-down path to t.
  [[nodiscard]] std::span<const SwitchId> unreached(SwitchId t) const { return unreached_.at(index(t)); }
  // Switches whose entry for this LID works, but is not on a shortest up-down path though there is one.
  [[nodiscard]] std::span<const SwitchId> odd(std::size_t lid) const { return odd_.at(lid); }

  // Whether all entries of s that lead one hop closer do so downward to what is below, and else upward.
  [[nodiscard]] bool is_straight(SwitchId s) const { return is_straight_[index(s)] != 0; }

  // Flat views of the fabric for hot loops.
  [[nodiscard]] IdRange<ChannelId> channels(SwitchId s) const {
    return {id_at<ChannelId>(first_channel_[index(s)]), first_channel_[index(s) + 1] - first_channel_[index(s)]};
  }
  // kNoChannel: s has no such port.
  [[nodiscard]] ChannelId channel(SwitchId s, PortNum port) const {
    const std::size_t c = first_channel_[index(s)] + index(port);
    return c < first_channel_[index(s) + 1] ? id_at<ChannelId>(c) : kNoChannel;
  }
  [[nodiscard]] SwitchId far(ChannelId c) const { return far_[c]; }  // kNoSwitch: leads to no switch
  // The number of the group that a channel belongs to, up-groups of its switch first, then down-groups.
  [[nodiscard]] std::uint8_t group(ChannelId c) const { return group_[c]; }
  // Channels of s to switches, in the order of groups and ports.
  [[nodiscard]] std::span<const ChannelId> channels_in_order(SwitchId s) const {
    return {in_order_.data() + first_in_order_[index(s)], first_in_order_[index(s) + 1] - first_in_order_[index(s)]};
  }
  // Where the group of a channel begins among those of its switch; behind all: it leads to no switch.
  [[nodiscard]] std::uint8_t place_of_group(ChannelId c) const { return place_of_group_[c]; }
  // The most flows under one shift that the closed form may put on a channel: one more than the tables put anywhere on a
  // channel of that level and direction, or as much of these as the channel carries of a host's rate.
  [[nodiscard]] const IdVector<ChannelId, std::uint8_t>& limits() const { return limit_; }
  // The same of a channel that has only this share of its rate left: no fuller than the fullest of all, or than two flows
  // make a host's link. What it has no room for makes others that full.
  [[nodiscard]] std::uint8_t limit_of_slower(ChannelId c, float share) const {
    return static_cast<std::uint8_t>(share * static_cast<float>(fullest_[c]));
  }

  // Channels from s to the switch of `lid` by the reference's tables. False: they do not lead there.
  [[nodiscard]] bool path(SwitchId s, std::size_t lid, std::vector<ChannelId>& channels) const;

 private:
  void flatten();
  void find_destinations();
  void find_odd_entries();
  [[nodiscard]] bool keeps_direction(ChannelId c, SwitchId s, SwitchId t) const;
  [[nodiscard]] std::vector<SwitchId> place_hosts();
  void count_loads();
  void add_flows();
  void set_limits();
  void allow_dependencies();

  Reference reference_;
  FatTree tree_;
  UpDownCosts costs_;
  ChannelOrder order_;
  ClassLoads loads_;
  mutable LivingLoads living_loads_;
  bool is_oriented_ = true;
  bool is_whole_ = true;
  std::vector<SwitchId> destination_;
  std::vector<std::uint8_t> is_host_lid_;
  std::vector<EndportId> hosts_;           // all, as jobs number them
  std::vector<std::uint32_t> host_place_;  // of the host of a LID, among these
  std::vector<SwitchId> leaves_;
  IdVector<SwitchId, std::uint32_t> leaf_;
  SwitchLists below_, unreached_, odd_;
  std::vector<std::uint8_t> is_straight_, is_bottom_, is_above_bottom_only_;
  std::vector<std::uint32_t> first_channel_;  // and one for the end
  IdVector<ChannelId, SwitchId> far_;
  IdVector<ChannelId, std::uint8_t> group_;
  std::vector<ChannelId> in_order_;
  std::vector<std::uint32_t> first_in_order_;  // and one for the end
  IdVector<ChannelId, std::uint8_t> place_of_group_;
  IdVector<ChannelId, std::uint8_t> limit_;
  IdVector<ChannelId, std::uint8_t> fullest_;  // flows by which this channel would be as full as the fullest of all
  std::optional<SoundTables> sound_;           // nothing where the tables are not sound by themselves
};

}  // namespace espalier
