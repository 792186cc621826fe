// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Lanes as a running subnet has them: an SL2VL table for each pair of ports of each switch, and an SL for each pair of
// source and LID. What an engine of somebody else decided can so be judged like lanes of our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

namespace espalier {

// VL 0 throughout at first.
class LaneTables {
 public:
  // REQUIRES: `fabric` outlives it.
  explicit LaneTables(const Fabric& fabric);
  // REQUIRES: the switch has these ports.
  void set(SwitchId s, PortNum in, PortNum out, const VlsBySl& vls);
  // Switches share a map where all their tables are alike.
  [[nodiscard]] LaneMaps maps() const;

 private:
  [[nodiscard]] std::size_t num_ports(SwitchId s) const { return std::size_t{fabric_->at(s).num_ports} + 1; }

  const Fabric* fabric_;
  IdVector<SwitchId, std::vector<VlsBySl>> tables_;  // per switch: [in][out]; empty: never set
};

// SL 0 throughout at first.
class PairLevels {
 public:
  static constexpr std::size_t kMostPairs = std::size_t{1} << 28;
  [[nodiscard]] static bool fits(const Fabric& fabric);

  // REQUIRES: fits(fabric), and `fabric` outlives it.
  explicit PairLevels(const Fabric& fabric);
  // For all LIDs of whoever owns `source`. REQUIRES: both are owned, sl < kNumSls.
  void set(Lid source, Lid destination, std::uint8_t sl);
  // Pairs of an owner that ever was a source, and a LID of somebody else, that were not set.
  [[nodiscard]] std::size_t num_unknown() const;
  [[nodiscard]] ServiceLevels take() { return std::move(levels_); }

 private:
  std::vector<std::size_t> num_lids_;  // per owner; owner_ fills it
  std::vector<std::uint32_t> owner_;   // per LID: number of its owner, from 1; 0: nobody's
  std::vector<std::size_t> num_set_;   // per owner: LIDs of others that were set for it
  std::vector<bool> is_set_;           // per owner and LID
  std::size_t num_owned_ = 0;
  ServiceLevels levels_;
};

}  // namespace espalier
