// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What an admin says of switches by name or GUID: which are the roots, which rank others have, which carry nothing of
// others. The rules are those of node types (node_type_rules.h).
#pragma once

#include <string>
#include <vector>

#include "core/fabric/rules/node_type_rules.h"

namespace espalier {

struct SwitchRules {
  struct Rank {
    unsigned rank = 0;  // as OpenSM counts: 0 are the roots
    NodeTypeRule rule;
  };
  std::vector<NodeTypeRule> roots;
  std::vector<Rank> ranks;
  std::vector<NodeTypeRule> excluded;
  // A top switch with less than this share of the links that most others of its level have takes no transit; 0: all do.
  double spine_threshold = 0;

  [[nodiscard]] bool any() const {
    return !roots.empty() || !ranks.empty() || !excluded.empty() || spine_threshold > 0;
  }
  bool operator==(const SwitchRules& other) const {
    const auto texts = [](const SwitchRules& rules) {
      std::vector<std::string> all;
      for (const NodeTypeRule& rule : rules.roots) all.push_back("root " + rule.text);
      for (const Rank& rank : rules.ranks) all.push_back("rank " + std::to_string(rank.rank) + " " + rank.rule.text);
      for (const NodeTypeRule& rule : rules.excluded) all.push_back("exclude " + rule.text);
      return all;
    };
    return spine_threshold == other.spine_threshold && texts(*this) == texts(other);
  }
};

}  // namespace espalier
