// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/irregularity.h"

namespace espalier {

std::string_view name(Irregularity::Kind kind) {
  switch (kind) {
    case Irregularity::Kind::kDisconnectedPart:
      return "disconnected part";
    case Irregularity::Kind::kMiswiredLink:
      return "miswired link";
    case Irregularity::Kind::kNarrowShortcut:
      return "narrow shortcut";
    case Irregularity::Kind::kSameLevelLink:
      return "same-level link";
    case Irregularity::Kind::kLevelSkippingLink:
      return "level-skipping link";
    case Irregularity::Kind::kHostAboveLeaf:
      return "host above leaf";
    case Irregularity::Kind::kHostlessLeaf:
      return "hostless leaf";
    case Irregularity::Kind::kMissingUplinks:
      return "missing uplinks";
    case Irregularity::Kind::kMissingParallelLink:
      return "missing parallel link";
    case Irregularity::Kind::kMixedSpeed:
      return "mixed speed";
    case Irregularity::Kind::kAggregationNode:
      return "aggregation nodes";
    case Irregularity::Kind::kUncabledEndport:
      return "uncabled end port";
    case Irregularity::Kind::kExcludedSwitch:
      return "excluded switch";
  }
  return "irregularity";
}

}  // namespace espalier
