// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How much a link carries, in full rates of a host: 1 for a link as fast as those of most hosts, 1/4 for one that came
// up with width 1x instead of 4x. Counting flows alone takes all links for alike; a flow on a slow link is worth more.
#pragma once

#include "core/fabric/fabric.h"

namespace espalier {

class Capacities {
 public:
  explicit Capacities(const Fabric& fabric);

  // The rate of most hosts' links, which is the measure; LinkRate{} where no rate is known.
  [[nodiscard]] LinkRate host_rate() const { return host_rate_; }
  // Above 0; 1 for links of unknown rate.
  [[nodiscard]] float of(ChannelId c) const { return capacity_[c]; }
  // What a flow weighs on it: 1 / of(c).
  [[nodiscard]] float weight(ChannelId c) const { return 1 / capacity_[c]; }
  // Whether every link between switches carries exactly as much as a host sends.
  [[nodiscard]] bool all_are_one() const { return all_are_one_; }

 private:
  LinkRate host_rate_;
  IdVector<ChannelId, float> capacity_;
  bool all_are_one_ = true;
};

}  // namespace espalier
