// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What engines may be told besides the tree. Each engine looks at its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/enum_names.h"
#include "core/dragonfly/detect.h"
#include "core/engines/objective.h"
#include "core/engines/switch_paths.h"
#include "core/fabric/known_flows.h"
#include "core/schedule/exchanges/routed_exchange.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/node_types.h"

namespace espalier {

// Which engine routes what has an up-down path for sftree: the paper's, or the better one.
enum class SftreeBase : std::uint8_t { kFtree, kDmodc };
inline constexpr EnumNames kSftreeBaseNames(SftreeBase::kDmodc, {"ftree", "dmodc"});

enum class GxmodkMode : std::uint8_t { kInterleaved, kGrouped, kAuto };  // see gxmodk.h
inline constexpr EnumNames kGxmodkModeNames(GxmodkMode::kAuto, {"interleaved", "grouped", "auto"});

struct EngineOptions {
  HostOrder host_order;  // of the tree's end ports: how jobs number hosts; empty: by topology
  NodeTypes node_types;  // gxmodk, balanced: of the tree's end ports; empty: all are alike
  GxmodkMode gxmodk_mode = GxmodkMode::kInterleaved;
  double storage_share = 0;  // gxmodk's auto: the share of traffic to types with few hosts, 0 to 1
  std::uint64_t seed = 1;    // of the random engines: same seed, same tables
  SwitchPathOptions switch_paths;
  SftreeBase sftree_base = SftreeBase::kFtree;
  Objective objective;                 // balanced
  std::uint32_t balance_ms = 3000;     // balanced: how long it may improve on the closed form, see balanced.h
  std::uint32_t balance_wall_ms = 0;   // balanced: after so long by the clock it takes what it starts from; 0: never
  ExchangeOptions exchange;            // fors
  std::vector<KnownFlow> known_flows;  // flows, balanced
  bool hosts_choose_lids = false;      // flows: they use the LIDs that Routing::choices says; else all use offset 0
  std::shared_ptr<const DetectedGroups> groups;  // of the fabric, where they have been looked for; null: not yet
  unsigned max_vls = 8;  // data lanes that every link has, 1 to 15: what engines with lanes may use
};

}  // namespace espalier
