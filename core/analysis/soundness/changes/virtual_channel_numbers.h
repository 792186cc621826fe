// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Virtual channels as vertices of a graph that was made for an earlier state of the fabric (base/ordered_graph.h): channel x
// number of VLs + VL there, so that what was there keeps its vertices, and new switches have those behind all.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"

namespace espalier {

class VirtualChannelNumbers {
 public:
  using Number = std::uint32_t;

  // `before`: per switch of `now` what it is in `then`, with as many ports; kNoSwitch: it is new.
  VirtualChannelNumbers(const Fabric& then, const Fabric& now, const IdVector<SwitchId, SwitchId>& before,
                        unsigned num_vls)
      : num_vls_(num_vls), first_(now.num_switches()) {
    const std::size_t known = then.num_channels() * num_vls;
    for (const SwitchId s : now.switches()) {
      first_[s] = static_cast<Number>(
          before[s] == kNoSwitch ? known + num_new_ : index(then.channel(before[s], kManagementPort)) * num_vls);
      if (before[s] == kNoSwitch) num_new_ += (std::size_t{now.at(s).num_ports} + 1) * num_vls;
    }
  }
  // In a graph of this very fabric.
  VirtualChannelNumbers(const Fabric& fabric, unsigned num_vls) : num_vls_(num_vls), first_(fabric.num_switches()) {
    for (const SwitchId s : fabric.switches())
      first_[s] = static_cast<Number>(index(fabric.channel(s, kManagementPort)) * num_vls);
  }

  [[nodiscard]] Number of(SwitchId s, PortNum port, std::uint8_t vl) const {
    return first_[s] + static_cast<Number>(index(port) * num_vls_ + vl);
  }
  [[nodiscard]] std::size_t num_new() const { return num_new_; }

 private:
  unsigned num_vls_;
  std::size_t num_new_ = 0;
  IdVector<SwitchId, Number> first_;  // of its port 0 on VL 0
};

}  // namespace espalier
