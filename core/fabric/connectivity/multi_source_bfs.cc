// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/connectivity/multi_source_bfs.h"

#include <algorithm>
#include <utility>

namespace espalier {

SwitchNeighbors::SwitchNeighbors(const Fabric& fabric) {
  for (const SwitchId s : fabric.switches()) {
    for (const PortNum p : fabric.ports(s))
      if (const Peer& peer = fabric.peer(s, p); peer.is_switch() && peer.as_switch() != s)
        far_.push_back(peer.as_switch());
    first_.push_back(far_.size());
  }
}

MultiSourceBfs::MultiSourceBfs(const SwitchNeighbors& neighbors)
    : neighbors_(&neighbors),
      reached_(neighbors.num_switches()),
      arrived_(neighbors.num_switches()),
      next_(neighbors.num_switches()) {}

void MultiSourceBfs::start(SwitchId first, std::size_t count) {
  std::fill(reached_.begin(), reached_.end(), 0);
  front_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const SwitchId s = id_at<SwitchId>(index(first) + i);
    front_.push_back(s);
    arrived_[s] = reached_[s] = std::uint64_t{1} << i;
  }
  distance_ = 0;
}

void MultiSourceBfs::advance() {
  touched_.clear();
  for (const SwitchId s : front_)
    for (const SwitchId other : neighbors_->of(s)) {
      if (next_[other] == 0) touched_.push_back(other);
      next_[other] |= arrived_[s];
    }
  front_.clear();
  for (const SwitchId s : touched_) {
    arrived_[s] = std::exchange(next_[s], 0) & ~reached_[s];
    reached_[s] |= arrived_[s];
    if (arrived_[s] != 0) front_.push_back(s);
  }
  ++distance_;
}

}  // namespace espalier
