// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Patterns that name their flows: permutations, shifts, an application's matrix.
#pragma once

#include <algorithm>
#include <vector>

#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

// Each node sends to its destinations in proportion to their weights; nodes without one are silent.
class Flows : public Pattern {
 public:
  explicit Flows(Node num_nodes) : of_(num_nodes) {}

  // REQUIRES: weight > 0.
  void add(Node from, Node to, double weight = 1) {
    const double before = of_[from].empty() ? 0 : of_[from].back().up_to;
    of_[from].push_back({to, before + weight});
  }

  // Calls visit(destination, share of what the node sends).
  template <class Visit>
  void for_each(Node node, const Visit& visit) const {
    double before = 0;
    for (const Flow& flow : of_[node]) {
      visit(flow.to, (flow.up_to - before) / of_[node].back().up_to);
      before = flow.up_to;
    }
  }

  [[nodiscard]] bool sends(Node node) const override { return !of_[node].empty(); }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    const auto& flows = of_[node];
    if (flows.size() == 1) return flows[0].to;
    const double drawn = random.uniform() * flows.back().up_to;
    return std::lower_bound(flows.begin(), flows.end(), drawn,
                            [](const Flow& flow, double value) { return flow.up_to < value; })
        ->to;
  }

 private:
  struct Flow {
    Node to;
    double up_to;  // weights of this and the flows before it
  };
  std::vector<std::vector<Flow>> of_;  // by node
};

}  // namespace espalier::packets
