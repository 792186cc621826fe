// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The shape of a dragonfly: a Fabric whose switches are known to be in groups. Every link between switches is local
// (within a group) or global (between groups). Whole or damaged: all that is asked of a group is that local links join
// its switches.
//
// Two kinds of groups. In a dragonfly (Kim 2008) routers with hosts are cabled to each other; in a dragonfly+ or
// MegaFly (Shpiner 2017, Flajslik 2018) a group is a two-level tree, and only its spines, which have no hosts, have
// global links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/flat_lists.h"
#include "core/fabric/fabric.h"

namespace espalier {

enum class PortClass : std::uint8_t {
  kTerminal,  // to a host or to nothing, and port 0
  kLocal,
  kGlobal,
};
inline constexpr std::size_t kNumPortClasses = 3;

// A port to another group.
struct Exit {
  SwitchId router = kNoSwitch;
  PortNum port = kNoPort;
};

class Dragonfly {
 public:
  enum class Kind : std::uint8_t { kRouters, kLeavesAndSpines };

  // Groups are numbered by their lowest switch, the routers of a group by their ids.
  // REQUIRES: `fabric` outlives it; group_of has a number for each switch, and local links join the switches of each
  // number.
  Dragonfly(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& group_of, Kind kind);

  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::size_t num_groups() const { return routers_.size(); }
  [[nodiscard]] std::uint32_t group(SwitchId s) const { return group_[s]; }
  // Its place within the group.
  [[nodiscard]] std::uint32_t router(SwitchId s) const { return router_[s]; }
  [[nodiscard]] const std::vector<SwitchId>& routers(std::size_t group) const { return routers_[group]; }
  [[nodiscard]] PortClass port_class(SwitchId s, PortNum port) const {
    return class_[index(fabric_->channel(s, port))];
  }
  // All ports of `from` to `to`, by router and port.
  [[nodiscard]] std::span<const Exit> exits(std::size_t from, std::size_t to) const {
    return exits_.at(from * num_groups() + to);
  }
  // How many times less links between two groups carry, on average, than the fastest of `group` to others: at least 1, and 1
  // where there are none. REQUIRES: links carry as much in both directions.
  [[nodiscard]] std::uint32_t slowness(std::size_t group, std::size_t other) const {
    return slowness_.empty() ? 1 : slowness_[group * num_groups() + other];
  }
  // With leaves and spines: whether it is a leaf, which has hosts.
  [[nodiscard]] bool is_leaf(SwitchId s) const { return is_leaf_[s] != 0; }

  // Whether packets on one lane may go from one local channel to another: from `before` over `at` to `after`, all of
  // one group. By the parity-sign rule (parity_sign.h), or down and up again between leaves and spines: no cycle of
  // such turns.
  [[nodiscard]] bool local_turn_allowed(SwitchId before, SwitchId at, SwitchId after) const;

  // Every router of the group is cabled to every other (every leaf to every spine).
  [[nodiscard]] bool is_whole(std::size_t group) const { return group_is_whole_[group] != 0; }
  // All groups are whole, and any two of them are cabled.
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  void classify();
  void collect_exits();
  void find_slow_exits();
  void find_whole();

  const Fabric* fabric_;
  Kind kind_;
  IdVector<SwitchId, std::uint32_t> group_;
  IdVector<SwitchId, std::uint32_t> router_;
  IdVector<SwitchId, std::uint8_t> is_leaf_;
  std::vector<std::vector<SwitchId>> routers_;
  std::vector<PortClass> class_;         // per channel
  FlatLists<Exit> exits_;                // per pair of groups
  std::vector<std::uint32_t> slowness_;  // per pair of groups; empty: all links are alike
  std::vector<std::uint8_t> group_is_whole_;
  bool whole_ = false;
};

}  // namespace espalier
