// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/cabling/irregularity.h"

#include "core/base/enum_names.h"

namespace espalier {

std::string_view name(Irregularity::Kind kind) {
  static constexpr EnumNames kNames(
      Irregularity::Kind::kExcludedSwitch,
      {"disconnected part", "miswired link", "narrow shortcut", "same-level link", "level-skipping link",
       "host above leaf", "hostless leaf", "missing uplinks", "missing parallel link", "mixed speed",
       "aggregation nodes", "uncabled end port", "excluded switch"});
  return kNames[kind];
}

bool is_about_levels(Irregularity::Kind kind) {
  using Kind = Irregularity::Kind;
  return kind != Kind::kDisconnectedPart && kind != Kind::kAggregationNode && kind != Kind::kUncabledEndport &&
         kind != Kind::kExcludedSwitch;
}

}  // namespace espalier
