// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Follows all packets for one LID at once where switches choose among several ports, as lane_trace.h does for one port.
//
// The ports of all switches for a LID make a graph towards it. If that has no cycle, packets can be followed from the
// farthest switches on: for each channel and lane the SLs of all packets that may be on it, whichever ports were chosen
// before. What is found is everything that can happen, so what is free of deadlock here is so for every choice.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/soundness/dependencies/lane_sources.h"
#include "core/fabric/alternative_ports.h"
#include "core/fabric/fabric.h"
#include "core/fabric/lanes.h"

namespace espalier {

// A step of some packets, from the lane of a channel to a lane of the next.
struct VirtualStep {
  ChannelId from;
  std::uint8_t vl;
  ChannelId to;
  std::uint8_t next_vl;
};

class AlternativeTrace {
 public:
  // Sources are all switches and end ports. REQUIRES: `fabric` and `lanes` outlive it.
  AlternativeTrace(const Fabric& fabric, const Lanes& lanes);

  struct Result {
    std::vector<VirtualStep> steps;     // each once
    bool may_loop = false;              // packets could come back: nothing was followed
    SwitchId discarded_at = kNoSwitch;  // an SL2VL table throws packets away here; kNoSwitch: nowhere
    PortNum discarded_in = kNoPort;
    std::uint8_t discarded_sl = 0;
  };
  // `column`: per switch its ports for `lid`; ports that lead to no switch do not matter. The result is good until the
  // next call.
  [[nodiscard]] const Result& trace(Lid lid, const std::vector<PortSet>& column);

 private:
  struct Out {
    PortNum port;
    ChannelId channel;
    SwitchId next;
  };
  // The ports of `column` that lead to switches, and switches in an order in which each comes before those it sends to;
  // false: there is none.
  bool sort_by_distance(const std::vector<PortSet>& column);
  void send(SwitchId s, const Out& out, std::uint32_t destination_class);
  void discard(SwitchId s, PortNum in, std::uint8_t sl);

  const Fabric& fabric_;
  const Lanes& lanes_;
  IdVector<SwitchId, std::vector<LaneSource>> sources_;
  IdVector<SwitchId, std::vector<Out>> out_;  // of the LID
  IdVector<SwitchId, std::vector<std::pair<ChannelId, PortNum>>>
      in_;  // of the LID: channel, and port by which it arrives
  std::vector<SwitchId> order_;
  std::vector<std::uint16_t> sls_;  // per channel and VL: bit q: packets of SL q
  Result result_;
};

}  // namespace espalier
